"""A file of which enough is known to parse it only when its documents are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubelint_gpu.documents import Document, Problem, Reading, SourceText


class Deferred(Reading):
    """A reading without problems; `read` gives it when more is asked for than its text and sizes.

    `about` is what else is known of it, in the words of who has kept it.
    """

    __slots__ = ("_count", "_found", "_read", "about", "size")

    _count: int
    _found: list[Reading]
    _read: Callable[[SourceText], Reading]
    about: tuple[Any, ...]
    size: int

    def __new__(cls, *_: object) -> Deferred:  # noqa: PYI034 - it has no further subclasses
        """One that is filled in below, and not with the attributes of a reading."""
        return object.__new__(cls)

    def __init__(
        self, source: SourceText, count: int, size: int, about: tuple[Any, ...], read: Callable[[SourceText], Reading]
    ) -> None:
        given = {"source": source, "_count": count, "size": size, "about": about, "_read": read, "_found": []}
        # it is as immutable as what it stands for
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @property
    def count(self) -> int:
        """How many documents there are."""
        return self._count

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, parsed now."""
        return self._whole.documents

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None: what has problems is not deferred."""
        return ()

    @property
    def hashes(self) -> tuple[tuple[int, int], ...]:
        """Offsets of what holds a `#` and is no comment, parsed now."""
        return self._whole.hashes

    @property
    def unread(self) -> tuple[tuple[int, int], ...]:
        """Offsets of what was skimmed, parsed now."""
        return self._whole.unread

    @property
    def _whole(self) -> Reading:
        if not self._found:
            assert self.source is not None  # noqa: S101 - it was given
            self._found.append(self._read(self.source))
        return self._found[0]
