"""What a run says of its inputs as a whole: what it counts, and what it judged otherwise than a reader may think."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

from kubelint_gpu.documents import Reading
from kubelint_gpu.inventory.loading import KIND
from kubelint_gpu.messages.wording import FEW, foremost, owner_name, owner_names
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.grouping import sources_of
from kubelint_gpu.workspace.shared_objects import outline

if TYPE_CHECKING:
    from kubelint_gpu.workspace.project.gathering import Gathered


def remarks_on(gathered: Gathered, units: Sequence[ApplySet]) -> tuple[str, ...]:
    """Return sentences about the files that were gathered, and about the units that were made of them."""
    return (*_unrendered(gathered.unrendered), *_contradictory(units))


def _unrendered(paths: Sequence[str]) -> Iterator[str]:
    if paths:
        be, them, stands = ("is", "it", "it stands") if len(paths) == 1 else ("are", "them", "they stand")
        why = f"no kustomization around {them} or in git takes {them} in"
        yield f"{foremost(paths)} {be} judged as {stands}: {why}."


def _contradictory(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each of a few objects that do not count, or one for many."""
    found = sorted({one for unit in units for one in unit.contradictory})
    if len(found) > FEW:
        names = [name for name, _ in found]
        yield f"{owner_names(names)} are declared differently in several files: none counts for other directories."
        return
    for name, paths in found:
        none = "neither" if len(paths) == 2 else "none"
        yield f"{owner_name(name)} is declared differently in {foremost(paths)}: {none} counts for other directories."


def counted_in(units: Sequence[ApplySet]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the files of units, and the names of these. What declares a cluster or settings and no object is none."""
    readings = tuple(one for one in sources_of(units) if not _is_setting(one))
    paths = {one.path for one in readings}
    mine = (unit for unit in units if any(one.path in paths for one in unit.sources))
    return readings, tuple({tuple(one.path for one in unit.sources): _name(unit) for unit in mine}.values())


def _is_setting(reading: Reading) -> bool:
    return PurePath(reading.path).name == NAME or (KIND in reading.text and not outline(reading).objects)


def _name(unit: ApplySet) -> str:
    """Return what a unit is called: its kustomization or chart, its file, or the folder of all its files with a `/`."""
    if len(unit.rendered) == len(unit.readings) == 1 or not unit.readings:
        return unit.rendered[0].path if unit.rendered else ""
    if len(unit.readings) == 1:
        return unit.readings[0].path
    folders = zip(*(PurePath(one.path).parent.parts for one in unit.readings), strict=False)
    folder = PurePath(*(each[0] for each in takewhile(lambda parts: len(set(parts)) == 1, folders)))
    return f"{folder.as_posix()}/"
