"""Counts the size of a file and collects its problems while it is read."""

from __future__ import annotations

from msgspec import Struct, field

MAX_EXPANSION = 200_000
"""How many values the aliases and merge keys of a file may repeat."""
MAX_SIZE = 3_000_000
"""How much a file may hold, so that it takes less than a gigabyte: a scalar counts 1, what costs more counts more."""
MOST_TOGETHER = 5_000_000
"""How much the files of a run may hold together, in the same units: some thirty thousand ordinary manifests."""
COLLECTION = 3
DOCUMENT = 10
MOST_COMPLAINTS = 1_000
TOO_MUCH = f"the file holds more than {MAX_SIZE:,} values, the most that is read; split it"

TOO_MUCH_TOGETHER = (
    f"the files of this run hold more than {MOST_TOGETHER:,} values together, the most that is read; this one is left "
    "out: check fewer paths at a time"
)


class Unreadable(Exception):  # noqa: N818 - it says what the document is
    """The rest of the document has no meaning.

    Args:
        start: offset of the place.
        end: offset behind it.
        message: the error and its remedy.
    """

    def __init__(self, start: int, end: int, message: str) -> None:
        super().__init__(message)
        self.start = start
        self.end = end
        self.message = message


class TooMuch(Unreadable):
    """The file exceeds a limit."""


class Ledger(Struct):
    """The counts and problems over all documents of a file.

    `expanded` counts the nodes that aliases repeat, and the entries that merge keys add. `left` is how much more may be
    read. `complaints` are (start, end, message, related) with related as (start, end, message). `hashes` are offsets of
    scalars, anchors and tags that contain a `#`.
    """

    expanded: int = 0
    left: int = MAX_SIZE
    complaints: list[tuple[int, int, str, tuple[tuple[int, int, str], ...]]] = field(default_factory=list)
    hashes: list[tuple[int, int]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)

    def complain(self, start: int, end: int, message: str, *related: tuple[int, int, str]) -> None:
        """Add a problem; only the first ones of a file are kept."""
        if len(self.complaints) < MOST_COMPLAINTS:
            self.complaints.append((start, end, message, related))
        elif len(self.complaints) == MOST_COMPLAINTS:
            message = f"more than {MOST_COMPLAINTS} things are wrong with this file; the others are not told"
            self.complaints.append((start, end, message, ()))
