"""Functions of texts: those of the language, its strings extension and regular expressions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import MOST_LETTERS, Duration, Map, Timestamp, TypeValue, type_name
from kubelint_gpu.kube.cel.functions.numbers import written_double

_LARGEST = 1 << 20
_PER_STEP = 64
_SPACES = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_UPPER = {letter: letter - 32 for letter in range(ord("a"), ord("z") + 1)}
_LOWER = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}
_QUOTED = {ord(letter): f"\\{name}" for letter, name in zip('\a\b\f\n\r\t\v\\"', 'abfnrtv\\"', strict=True)}


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The compiled RE2 pattern. Raises EvaluationError if it is invalid."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _LARGEST
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else ""
        detail = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        raise EvaluationError(f"error parsing regexp: {detail}") from None


def steps_of(text: str, pattern: str, *_: int, every: bool = False) -> int:
    """The steps to compile a pattern, and to search a text for it, or for `every` match.

    A repetition of few letters may be a large program, so that the length of the pattern is no measure.

    Raises:
        EvaluationError: the pattern is invalid.
    """
    letters = len(text) + 1
    size: int = compiled(pattern).programsize
    return size + size * letters * (letters if every else 1) // _PER_STEP


def _out_of_range(place: int) -> EvaluationError:
    return EvaluationError(f"index out of range: {place}")


def _char_at(text: str, place: int) -> str:
    if not 0 <= place <= len(text):
        raise _out_of_range(place)
    return text[place : place + 1]


def _index_of(text: Any, part: Any, start: int = 0) -> int:
    if isinstance(text, list):
        from kubelint_gpu.kube.cel.functions.lists import index_of

        return index_of(text, part)
    if part == "":
        return start
    if not 0 <= start < len(text):
        if start == 0:
            return -1
        raise _out_of_range(start)
    return int(text.find(part, start))


def _last_index_of(text: Any, part: Any, start: int | None = None) -> int:
    if isinstance(text, list):
        from kubelint_gpu.kube.cel.functions.lists import last_index_of

        return last_index_of(text, part)
    if start is None:
        return len(text) if part == "" else int(text.rfind(part))
    if part == "":
        return start
    if not 0 <= start < len(text):
        raise _out_of_range(start)
    return int(text.rfind(part, 0, start + len(part)))


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    places = text.count(old) if count < 0 else min(count, text.count(old))
    _must_be_short(len(text) + places * len(new))
    return text.replace(old, new, count)


def _must_be_short(length: int) -> None:
    if length > MOST_LETTERS:
        raise NotKnown("a text grows too long")


def _split(text: str, separator: str, count: int = -1) -> list[str]:
    if count == 0:
        return []
    if count == 1:
        return [text]
    if separator == "":
        letters = list(text)
        return letters if count < 0 or len(letters) <= count else [*letters[: count - 1], "".join(letters[count - 1 :])]
    return text.split(separator, -1 if count < 0 else count - 1)


def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else end
    if end is not None and start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    if not 0 <= last <= len(text):
        raise _out_of_range(last)
    return text[start:last]


def _find(text: str, pattern: str) -> str:
    found = compiled(pattern).search(text)
    return "" if found is None else str(found.group(0))


def _find_all(text: str, pattern: str, count: int = -1) -> list[str]:
    found: list[str] = []
    for one in compiled(pattern).finditer(text):
        if 0 <= count <= len(found):
            break
        found.append(one.group(0))
    return found


def _join(items: list[Any], separator: str = "") -> str:
    _must_be_short(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


def _format(text: str, values: list[Any]) -> str:
    parts, place, at = [], 0, 0
    while at < len(text):
        if text[at] != "%":
            parts.append(text[at])
            at += 1
            continue
        clause = text[at + 1 : at + 2]
        at += 2
        if clause == "%":
            parts.append("%")
            continue
        if place >= len(values):
            raise EvaluationError(f"index {place} out of range")
        parts.append(_clause(clause, values[place]))
        _must_be_short(sum(map(len, parts[-64:])))
        place += 1
    return "".join(parts)


def _clause(clause: str, value: Any) -> str:
    if clause == "s":
        return _shown(value)
    if clause == "d" and isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    raise NotKnown("a clause of a format is not modelled")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return written_double(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, (Map, Duration, Timestamp, TypeValue, bytes)):
        raise NotKnown(f"the text of a {type_name(value)} is not modelled")
    raise EvaluationError(f"error during formatting: no formatting function for {type_name(value)}")


FUNCTIONS: dict[str, Any] = {
    "size": len,
    "contains": lambda text, part: part in text,
    "startsWith": lambda text, part: text.startswith(part),
    "endsWith": lambda text, part: text.endswith(part),
    "matches": lambda text, pattern: compiled(pattern).search(text) is not None,
    "find": _find,
    "findAll": _find_all,
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "lowerAscii": lambda text: text.translate(_LOWER),
    "upperAscii": lambda text: text.translate(_UPPER),
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "trim": lambda text: text.strip(_SPACES),
    "format": _format,
    "join": _join,
    "strings.quote": lambda text: f'"{text.translate(_QUOTED)}"',
    "reverse": lambda value: value[::-1],
}
