"""Pages of rules for a terminal: emphasized headings, wrapped prose and tables, unchanged code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.messages.display import cells
from kubelint_gpu.patterns import pattern
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.theme import LEAST_WIDTH, Theme, theme_of

_FENCE = "```"
_MARGIN = "    "
_ITEM = pattern(r"(?P<mark>[-*]|\d+\.) +(?P<text>(?:[^ ].*)?)")
_LINK = pattern(r"\[([^\[\]]+)\]\(([^)\s]+)\)")
_BOLD = pattern(r"\*\*([^*]+)\*\*")
_ESCAPED = pattern(r"\\([\\*_|`<>])")
_CELL = pattern(r"(?<!\\)\|")
_DIVIDER = pattern(r"[|:\- ]+")
_GAP = "  "


def page(text: str, options: Options) -> Iterator[str]:
    """Yield the lines of a Markdown page, each with its line end."""
    theme = theme_of(options)
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(_FENCE):
            at += 1
            while at < len(lines) and not lines[at].startswith(_FENCE):
                yield f"{_MARGIN}{theme.show(lines[at])}".rstrip() + "\n"
                at += 1
            at += 1
        elif line.startswith("#"):
            yield theme.paint("bold", theme.show(_plain(line.lstrip("# ")))) + "\n"
            at += 1
        elif line.startswith("|"):
            end = _end(lines, at, "|")
            yield from _table(
                [
                    [cell.strip() for cell in _CELL().split(row.strip().strip("|"))]
                    for row in lines[at:end]
                    if not _DIVIDER().fullmatch(row)
                ],
                theme,
            )
            at = end
        elif line.strip():
            end = at + 1
            while end < len(lines) and _continues(lines[end]):
                end += 1
            yield from _paragraph(" ".join(part.strip() for part in lines[at:end]), theme)
            at = end
        else:
            yield "\n"
            at += 1


def _paragraph(text: str, theme: Theme) -> Iterator[str]:
    item = _ITEM().fullmatch(text)
    mark = f"{item['mark'] if item['mark'][0].isdigit() else theme.bullet} " if item else ""
    shown = theme.show(_plain(item["text"] if item else text))
    size = cells(mark)
    for number, line in enumerate(theme.wrap(shown, first=size, hang=size)):
        yield f"{' ' * size if number else mark}{line}\n"


def _table(rows: Sequence[Sequence[str]], theme: Theme) -> Iterator[str]:
    """Yield columns side by side, the last one wrapped; if they do not fit, a paragraph for each row."""
    count = max(len(row) for row in rows)
    full = [[theme.show(_plain(cell)) for cell in (*row, *[""] * (count - len(row)))] for row in rows]
    sizes = [max(cells(row[column]) for row in full) for column in range(count)]
    before = sum(size + len(_GAP) for size in sizes[:-1])
    if theme.width - before < LEAST_WIDTH:
        for row in full[1:]:
            yield from _paragraph("- " + ": ".join(cell for cell in row if cell), theme)
        return
    for number, row in enumerate(full):
        start = "".join(f"{cell}{' ' * (size - cells(cell))}{_GAP}" for cell, size in zip(row, sizes, strict=False))
        start = start[: len(start) - len(row[-1]) - (sizes[-1] - cells(row[-1])) - len(_GAP)]
        for index, part in enumerate(theme.wrap(row[-1], first=before, hang=before)):
            line = f"{' ' * before if index else start}{part}".rstrip()
            yield (line if number else theme.paint("bold", line)) + "\n"


def _continues(line: str) -> bool:
    """Whether a line belongs to the paragraph or list item above it."""
    return bool(line.strip()) and not line.startswith(("#", "|", _FENCE)) and _ITEM().fullmatch(line) is None


def _end(lines: Sequence[str], at: int, start: str) -> int:
    while at < len(lines) and lines[at].startswith(start):
        at += 1
    return at


def _plain(text: str) -> str:
    """Return prose without Markdown marks; links to other sites keep their address."""
    text = _LINK().sub(lambda found: f"{found[1]} ({found[2]})" if "://" in found[2] else found[1], text)
    return _ESCAPED().sub(r"\1", _BOLD().sub(r"\1", text))
