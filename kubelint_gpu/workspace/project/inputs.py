"""From a command line to units and a world."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.catalogue import INTERNAL
from kubelint_gpu.findings.defect import defect
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.files import SKIMMED
from kubelint_gpu.values import dataclass, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.known_files import KnownFiles
from kubelint_gpu.workspace.project.kustomizations import BuiltKustomizations, KustomizeSettings, render_all
from kubelint_gpu.workspace.project.progress import progress
from kubelint_gpu.workspace.project.shards import Shard, share
from kubelint_gpu.workspace.project.worlds import WhatIf, Worlds
from kubelint_gpu.workspace.shared_objects import SHARED, Beside, SharedObjects, shared_documents

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.sources.kustomize.origin import Origin
    from kubelint_gpu.workspace.project.before import Past
    from kubelint_gpu.workspace.project.comparison import Comparison
    from kubelint_gpu.workspace.project.unit_changes import Changes


@dataclass(frozen=True, slots=True)
class Inputs:
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
    """

    units: tuple[ApplySet, ...]
    world: ClusterContext
    readings: tuple[Reading, ...]
    failed: bool
    worlds: tuple[ClusterContext, ...] = ()
    targets: frozenset[str] | None = None
    beside: tuple[str, ...] = ()
    defects: tuple[Finding, ...] = ()

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
        if self.targets is None or decisive:
            return True
        path = finding.place.path
        return os.path.realpath(path) in self.targets or not os.path.lexists(path)

    def after(self, units: tuple[ApplySet, ...], *, failed: bool) -> Inputs:
        """The same inputs with units that were changed."""
        return replace(self, units=units, readings=sources_of(units), failed=self.failed or failed)


def inputs_of(
    gathered: Gathered,
    inventories: Sequence[str],
    *,
    what_if: WhatIf | None = None,
    together: bool = False,
    against: Comparison | None = None,
    store: Store | None = None,
    shard: Shard | None = None,
) -> Inputs:
    """Manifests and inventories of a run, of files that were gathered; their bytes are dropped as they are read.

    `inventories` stand in place of those that the configuration names.
    Each file is a unit of its own, unless all are applied together or the configuration names a unit for it.
    A kustomization that is rendered is a unit, and the files it is made of are no units.
    A file of the inventory that is merely found in a directory is no manifest.
    `against` says where the manifests are as they were.
    Of all units those of a `shard` are judged, where one is given.
    What `store` has of an earlier run is parsed only where it is asked for.

    Raises:
        click.ClickException: `against` cannot be read.
    """
    settings, paths, built, kustomize = gathered.settings, gathered.paths, gathered.built, gathered.kustomize
    failed = bool(gathered.errors)
    defects = list(built.defects)
    readings = (*_read_all(gathered.files, defects, KnownFiles(store, SKIMMED)), *built.readings)
    past: Past | None = None
    try:
        if against is not None:
            past = _past(against, paths, readings, built, kustomize)
        elif gathered.commit is not None:
            from kubelint_gpu.workspace.project.hook import objects_before

            past = objects_before(gathered.commit, readings, built, kustomize)
    except click.ClickException:
        raise
    except Exception as error:  # noqa: BLE001 - what stands there now is judged by itself
        first = next(map(_path, readings), "")
        defects.append(defect(Place(first, 1, 1, 1, 1), "nothing is compared with what there was before", error))
    worlds = Worlds(
        what_if, several=not inventories and len({one.inventory for one in settings.targets}) > 0, store=store
    )
    grouping = _Grouping(settings, worlds, tuple(inventories), together=together)
    beside = gathered.repository.context()
    units = tuple(grouping.units(readings, past, built, _context(beside, kustomize, defects)))
    withheld = any(one.problems for one in built.rendered) or (gathered.named is None and any(map(_is_chart, readings)))
    nothing = withheld and not any(unit.manifests for unit in units)
    world = units[0].world if units else worlds.world(tuple(inventories) or settings.inventory)
    failed = failed or worlds.failed or bool(built.failure) or nothing or bool(defects)
    if shard is not None:
        units = share(units, shard)
    targets = None
    if gathered.named is not None:
        sources = (_path(reading) for one in built.rendered for reading in one.sources)
        targets = frozenset(os.path.realpath(path) for path in (*gathered.mine, *sources, *inventories))
    return Inputs(units, world, sources_of(units), failed, worlds.all, targets, beside, tuple(defects))


def _past(
    against: Comparison,
    arguments: Sequence[str],
    readings: Sequence[Reading],
    built: BuiltKustomizations,
    settings: KustomizeSettings,
) -> Past:
    from kubelint_gpu.workspace.project.before import objects_of_path, objects_of_revision

    if against.path is not None:
        return objects_of_path(against.path, arguments, readings, settings)
    return objects_of_revision(against.revision, arguments, readings, built, settings)


def _read_all(files: list[SourceFile], defects: list[Finding], known: KnownFiles) -> Iterator[Reading]:
    """The files from the last to the first; each is dropped when it is read."""
    with progress("reading", len(files)) as tell:
        for number in range(1, len(files) + 1):
            file = files.pop()
            tell(number, file.path)
            try:
                reading = known.read(file.path, file.data)
            except Exception as error:  # noqa: BLE001 - one file must not hide what the others have
                defects.append(defect(Place(file.path, 1, 1, 1, 1), "this file is not read", error))
            else:
                yield reading


def _context(paths: Sequence[str], kustomize: KustomizeSettings, defects: list[Finding]) -> tuple[Manifest, ...]:
    """The objects that the configuration says are deployed beside those of a run; of kustomizations as rendered."""
    files = collect(paths).files
    if not files:
        return ()
    built = render_all((), [file.path for file in files], kustomize)
    defects += built.defects
    plain = _read_all([file for file in files if not built.takes(file.path)], defects, KnownFiles(None, SKIMMED))
    return manifests((*plain, *built.readings), {one.path: one.origins for one in built.rendered})


def sources_of(units: Sequence[ApplySet]) -> tuple[Reading, ...]:
    """The files that units are made of, each once."""
    return tuple({_path(reading) or reading: reading for unit in units for reading in unit.sources}.values())


def _changes(past: Past | None, readings: Sequence[Reading], context: Sequence[Manifest]) -> Changes | None:
    if past is None:
        return None
    from kubelint_gpu.workspace.project.unit_changes import Changes

    return Changes(past, readings, context)


class _Grouping:
    """What is applied together, and to which clusters."""

    def __init__(
        self, settings: Configuration, worlds: Worlds, inventories: tuple[str, ...], *, together: bool
    ) -> None:
        self._settings = settings
        self._worlds = worlds
        self._inventories = inventories
        self._together = together

    def units(
        self, readings: Sequence[Reading], past: Past | None, built: BuiltKustomizations, context: Sequence[Manifest]
    ) -> Iterator[ApplySet]:
        """A unit for each group of files and each cluster that it goes to."""
        origins = {one.path: one.origins for one in built.rendered}
        # a kustomization goes where its own file goes
        stands = {one.path: f"{one.path}/kustomization.yaml" for one in built.rendered}
        shared = _shared(readings, built, origins)
        groups: dict[tuple[bool, str], list[Reading]] = {}
        for reading in readings:
            path = _path(reading)
            name = "" if self._together else self._settings.unit_of(stands.get(path, path))
            groups.setdefault((False, path) if name is None else (True, name), []).append(reading)
        changes = _changes(past, readings, context)
        for (named, name), members in groups.items():
            mine = {_path(reading) for reading in members}
            old = changes.before(mine) if changes is not None else {}
            rendered = [one for one in built.rendered if one.path in mine]
            beside = Beside(shared, frozenset(mine))
            neighbours = [found for found in context if found.path not in mine]
            made = changes.made(members) if changes is not None else frozenset()
            for world in self._clusters([stands.get(path, path) for path in sorted(mine)]):
                goes = partial(self._goes, unit=name if named else None, world=world)
                gone = changes.gone(mine, goes) if changes is not None else ()
                yield ApplySet(
                    members, world, beside, old, rendered=rendered, neighbours=neighbours, made=made, gone=gone
                )
        for one in built.rendered:
            if one.reading is None:
                for world in self._clusters([stands[one.path]]):
                    yield ApplySet((), world, rendered=[one])

    def _goes(self, path: str, *, unit: str | None, world: ClusterContext) -> bool:
        """Whether a file that is gone would be applied with a unit, to a cluster."""
        name = "" if self._together else self._settings.unit_of(path)
        return name == unit and any(one is world for one in self._clusters([path]))

    def _clusters(self, paths: Sequence[str]) -> list[ClusterContext]:
        """The clusters that some files go to, in the order of the configuration."""
        if self._inventories or not self._settings.targets:
            return [self._worlds.world(self._inventories or self._settings.inventory)]
        found = dict.fromkeys(one for path in paths for one in self._settings.clusters_of(path))
        return [self._worlds.world(inventories) for inventories in found or ((),)]


def _shared(
    readings: Sequence[Reading], built: BuiltKustomizations, origins: Mapping[str, tuple[Origin | None, ...]]
) -> SharedObjects:
    """The objects that every file may use; the files that hold none of them are not looked at again."""
    made = {one.path: one for one in built.rendered}
    parts: list[str | bytes] = []
    holders = []
    for reading in readings:
        found = shared_documents(reading)
        if found:
            holders.append(reading)
            rendered = made.get(_path(reading))
            sources = rendered.sources if rendered is not None else ()
            parts += [found, *(one.source.digest for one in sources if one.source is not None)]
    return SharedObjects((one for part in (holders,) for one in manifests(part, origins, SHARED)), digest_of(parts))


def _is_chart(reading: Reading) -> bool:
    """Whether it says that a folder is a Helm chart, whose templates are not rendered here."""
    return os.path.basename(_path(reading)) == "Chart.yaml"  # noqa: PTH119 - text, and often


def _path(reading: Reading) -> str:
    return reading.source.path if reading.source is not None else ""
