"""HTML in pieces; whatever comes from a file is text and stays text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kubelint_gpu.findings.picture import Row
from kubelint_gpu.messages.display import visible

_MOST_NAMES = 6
LONGEST = 1_500
"""Characters of one text that are shown; the rest is said to be left out."""


def text(found: str, longest: int = LONGEST) -> str:
    """Text for an element or a quoted attribute: control and direction characters written out, markup escaped."""
    cut = found if len(found) <= longest else f"{found[:longest]} … ({len(found) - longest} more characters)"
    return escape(visible(cut), quote=True)


def source(found: str) -> str:
    """A part of a line of a file: tabs are four spaces."""
    return escape("    ".join(visible(part) for part in found.split("\t")), quote=True)


def link(url: str, label: str) -> str:
    """A link to a page of the web; any other address is left out."""
    if not url.startswith(("https://", "http://")):
        return label
    return f'<a href="{text(url)}" rel="noreferrer">{label}</a>'


def counted(count: int, word: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def some(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def sentence(found: str) -> str:
    """Begins with a capital, as all else on the page, unless it begins with a name such as maxSurge."""
    first = found.partition(" ")[0].rstrip(",:;")
    return found[:1].upper() + found[1:] if first.isalpha() and first.islower() else found


def unit(row: Row) -> str:
    """What a node has so many of, devices by the name that findings call them: `nvidia.com/gpu`, `memory`."""
    if not row.devices:
        return row.name
    shares = row.name == "GPU share" and not row.resource.endswith(".shared")
    return f"{row.resource} (shares)" if shares else row.resource
