"""The syntax of suppressions: the text of a comment, and that of an annotation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

ANNOTATION = "kubelint-gpu/ignore"
_COMMENT = pattern(
    r"#\s*kubelint-gpu:\s*(?P<word>\w*)\s*(?:\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)", re.DOTALL | re.IGNORECASE
)
_ALMOST = pattern(r"#[^#\[]*\bignore\s*[\[(:]\s*KLG\d", re.IGNORECASE)
_DASH = pattern(r"\s*-\s+")
_FOLDED = pattern(r"(?<=\s)-\s+(?=KLG\d*\b)|[;:]")
_ENTRY = pattern(r"[\w-]+(\s*,\s*[\w-]+)*\s*(:|$)")


class Written(Value):
    """One suppression as written: its codes, prefixes or names, and the text after them.

    Attributes:
        wrong: why it is not understood; empty if it is.
        start: how many characters of a comment come before it.
    """

    codes: tuple[str, ...] = ()
    text: str = ""
    wrong: str = ""
    start: int = 0


def of_comment(text: str) -> Written | None:
    """The suppression in a comment, which begins at its `#` and may follow other words; None if there is none."""
    match = _COMMENT().search(text)
    if match is None:
        return Written(wrong=_no_suppression(text)) if _ALMOST().match(text) else None
    codes = _codes(match["codes"] or "")
    if match["word"] != "ignore" or not codes:
        # a sentence that merely names the program is none
        return Written(wrong=_no_suppression(match[0]), start=match.start()) if match.start() == 0 else None
    return Written(codes, match["reason"].strip(), start=match.start())


def of_annotation(text: str) -> Iterator[Written]:
    """Yield the suppressions in an annotation: one on each line, or several separated by semicolons.

    A line may begin with a dash; a line without a code continues the previous one.
    """
    for entry in _entries(text):
        codes, _, reason = entry.partition(":")
        yield Written(_codes(codes), reason.strip())


def _entries(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    listed = bool(lines) and _DASH().match(lines[0]) is not None
    if listed:
        # a folded text has its list on one line
        lines = [part for line in lines for part in _unfolded(line)]
    joined: list[str] = []
    for line in lines:
        begins = _DASH().match(line) if listed else _ENTRY().match(line.strip())
        if begins is not None or not joined:
            joined.append(line[begins.end() :].strip() if listed and begins is not None else line.strip())
        else:
            joined[-1] += f" {line.strip()}"
    return (part.strip() for line in joined for part in line.split(";") if part.strip())


def _unfolded(line: str) -> Iterator[str]:
    """Yield the entries of a list on one line: each begins at a dash before a code and a colon, with no `;` between."""
    start = 0
    found = list(_FOLDED().finditer(line))
    followed = ""
    cuts = []
    for one in reversed(found):
        if one[0] in (";", ":"):
            followed = one[0]
        elif followed == ":":
            cuts.append(one.start())
    for cut in reversed(cuts):
        if line[:cut].strip():
            yield line[start:cut].rstrip()
            start = cut
    yield line[start:]


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())


def _no_suppression(text: str) -> str:
    return f'"{text}" is no suppression; write "# kubelint-gpu: ignore[KLG101] reason"'
