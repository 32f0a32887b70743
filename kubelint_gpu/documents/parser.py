"""The YAML parser in use: events of ruamel.yaml, from its C extension where that is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


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
