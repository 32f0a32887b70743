"""The YAML parser in use: events of ruamel.yaml, from its C extension if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


def parser_name(*, pure: bool = False) -> str:
    """Return the parser's name for `--version`: `libyaml` for the C extension, else `pure Python`."""
    return "pure Python" if pure or c_parser() is None else "libyaml"


def next_event(text: str, *, pure: bool = False) -> Callable[[], Any]:
    """Return a function that returns the next parse event; the last one is a StreamEndEvent.

    The function raises a `ruamel.yaml.error.YAMLError` if the text is not YAML.
    """
    parser = None if pure else c_parser()
    if parser is None:
        parser = _pure_parser()
    get_event: Callable[[], Any] = parser(text).get_event
    return get_event


def refuses_more(error: Exception) -> bool:
    """Whether the C extension failed on text that Kubernetes and the Python parser accept: `[{image: nginx:1.2}]`.

    libyaml requires quotes around colons in flow collections, as YAML 1.1 does; go-yaml does not.
    """
    return "found unexpected ':'" in str(error)


@cache
def c_parser() -> Any:
    """Return the parser class of the C extension, None if it is not installed."""
    try:
        from _ruamel_yaml import CParser  # type: ignore[import-not-found]
    except ImportError:
        return None
    return CParser


def _pure_parser() -> Any:
    from ruamel.yaml.docinfo import DocInfo
    from ruamel.yaml.loader import SafeLoader

    class PureParser(SafeLoader):
        """The parser alone; it also takes the place of the `YAML` object that stores directives."""

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.doc_infos = [DocInfo()]

    return PureParser
