"""The YAML parser in use: events of ruamel.yaml, from its C extension where that is installed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PARTS = "Scanner", "Parser", "Composer", "Constructor", "Emitter", "Serializer", "Representer"
_ERRORS = {f"ruamel.yaml.{part.lower()}": f"{part}Error" for part in _PARTS}


def parser_name(*, pure: bool = False) -> str:
    """What `--version` prints: `libyaml` for the C extension, `pure Python` where that is missing."""
    return "pure Python" if pure or c_parser() is None else "libyaml"


def next_event(text: str, *, pure: bool = False) -> Callable[[], Any]:
    """A function that gives one parse event after the other; the last one is a StreamEndEvent.

    It raises a `ruamel.yaml.error.YAMLError` where the text is no YAML.
    """
    parser = None if pure else c_parser()
    if parser is None:
        parser = _pure_parser()
    get_event: Callable[[], Any] = parser(text).get_event
    return get_event


def refuses_more(error: Exception) -> bool:
    """Whether the C extension stumbled over what Kubernetes' parser and the one in Python take: `[{image: nginx:1.2}]`.

    Its libyaml wants colons inside of flow collections quoted, as YAML 1.1 has it; go-yaml does not.
    """
    return "found unexpected ':'" in str(error)


@cache
def c_parser() -> Any:
    """The parser class of the C extension, None where it is not installed."""
    with _errors_alone():
        found = _imported()
    # another release of the extension may take more of the library than errors
    return found or _imported()


@contextmanager
def _errors_alone() -> Iterator[None]:
    """The extension takes a class of errors from each part of the library: the parts are not loaded for that."""
    from ruamel.yaml.error import MarkedYAMLError

    missing = {name: ModuleType(name) for name in _ERRORS if name not in sys.modules}
    for name, module in missing.items():
        setattr(module, _ERRORS[name], MarkedYAMLError)
    sys.modules.update(missing)
    yield
    for name in missing:
        del sys.modules[name]


def _imported() -> Any:
    try:
        from _ruamel_yaml import CParser  # type: ignore[import-not-found]
    except ImportError:
        return None
    return CParser


def _pure_parser() -> Any:
    from ruamel.yaml.docinfo import DocInfo
    from ruamel.yaml.loader import SafeLoader

    class PureParser(SafeLoader):
        """The parser alone: it notes directives where a whole `YAML` object would stand."""

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.doc_infos = [DocInfo()]

    return PureParser
