"""JSON text as the events of a YAML parser, so that one builder serves both.

JSON is nearly YAML; what differs (tabs, surrogate pairs, long keys) is read here as Go's `encoding/json` does.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from kubelint_gpu.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
      (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    | (?P<word>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9.a-zA-Z_])
              |(?:true|false|null)(?![0-9a-zA-Z_]))
    | (?P<mark>[\[\]{},:])
    )""",
    re.VERBOSE,
)
_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = (True, False)
_QUOTED = (False, True)


class NotJson(ValueError):  # noqa: N818 - it says what the text is
    """The text is no JSON; `offset` is where that shows."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(f"{expected} is expected here")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class JsonMark:
    """An offset, named as the parsers of ruamel.yaml name it."""

    index: int


def json_events(text: str, start: int, end: int) -> Callable[[], Any]:
    """A function that gives one event after the other for the JSON values in `text[start:end]`.

    It raises NotJson where the text is none.
    """
    return _events(text, start, end).__next__


def _events(text: str, position: int, end: int) -> Iterator[Any]:
    from ruamel.yaml import events

    # What may come next: a value, the first one or `]`, a key, the first one or `}`, `:`, or what follows a value.
    state = "value"
    stack: list[str] = []
    while True:
        match = _TOKEN.match(text, position, end)
        if match is None:
            space = _SPACE.match(text, position, end)
            position = space.end() if space else position
            if stack or state != "value" or position < end:
                raise NotJson(position, _EXPECTED[state])
            yield events.StreamEndEvent(JsonMark(end), JsonMark(end))
            return
        group = match.lastgroup or ""
        word, start, position = match[group], JsonMark(match.start(group)), match.end()
        if not stack and state == "value":
            yield events.DocumentStartEvent(start, start)
        if state == "comma" and word in {",", *stack[-1:]}:
            if word != ",":
                yield _closing(events, stack.pop(), start, JsonMark(position))
            else:
                state = "key" if stack[-1] == "}" else "value"
                continue
        elif state in {"first key", "first value"} and word == stack[-1]:
            yield _closing(events, stack.pop(), start, JsonMark(position))
            state = "comma"
        elif state == "colon" and word == ":":
            state = "value"
            continue
        elif state in {"key", "first key"} and group == "string":
            yield events.ScalarEvent(None, None, _QUOTED, _string(word), start, JsonMark(position), style='"')
            state = "colon"
            continue
        elif state not in {"value", "first value"} or word in {"}", "]", ":", ","}:
            raise NotJson(start.index, _EXPECTED[state])
        elif word == "{":
            yield events.MappingStartEvent(None, None, True, start, JsonMark(position), flow_style=True)
            stack.append("}")
            state = "first key"
            continue
        elif word == "[":
            yield events.SequenceStartEvent(None, None, True, start, JsonMark(position), flow_style=True)
            stack.append("]")
            state = "first value"
            continue
        elif group == "string":
            yield events.ScalarEvent(None, None, _QUOTED, _string(word), start, JsonMark(position), style='"')
            state = "comma"
        else:
            yield events.ScalarEvent(None, None, _PLAIN, word, start, JsonMark(position))
            state = "comma"
        if not stack:
            state = "value"


def _closing(events: Any, bracket: str, start: JsonMark, end: JsonMark) -> Any:
    return events.MappingEndEvent(start, end) if bracket == "}" else events.SequenceEndEvent(start, end)


_EXPECTED = {
    "value": "a value",
    "first value": "a value or `]`",
    "key": "a key in double quotes",
    "first key": "a key in double quotes or `}`",
    "colon": "`:`",
    "comma": "`,` or the closing bracket",
}


def _string(token: str) -> str:
    """Half of a surrogate pair becomes U+FFFD, as in Go."""
    if "\\" not in token:
        return token[1:-1]
    value: str = json.loads(token)
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
