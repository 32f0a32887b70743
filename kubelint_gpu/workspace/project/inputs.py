"""From a command line to units and a world, and remarks on what was judged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.defect import defect
from kubelint_gpu.findings.finding import INTERNAL, Finding, Place
from kubelint_gpu.inventory.loading import KIND
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.messages.wording import FEW, foremost, owner_name, owner_names
from kubelint_gpu.sources.checkout import is_chart
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.grouping import Grouping, UnitChoice, sources_of
from kubelint_gpu.workspace.project.known_configurations import context_of, read_all
from kubelint_gpu.workspace.project.worlds import WhatIf, Worlds
from kubelint_gpu.workspace.shared_objects import outline

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.workspace.project.before import Past
    from kubelint_gpu.workspace.project.comparison import Comparison


class Inputs(Value):
    """What a run reads.

    Attributes:
        units: what is judged, each for one cluster.
        world: the cluster of the first.
        readings: the files that they are made of.
        failed: some path gave nothing.
        worlds: every cluster.
        targets: real paths of the files that a finding must stand in to be reported; None where any will do.
        beside: further files that are read, and not judged.
        defects: what could not be read or rendered for a defect of this program.
        remarks: sentences about what was judged.
    """

    units: tuple[ApplySet, ...]
    world: ClusterContext
    readings: tuple[Reading, ...]
    failed: bool
    worlds: tuple[ClusterContext, ...] = ()
    targets: frozenset[str] | None = None
    beside: tuple[str, ...] = ()
    defects: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether every cluster that was declared can be judged by."""
        return all(world.inventory is None or world.usable for world in self.worlds)

    @property
    def every(self) -> tuple[Reading, ...]:
        """The files of the manifests and of the inventories."""
        return (*self.readings, *(reading for world in self.worlds for reading in world.readings))

    def reports(self, finding: Finding) -> bool:
        """Whether a finding is one of this call: what stands in no target is another's, unless all depends on it."""
        decisive = finding.code == INTERNAL or (finding.code.startswith("KLG6") and finding.severity == "error")
        path = os.path.realpath(finding.place.path)
        if self.targets is None or decisive:
            return decisive or path not in map(os.path.realpath, self.beside)
        return path in self.targets or not os.path.lexists(finding.place.path)

    def after(self, units: tuple[ApplySet, ...], *, failed: bool) -> Inputs:
        """The same inputs with units that were changed."""
        return replace(self, units=units, readings=sources_of(units), failed=self.failed or failed)


def inputs_of(
    gathered: Gathered,
    inventories: Sequence[str],
    *,
    what_if: WhatIf | None = None,
    unit: UnitChoice = "directory",
    against: Comparison | None = None,
    store: Store | None = None,
) -> Inputs:
    """Manifests and inventories of a run, of files that were gathered; their bytes are dropped as they are read.

    `inventories` stand in place of those that the configuration names.
    `unit` says which plain manifests are applied together if the configuration names no unit for them.
    A kustomization that is rendered is a unit, and the files it is made of are no units.
    A file of the inventory that is merely found in a directory is no manifest.
    `against` says where the manifests are as they were.
    What `store` has of an earlier run is parsed only where it is asked for.

    Raises:
        click.ClickException: `against` cannot be read.
    """
    settings, paths, built, kustomize = gathered.settings, gathered.paths, gathered.built, gathered.kustomize
    declare_rows(settings.kinds)
    failed = bool(gathered.errors)
    defects = list(built.defects)
    readings = (*read_all(gathered.files, defects, store), *built.readings)
    past: Past | None = None
    try:
        if against is not None:
            from kubelint_gpu.workspace.project.before import past_of

            past = past_of(against, paths, readings, built, kustomize)
        elif gathered.commit is not None:
            from kubelint_gpu.workspace.project.before import objects_before

            past = objects_before(gathered.commit, readings, built)
    except click.ClickException:
        raise
    except Exception as error:  # noqa: BLE001 - what stands there now is judged by itself
        first = next((one.path for one in readings), "")
        defects.append(defect(Place(first, 1, 1, 1, 1), "nothing is compared with what there was before", error))
    worlds = Worlds(
        what_if, several=not inventories and len({one.inventory for one in settings.targets}) > 0, store=store
    )
    grouping = Grouping(settings, worlds, tuple(inventories), unit=unit)
    beside = gathered.repository.context()
    others = tuple(read_all(gathered.beside, defects, store))
    elsewhere = tuple(read_all(gathered.elsewhere, defects, store))
    read = (*beside, *(one.path for one in (*others, *elsewhere)))
    context = context_of(beside, kustomize, defects)
    units = tuple(grouping.units(readings, past, built, context, others, elsewhere))
    withheld = any(one.problems for one in built.rendered) or (
        gathered.named is None and any(is_chart(one.path) for one in readings)
    )
    nothing = withheld and not any(unit.manifests for unit in units)
    world = units[0].world if units else worlds.world(tuple(inventories) or settings.inventory)
    failed = failed or worlds.failed or bool(built.failure) or nothing or bool(defects)
    targets = None
    if gathered.named is not None:
        sources = (reading.path for one in built.rendered for reading in one.sources)
        targets = frozenset(os.path.realpath(path) for path in (*gathered.mine, *sources, *inventories))
    remarks = remarks_on(gathered, units)
    return Inputs(units, world, sources_of(units), failed, worlds.all, targets, read, tuple(defects), remarks)


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
