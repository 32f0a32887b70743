"""Rewords errors of a parser for users: the place of the mistake and its remedy."""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.documents.builder import SECOND_DOCUMENT, TEMPLATE
from kubelint_gpu.patterns import pattern

_TEMPLATE_LINE = pattern(r"^[ \t]*(?:- [ \t]*)?(?P<mark>\{\{-?|\{%|%\{)", re.MULTILINE)
_TEMPLATE_MARK = pattern(r"\{[{%]|%\{")
_CONFLICT = pattern(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_UNPRINTABLE = pattern("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_END = pattern(r"[\r\n]")
_DOCUMENT_END = pattern(r"^\.\.\.\s", re.MULTILINE)

# The first part of the parser's message that is found decides; the pure parser words some otherwise.
_ADVICE = (
    ("alias", "* begins an alias here and no name follows; quote the value"),
    ("anchor", "& begins an anchor here and no name follows; quote the value"),
    ("escape", "an unknown escape in double quotes; write \\\\ for a backslash, or use single quotes"),
    ("undefined tag handle", "! begins a tag here whose handle is not declared; quote the value"),
    ("scanning a tag", "! begins a tag here that does not end; quote the value"),
    ("parsing a tag", "! begins a tag here that does not end; quote the value"),
    ("directive", "% at the start of a line begins a directive; indent or quote the text"),
    ("sequence entries", "a list cannot begin on the line of its key; put the `-` on a line of its own"),
    ("expected '-' indicator", "this line belongs to no list; indent it like the `-` above or move it out of the list"),
    ("block collection", "this line belongs to no list; indent it like the `-` above or move it out of the list"),
    ("scanning a block scalar", "only an indentation number, + or - may follow | and >; put the text on the next line"),
    ("document start", "this line is indented less than the first one of the document; give both the same indentation"),
    ("unacceptable character", "a control character, which YAML does not allow; remove it"),
)


def syntax_error(error: Exception, text: str, base: int, end: int) -> tuple[int, int, str]:
    """Return start, end and message of a `ruamel.yaml.error.YAMLError` raised for `text[base:end]`."""
    place = _place(error, text, base, end)
    special = _special(text, base, place, end)
    if special:
        return special
    context, problem = _words(error)
    said = f"{context} {problem}"
    opened = base + _index(getattr(error, "context_mark", None))
    here = text[place : place + 1]
    if "mapping values" in problem:
        return place, place + 1, _unexpected_colon(text, base, place)
    if "could not find expected ':'" in problem:
        line_end = _line_end(text, opened)
        return opened, line_end, "a key without a colon; write `key: value`, or indent the line if it continues a text"
    if "end of stream" in problem and "quoted" in context:
        return opened, opened + 1, "this quote is never closed; add the closing quote"
    if "flow" in context and ("]" in problem or "}" in problem) and "expected ','" in problem:
        bracket = text[opened : opened + 1]
        closing = "]" if bracket == "[" else "}"
        return opened, opened + 1, f"this {bracket} is never closed; add {closing} or a missing comma"
    if "\t" in here or "tab character" in problem or "'\\t'" in problem:
        return place, place + 1, "a tab is used for indentation; YAML allows only spaces there"
    if "cannot start any token" in problem:
        return place, place + 1, f"{here} cannot begin a value; quote the value"
    if "node content" in problem and not text[place:end].strip():
        last = base + len(text[base:place].rstrip())
        return last - 1, last, "the text ends inside of brackets; add the missing ] or }"
    if "node content" in problem:
        return place, place + 1, f"a value is expected before {here}" if here else "a value is expected here"
    if "expected key" in problem or "block mapping" in context:
        return place, place + 1, _misplaced(text, base, place)
    if "document start" in problem and _DOCUMENT_END().search(text, base, place):
        return place, place + 1, SECOND_DOCUMENT
    for words, advice in _ADVICE:
        if words in said:
            return place, place + 1, advice
    return place, place + 1, f"not YAML: {said.strip()}"


def _special(text: str, base: int, place: int, end: int) -> tuple[int, int, str] | None:
    """Return start, end and message for templates and merge conflicts, whatever the parser reported."""
    conflict = _CONFLICT().search(text, base, end)
    if conflict:
        return conflict.start(), conflict.end() - 1, "a conflict of a merge that is not resolved yet; resolve it"
    template = _TEMPLATE_LINE().search(text, base, end)
    if template and template.end() <= _line_end(text, place):
        return template.start("mark"), template.end(), TEMPLATE
    template = _TEMPLATE_MARK().search(text, _line_start(text, base, place), _line_end(text, place))
    return (template.start(), template.end(), TEMPLATE) if template else None


def _place(error: Exception, text: str, base: int, end: int) -> int:
    if hasattr(error, "problem_mark") or hasattr(error, "context_mark"):
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        return min(base + _index(mark), end)
    unprintable = _UNPRINTABLE().search(text, base, end)
    return unprintable.start() if unprintable else base


def _words(error: Exception) -> tuple[str, str]:
    if hasattr(error, "problem"):
        return getattr(error, "context", None) or "", error.problem or ""
    return "", str(error).partition("\n")[0]


def _unexpected_colon(text: str, base: int, place: int) -> str:
    if re.search(r":\s", text[_line_start(text, base, place) : place]):
        return "a second `: ` in one line; quote the value if it is part of it, else put the inner key on its own line"
    return (
        "a key where the text above still goes on; check the colon and the indentation of this line and the one above"
    )


def _misplaced(text: str, base: int, place: int) -> str:
    start = _line_start(text, base, place)
    before = text[start:place]
    if before.strip(" -"):
        return "unexpected text behind the end of a value; quote the whole value"
    width = len(before)
    what = "this `-`" if text.startswith("- ", place) else "this line"
    return f"{what} is indented by {width} and fits no line above; indent it like the lines that it belongs to"


def _index(mark: Any) -> int:
    return mark.index if mark is not None else 0


def _line_start(text: str, base: int, place: int) -> int:
    """Return where the line begins; a line also begins at `base`."""
    return max(text.rfind("\n", base, place) + 1, text.rfind("\r", base, place) + 1, base)


def _line_end(text: str, place: int) -> int:
    found = _LINE_END().search(text, place)
    return found.start() if found is not None else len(text)
