"""Which kustomizations are rendered: those that no other one uses, and within bounds what those use that fail."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.documents import Span

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import Obstacle


AT_ONCE = 8
MOST_OF_ONE = 2_000
MOST_TOGETHER = 20_000
MOST_TIMES = 2
_NAMED = 5


class Fallback:
    """What such renders of one run may still cost; `seconds` is how long one render may take.

    Kustomize compares each object with all others: one render of many objects takes far longer than many of few.
    """

    def __init__(self, seconds: float) -> None:
        self.left_out: list[str] = []
        self._seconds = seconds * MOST_TIMES
        self._objects = 0
        self._ends: float | None = None

    def batches(self, folders: Sequence[str], objects: Callable[[str], int]) -> Iterator[list[str]]:
        """The folders that are rendered, as many at a time as run beside each other; `left_out` grows by the others."""
        at_once = min(AT_ONCE, os.cpu_count() or 1)
        if self._ends is None:
            self._ends = time.monotonic() + self._seconds
        batch: list[str] = []
        for folder in folders:
            count = objects(folder)
            late = time.monotonic() >= self._ends
            if count and (late or count > MOST_OF_ONE or self._objects + count > MOST_TOGETHER):
                self.left_out.append(folder)
                continue
            self._objects += count
            batch.append(folder)
            if len(batch) == at_once:
                yield batch
                batch = []
        if batch:
            yield batch

    def obstacle(self, path: str, span: Span | None, names: Sequence[str]) -> Obstacle:
        """Why these are not rendered, at the place that is the reason for trying them by themselves."""
        from kubelint_gpu.sources.render import Obstacle

        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return Obstacle(
            path,
            span,
            f"what uses it cannot be rendered, and by themselves at most {MOST_OF_ONE} objects of one kustomization, "
            f"{MOST_TOGETHER} together, are rendered, in at most {self._seconds:g} seconds; this leaves out "
            f"{', '.join(names[:_NAMED])}{more}",
        )


def unused_by_others(uses: dict[str, set[str]], components: set[str]) -> list[str]:
    """The folders that no other one uses; components are built only where they are used."""
    used = set().union(*uses.values())
    return sorted(folder for folder in uses if folder not in used and folder not in components)


def first_of_circle(uses: dict[str, set[str]], components: set[str], done: set[str]) -> list[str]:
    """Of folders that use each other the first, which then says so."""
    covered = done.union(*(uses[folder] for folder in done))
    return sorted(set(uses) - covered - components)[:1]
