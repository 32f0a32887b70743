"""A file of which enough is known to parse it only when its documents are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubelint_gpu.documents import Reading, SourceText

_PARSED = ("documents", "hashes", "unread")


class Deferred(Reading):
    """A reading without problems. It calls `read` at the first use of `documents`, `hashes` or `unread`.

    `about` is what else is known of it, in the words of who has kept it.
    """

    def __init__(
        self, source: SourceText, count: int, size: int, about: tuple[Any, ...], read: Callable[[SourceText], Reading]
    ) -> None:
        self.source: SourceText = source
        self.problems = ()
        self.size = size
        self.about = about
        self._count = count
        self._read = read

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that only the parsed file has; Python calls this once for all three."""
        if name not in _PARSED:
            raise AttributeError(name)
        whole = self._read(self.source)
        self.documents, self.hashes, self.unread = whole.documents, whole.hashes, whole.unread
        return getattr(self, name)

    @property
    def count(self) -> int:
        """How many documents there are."""
        return self._count
