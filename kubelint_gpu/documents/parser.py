"""The YAML parser in use: events of ruamel.yaml, from its C extension if it is installed.

Of a document whose body no rule needs, such as a custom resource definition, only the head is built: these make up
most bytes of real repositories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value


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


# Below this size building the document costs no more than looking at its text.
MIN_LENGTH = 4096

_KIND = pattern(r"kind:[ \t]*([\w.-]+)[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_SPEC = pattern(r"spec:[ \t]*(?:#[^\r\n]*)?\r?\n")
# The line end before a line that is neither empty nor part of what stands above it.
_OUTDENTED = pattern(r"\n(?=[^ \t#\r\n-]|\r(?!\n))")
# An alias may stand for an anchor of the body, or repeat one of the head within it.
_ALIAS = pattern(r"(?<=[\s,\[{])\*[^\s,\[\]{}]+(?:[ \t]*(?=[,\]}\r\n#])|(?<=:)[ \t]|[ \t]+:)")


class Skimmed(Value):
    """A document with blanks in place of the body of its `spec`, which keeps every offset, and the body's offsets."""

    text: str
    start: int
    end: int


def skim(text: str, kinds: Collection[str]) -> Skimmed | None:
    """Return the document without the body of its `spec`; None if it is short, of another kind, or unusual."""
    if not kinds or len(text) < MIN_LENGTH:
        return None
    kind, spec = _only(text, "kind:"), _only(text, "spec:")
    if kind is None or spec is None:
        return None
    found, head = _KIND().match(text, kind), _SPEC().match(text, spec)
    if found is None or found[1] not in kinds or head is None:
        return None
    start = head.end()
    last = _OUTDENTED().search(text, start - 1)
    end = (last.start() if last is not None else text.rfind("\n")) + 1
    if end <= start:
        return None
    if text.find("*", start, end) >= 0 and _ALIAS().search(text, start, end):
        return None
    return Skimmed(f"{text[:start]}{' ' * (end - start - 1)}\n{text[end:]}", start, end)


def _only(text: str, key: str) -> int | None:
    """Return where the only line that starts with a key begins; None if there are none or several."""
    after = f"\n{key}"
    place = 0 if text.startswith(key) else text.find(after) + 1
    if not place and not text.startswith(key):
        return None
    return None if text.find(after, place) >= 0 else place


def parses(text: str) -> bool:
    """Whether the C parser is installed and can parse the text; errors are reported by a full reading."""
    parser = c_parser()
    if parser is None:
        return False
    from ruamel.yaml.error import YAMLError

    try:
        parser(text).raw_parse()
    except YAMLError:
        return False
    return True
