"""What the reader complains of in files that declare a cluster: within an object it costs this object alone."""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.inventory import InventoryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubelint_gpu.documents import Item, Pointer, Reading


class Misreadings:
    """Complaints of the reader (a key that is there twice, a value that its tag contradicts), by file and offset."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._left: dict[str, list[tuple[int, InventoryError]]] = {}
        for reading in readings:
            for problem in reading.problems:
                related = tuple((problem.path, span, sentence) for span, sentence in problem.related)
                error = InventoryError(problem.path, problem.span, problem.message, related=related)
                place = problem.span.start if problem.span is not None else -1
                self._left.setdefault(problem.path, []).append((place, error))
        for errors in self._left.values():
            errors.sort(key=itemgetter(0))

    def take(self, item: Item, pointer: Pointer = ()) -> list[InventoryError]:
        """The complaints about what stands in an object, or at a pointer of it; each is given once."""
        errors = self._left.get(item.document.source.path)
        node = item.document.node(item.pointer + pointer) if errors else None
        if not errors or node is None:
            return []
        first, end = bisect_left(errors, node[0], key=itemgetter(0)), bisect_left(errors, node[1], key=itemgetter(0))
        taken, errors[first:end] = errors[first:end], []
        return [error for _, error in taken]

    def left(self) -> list[InventoryError]:
        """The complaints that are about no object."""
        return [error for errors in self._left.values() for _, error in errors]
