"""From a command line to units and a world, and remarks on what was judged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from kubelint_gpu.documents import HELM, Reading
from kubelint_gpu.findings.finding import INTERNAL, Finding, Place, defect
from kubelint_gpu.inventory.loading import KIND
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.sources.files import is_in_chart
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.grouping import Grouping, UnitChoice, sources_of
from kubelint_gpu.workspace.project.known_configurations import context_of, read_all
from kubelint_gpu.workspace.project.remarks import remarks_on
from kubelint_gpu.workspace.project.worlds import WhatIf, Worlds
from kubelint_gpu.workspace.shared_objects import outline

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.workspace.project.before import Past
    from kubelint_gpu.workspace.project.comparison import Comparison


class Inputs(Value):
    """The inputs of a run.

    Attributes:
        units: the judged units, each for one cluster.
        world: the cluster of the first unit.
        readings: the files of the units.
        failed: some path gave nothing.
        worlds: every cluster.
        targets: real paths of the files whose findings are reported; None for all files.
        beside: further files that are read and not judged.
        defects: findings about files that a defect of this program kept from being read or rendered.
        remarks: sentences about the judged files.
        decided: files that are no targets, but of which is reported what targets decide.
        others: files of other directories that decide about the units.
        helm: the version of the program that rendered charts; empty if none were rendered.
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
    decided: tuple[str, ...] = ()
    others: tuple[Reading, ...] = ()
    helm: str = ""

    @property
    def usable(self) -> bool:
        """Whether every declared cluster is usable."""
        return all(world.inventory is None or world.usable for world in self.worlds)

    @property
    def every(self) -> tuple[Reading, ...]:
        """The files of the manifests, those that decide about them, and the inventories."""
        return (*self.readings, *self.others, *(reading for world in self.worlds for reading in world.readings))

    def reports(self, finding: Finding) -> bool:
        """Whether to report a finding: its file is a target, or all other findings depend on it."""
        decisive = finding.code == INTERNAL or (finding.code.startswith("KLG6") and finding.severity == "error")
        path = os.path.realpath(finding.place.path)
        if self.targets is None or decisive:
            return decisive or path not in map(os.path.realpath, self.beside)
        decided = finding.place.path in self.decided and finding.severity != "note"
        named = any(os.path.realpath(one.place.path) in self.targets for one in finding.related)
        # of an unchanged workload, later is what a deletion changes
        caused = decided and (named or finding.moment == "later")
        return path in self.targets or caused or not os.path.lexists(finding.place.path)

    def after(self, units: tuple[ApplySet, ...], *, failed: bool) -> Inputs:
        """Return the same inputs with changed units."""
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
    """Read the manifests and inventories of a run from the gathered files. Their bytes are dropped as they are read.

    `inventories` replace those of the configuration. `unit` says which plain manifests are applied together if the
    configuration names no unit for them. A rendered kustomization is a unit; its source files are not. A file of the
    inventory in a directory is no manifest. `against` names the earlier state. Results in `store` are parsed only if
    they are needed.

    Raises:
        click.ClickException: `against` cannot be read, or standard input is a Helm template.
    """
    settings, paths, built, kustomize = gathered.settings, gathered.paths, gathered.built, gathered.kustomize
    declare_rows(settings.kinds)
    failed = bool(gathered.errors)
    defects = list(built.defects)
    readings = (*read_all(gathered.files, defects, store), *built.readings)
    _refuse_templates(readings, gathered.pipe)
    past: Past | None = None
    try:
        if against is not None:
            from kubelint_gpu.workspace.project.before import past_of

            past = past_of(against, paths, readings, built, kustomize)
        elif gathered.commit is not None:
            from kubelint_gpu.workspace.project.before import objects_before

            past = objects_before(gathered.commit, readings, built, gathered.mine)
    except click.ClickException:
        raise
    except Exception as error:  # noqa: BLE001 - the present state is judged alone
        first = next((reading.path for reading in readings), "")
        defects.append(defect(Place(first, 1, 1, 1, 1), "nothing is compared with what there was before", error))
    worlds = Worlds(
        what_if, several=not inventories and len({target.inventory for target in settings.targets}) > 0, store=store
    )
    grouping = Grouping(settings, worlds, tuple(inventories), unit=unit)
    beside = gathered.repository.context()
    classes = tuple(read_all(gathered.beside, defects, store))
    elsewhere = tuple(read_all(gathered.elsewhere, defects, store))
    others = (*classes, *elsewhere)
    read = (*beside, *(reading.path for reading in others))
    context = context_of(beside, kustomize, defects)
    units = tuple(grouping.units(readings, past, built, context, classes, elsewhere))
    # a note about a chart fails no run, as little as other notes do
    unread = any(one.what != "chart" or not each.withheld for one in built.rendered for each in one.problems)
    nothing = unread and not any(unit.manifests for unit in units)
    nothing = nothing or bool(built.charts.failure and kustomize.helm.program)
    world = units[0].world if units else worlds.world(tuple(inventories) or settings.inventory)
    failed = failed or worlds.failed or bool(built.failure) or nothing or bool(defects)
    targets = None
    if gathered.named is not None:
        sources = (reading.path for rendition in built.rendered for reading in rendition.sources)
        targets = frozenset(
            os.path.realpath(path) for path in (*gathered.mine, *sources, *built.charts.written, *inventories)
        )
    remarks = remarks_on(gathered, units, unit)
    inputs = Inputs(units, world, sources_of(units), failed, worlds.all, targets, read, tuple(defects), remarks)
    return replace(inputs, decided=gathered.decided, others=others, helm=built.charts.helm)


def _refuse_templates(readings: Sequence[Reading], pipe: str) -> None:
    for problem in (one for reading in readings if pipe for one in reading.problems):
        if problem.path == pipe and problem.message == HELM and problem.span and not is_in_chart(pipe):
            raise click.UsageError(f"{pipe}:{problem.span.line}: {HELM}")


def counted_in(units: Sequence[ApplySet]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the files and the names of units. Files that only declare a cluster or settings do not count."""
    readings = tuple(reading for reading in sources_of(units) if not _is_setting(reading))
    paths = {reading.path for reading in readings}
    mine = (unit for unit in units if any(source.path in paths for source in unit.sources))
    return readings, tuple({tuple(source.path for source in unit.sources): _name(unit) for unit in mine}.values())


def _is_setting(reading: Reading) -> bool:
    if KIND not in reading.text:
        name = PurePath(reading.path).name
        return name == NAME or (name.startswith(".") and "kind" not in reading.text)
    return all(name.startswith(f"{KIND}/") for name in outline(reading).objects)


def _name(unit: ApplySet) -> str:
    """Return the name of a unit: its kustomization or chart, its file, or the folder of all its files with a `/`."""
    if len(unit.rendered) == len(unit.readings) == 1 or not unit.readings:
        return unit.rendered[0].path if unit.rendered else ""
    if len(unit.readings) == 1:
        return unit.readings[0].path
    folders = zip(*(PurePath(reading.path).parent.parts for reading in unit.readings), strict=False)
    folder = PurePath(*(each[0] for each in takewhile(lambda parts: len(set(parts)) == 1, folders)))
    return f"{folder.as_posix()}/"
