"""What changes for one unit: how its objects were, which are new, and which no manifest has any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.workspace.manifest import Manifest, manifests

if TYPE_CHECKING:
    from kubelint_gpu.documents import Reading
    from kubelint_gpu.workspace.project.before import Past


class Changes:
    """What there was before, beside all that is checked now; `context` are manifests that are deployed beside it."""

    def __init__(self, past: Past, readings: Sequence[Reading], context: Sequence[Manifest]) -> None:
        self._past = past
        self._files = {_path(reading) for reading in readings}
        self._here = {found.object for found in (*manifests(readings), *context)}

    def before(self, paths: Collection[str]) -> dict[str, Manifest]:
        """The objects of some files as they were, and those that may have moved there."""
        found = dict(self._past.objects.get("", {}))
        for path in sorted(paths):
            found |= self._past.objects.get(path, {})
        return found

    def made(self, members: Sequence[Reading]) -> frozenset[str]:
        """The objects of some files that are known not to have been.

        A file or a kustomization that could not be read as it was says nothing of what is new in it.
        """
        known = [reading for reading in members if _path(reading) in self._past.there]
        was = set(self._past.objects.get("", {})).union(*(self._past.there[_path(one)] for one in known))
        return frozenset(found.object for found in manifests(known)) - was

    def gone(self, paths: Collection[str], goes: Callable[[str], bool]) -> tuple[Manifest, ...]:
        """The workloads of some files that no manifest has any more: nothing deletes them.

        With them those of files that are gone; `goes` says whether such a file would belong to them.
        """
        found = {name: one for path in paths for name, one in self._past.objects.get(path, {}).items()}
        for name, (place, one) in self._past.left.items():
            if not place or place in paths or (place not in self._files and goes(place)):
                found[name] = one
        return tuple(one for name, one in sorted(found.items()) if name not in self._here and one.workload is not None)


def _path(reading: Reading) -> str:
    return reading.source.path if reading.source is not None else ""
