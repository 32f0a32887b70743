"""Reads JSON text as the events of a YAML parser, so that one builder serves both.

JSON is nearly YAML; the differences (tabs, surrogate pairs, long keys) are handled as in Go's `encoding/json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from kubelint_gpu.patterns import pattern

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
      (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    | (?P<word>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9.a-zA-Z_])
              |(?:true|false|null)(?![0-9a-zA-Z_]))
    | (?P<mark>[\[\]{},:])
    )""",
    re.VERBOSE,
)
_SPACE = pattern(r"[ \t\r\n]*")
_STRING, _MARK = (_TOKEN.groupindex[name] for name in ("string", "mark"))
_KEYS = frozenset(("key", "first key"))
_VALUES = frozenset(("value", "first value"))
_CLOSED = frozenset(("comma", "first key", "first value"))
_PLAIN = (True, False)
_QUOTED = (False, True)


class NotJson(ValueError):  # noqa: N818 - it says what the text is
    """The text is not JSON; `offset` is the place of the error."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(f"{expected} is expected here")
        self.offset = offset


class JsonMark(Struct):
    """An offset, with the attribute name that ruamel.yaml uses."""

    index: int


def json_events(text: str, start: int, end: int) -> Callable[[], Any]:
    """Return a function that returns the next event for the JSON values in `text[start:end]`.

    An event is valid until the next call: events of one kind share one object, because there are millions of them.
    The function raises NotJson if the text is not JSON.
    """
    return _events(text, start, end).__next__


def _events(text: str, position: int, end: int) -> Iterator[Any]:
    from ruamel.yaml import events

    first, last = JsonMark(position), JsonMark(position)
    quoted = events.ScalarEvent(None, None, _QUOTED, "", first, last, style='"')
    plain = events.ScalarEvent(None, None, _PLAIN, "", first, last)
    opening: dict[str, tuple[Any, str, str]] = {
        "{": (events.MappingStartEvent(None, None, True, first, last, flow_style=True), "}", "first key"),
        "[": (events.SequenceStartEvent(None, None, True, first, last, flow_style=True), "]", "first value"),
    }
    closing = {"}": events.MappingEndEvent(first, last), "]": events.SequenceEndEvent(first, last)}
    document = events.DocumentStartEvent(first, first)
    token = _TOKEN.match
    # What may come next: a value, the first one or `]`, a key, the first one or `}`, `:`, or what follows a value.
    state = "value"
    stack: list[str] = []
    while True:
        match = token(text, position, end)
        if match is None:
            space = _SPACE().match(text, position, end)
            position = space.end() if space else position
            if stack or state != "value" or position < end:
                raise NotJson(position, _EXPECTED[state])
            yield events.StreamEndEvent(JsonMark(end), JsonMark(end))
            return
        group = match.lastindex or 0
        begin, position = match.span(group)
        first.index, last.index = begin, position
        if group == _MARK:
            mark = text[begin]
            if mark == ",":
                if state != "comma":
                    raise NotJson(begin, _EXPECTED[state])
                state = "key" if stack[-1] == "}" else "value"
            elif mark == ":":
                if state != "colon":
                    raise NotJson(begin, _EXPECTED[state])
                state = "value"
            elif mark in opening:
                if state not in _VALUES:
                    raise NotJson(begin, _EXPECTED[state])
                if not stack:
                    yield document
                event, bracket, state = opening[mark]
                stack.append(bracket)
                yield event
            else:
                if not stack or mark != stack[-1] or state not in _CLOSED:
                    raise NotJson(begin, _EXPECTED[state])
                stack.pop()
                yield closing[mark]
                state = "comma" if stack else "value"
        elif state in _KEYS and group == _STRING:
            quoted.value = _string(match[group])
            yield quoted
            state = "colon"
        elif state in _VALUES:
            if not stack:
                yield document
            scalar = quoted if group == _STRING else plain
            scalar.value = _string(match[group]) if group == _STRING else match[group]
            yield scalar
            state = "comma" if stack else "value"
        else:
            raise NotJson(begin, _EXPECTED[state])


_EXPECTED = {
    "value": "a value",
    "first value": "a value or `]`",
    "key": "a key in double quotes",
    "first key": "a key in double quotes or `}`",
    "colon": "`:`",
    "comma": "`,` or the closing bracket",
}


def _string(token: str) -> str:
    """Return the value of a string; half of a surrogate pair becomes U+FFFD, as in Go."""
    if "\\" not in token:
        return token[1:-1]
    value: str = json.loads(token)
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
