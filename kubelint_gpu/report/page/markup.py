"""HTML in pieces; text from a file is always escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kubelint_gpu.findings.picture import Row
from kubelint_gpu.messages.display import visible

_MOST_NAMES = 6
LONGEST = 1_500
"""Characters of one text that are shown; the rest is said to be left out."""


def text(found: str, longest: int = LONGEST) -> str:
    """Return text for an element or a quoted attribute: markup escaped, control and direction characters visible."""
    cut = found if len(found) <= longest else f"{found[:longest]} … ({len(found) - longest} more characters)"
    return escape(visible(cut), quote=True)


def source(found: str) -> str:
    """Return a part of a line of a file, with tabs as four spaces."""
    return escape("    ".join(visible(part) for part in found.split("\t")), quote=True)


def link(url: str, label: str) -> str:
    """Return a link to a web page; for any other address only the label."""
    if not url.startswith(("https://", "http://")):
        return label
    return f'<a href="{text(url)}" rel="noreferrer">{label}</a>'


def counted(count: int, word: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def some(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def sentence(found: str) -> str:
    """Return the sentence with a capital letter, unless it begins with a name such as maxSurge."""
    first = found.partition(" ")[0].rstrip(",:;")
    return found[:1].upper() + found[1:] if first.isalpha() and first.islower() else found


def unit(row: Row) -> str:
    """Return the unit of a row as findings call it: `nvidia.com/gpu`, `memory`."""
    if not row.devices:
        return row.name
    shares = row.name == "GPU share" and not row.resource.endswith(".shared")
    return f"{row.resource} (shares)" if shares else row.resource
