"""What is applied together, and to which clusters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Reading
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.elsewhere import Elsewhere
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.kustomizations import Renders
from kubelint_gpu.workspace.project.worlds import Worlds
from kubelint_gpu.workspace.shared_objects import SHARED, Beside, SharedObjects, are_one, outline

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import ObjectOrigin, Rendition
    from kubelint_gpu.workspace.project.before import Past

UnitChoice = Literal["file", "directory", "all"]
"""Which plain manifests are applied together if the configuration names no unit for them."""

_REFERRED_TO = frozenset((
    "DeviceClass", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "PriorityClass", "ResourceClaim",
    "ResourceClaimTemplate", "RuntimeClass", "Service", "StorageClass",
))  # fmt: skip
"""What others name: where no manifest has it any more it is not missing, unless a whole capture does not show it."""


def sources_of(units: Sequence[ApplySet]) -> tuple[Reading, ...]:
    """The files that units are made of, each once."""
    return tuple({reading.path or reading: reading for unit in units for reading in unit.sources}.values())


class _Common(Value):
    """What the files of one unit have in common: a name of the configuration, a file, or a directory and clusters."""

    name: str | None = None
    file: str = ""
    directory: str = ""
    clusters: tuple[tuple[str, ...], ...] = ()


class _Stands(Value):
    """Where renders and folders stand: the file by which globs know a render, and the clusters that GitOps names."""

    of_renders: Mapping[str, str] = EMPTY
    sent: Mapping[str, tuple[tuple[str, ...], ...]] = EMPTY

    def sent_to(self, path: str) -> tuple[tuple[str, ...], ...]:
        """What objects of GitOps controllers call the clusters of a render, or of the nearest folder of a file."""
        above = (str(folder) for folder in PurePath(path).parents) if self.sent else ()
        return next((self.sent[one] for one in (path, *above) if one in self.sent), ())


class Grouping:
    """What is applied together, and to which clusters."""

    def __init__(
        self, settings: Configuration, worlds: Worlds, inventories: tuple[str, ...], *, unit: UnitChoice
    ) -> None:
        self._settings = settings
        self._worlds = worlds
        self._inventories = inventories
        self._unit = unit

    def units(
        self,
        readings: Sequence[Reading],
        past: Past | None,
        built: Renders,
        context: Sequence[Manifest],
        others: Sequence[Reading] = (),
        elsewhere: Sequence[Reading] = (),
    ) -> Iterator[ApplySet]:
        """A unit for each group of files and each cluster that it goes to.

        `others` only declare classes for them, and `elsewhere` what else decides about files of other directories.
        """
        origins = {one.path: one.origins for one in built.rendered}
        stands = _Stands({one.path: one.known_as for one in built.rendered}, built.sent)
        shared = _shared((*readings, *others), built, origins)
        changes = Changes(past, readings, context) if past is not None else None
        groups = [
            (name, members, self._clusters(sorted(one.path for one in members), stands))
            for name, members in self._groups(readings, stands)
        ]
        seen = self._elsewhere(groups, elsewhere, built.rendered)
        for number, (name, members, clusters) in enumerate(groups):
            mine = {reading.path for reading in members}
            old = changes.before(mine) if changes is not None else {}
            rendered = [one for one in built.rendered if one.path in mine]
            read = mine.union(*([source.path for source in one.sources] for one in rendered if built.followed))
            beside = Beside(shared, frozenset(mine))
            neighbours = [one for one in context if one.path not in mine]
            made = changes.made(members) if changes is not None else frozenset()
            for world in clusters:
                found = seen[world].seen_by(number)
                goes = partial(self._goes, unit=name, world=world)
                left = changes.gone(mine, goes) if changes is not None else ()
                gone = [one for one in left if one.workload or (one.kind in _REFERRED_TO and not world.shows_all)]
                yield ApplySet(
                    members,
                    world,
                    beside,
                    old,
                    rendered=rendered,
                    neighbours=(*found.objects, *neighbours),
                    made=made,
                    gone=gone,
                    followed={one: why for one, why in built.followed.items() if one[0] in read},
                    contradictory=found.contradictory,
                )
        for one in built.rendered:
            if one.reading is None:
                for world in self._clusters([one.path], stands):
                    yield ApplySet((), world, rendered=[one])

    def _elsewhere(
        self,
        groups: Sequence[tuple[str | None, Sequence[Reading], Sequence[ClusterContext]]],
        others: Sequence[Reading],
        made: Sequence[Rendition],
    ) -> dict[ClusterContext, Elsewhere]:
        """What the groups and further files that go to a cluster see of each other, by cluster."""
        further = grouped((str(PurePath(one.path).parent), one) for one in others)
        every = [
            *((members, clusters) for _, members, clusters in groups),
            *((members, self._clusters([one.path for one in members])) for members in further.values()),
        ]
        worlds = dict.fromkeys(world for _, clusters in every for world in clusters)
        judged, alone = len(groups), self._unit == "file"
        here = {world: [members if world in clusters else () for members, clusters in every] for world in worlds}
        return {world: Elsewhere(each, made, judged=judged, alone=alone) for world, each in here.items()}

    def _groups(self, readings: Sequence[Reading], stands: _Stands) -> Iterator[tuple[str | None, list[Reading]]]:
        """Yield the files of each unit, and the name that the configuration has for it."""
        groups: dict[_Common, list[Reading]] = {}
        for reading in readings:
            groups.setdefault(self._common(reading.path, stands), []).append(reading)
        for common, members in groups.items():
            if common.directory and not are_one(members):
                yield from ((None, [reading]) for reading in members)
            else:
                yield common.name, members

    def _common(self, path: str, stands: _Stands) -> _Common:
        """Return what a file has in common with those of its unit."""
        name = self._name(stands.of_renders.get(path, path))
        if name is not None:
            return _Common(name)
        if self._unit == "file" or path in stands.of_renders:
            return _Common(file=path)
        return _Common(directory=str(PurePath(path).parent), clusters=self._declared_by(path, stands))

    def _name(self, path: str) -> str | None:
        return "" if self._unit == "all" else self._settings.unit_of(path)

    def _goes(self, path: str, *, unit: str | None, world: ClusterContext) -> bool:
        """Whether a file that is gone would be applied with a unit, to a cluster."""
        return self._name(path) == unit and any(one is world for one in self._clusters([path]))

    def _clusters(self, paths: Sequence[str], stands: _Stands | None = None) -> list[ClusterContext]:
        """The clusters that some files go to, in the order of the configuration."""
        if self._inventories or not self._settings.targets:
            return [self._worlds.world(self._inventories or self._settings.inventory)]
        found = dict.fromkeys(one for path in paths for one in self._declared_by(path, stands or _Stands()))
        return [self._worlds.world(inventories) for inventories in found or ((),)]

    def _declared_by(self, path: str, stands: _Stands) -> tuple[tuple[str, ...], ...]:
        """What declares the clusters of a file or a render; those that objects of GitOps name count before globs."""
        called = stands.sent_to(path) if self._settings.targets else ()
        found = dict.fromkeys(one for names in called for one in self._settings.clusters_called(names))
        return tuple(found) or self._settings.clusters_of(stands.of_renders.get(path, path))


def _shared(
    readings: Sequence[Reading], built: Renders, origins: Mapping[str, tuple[ObjectOrigin | None, ...]]
) -> SharedObjects:
    """The objects that every file may use; the files that hold none of them are not looked at again."""
    made = {one.path: one for one in built.rendered}
    held: list[tuple[str, str]] = []
    holders = []
    for reading in readings:
        found = outline(reading).held
        if found:
            holders.append(reading)
            rendered = made.get(reading.path)
            sources = rendered.sources if rendered is not None else ()
            digests = [one.source.digest for one in sources if one.source is not None]
            held += [(key, digest_of((digest, *digests))) for key, digest in found]
    every = (one for part in (holders,) for one in manifests(part, origins, SHARED))
    return SharedObjects(every, held, (one.path for one in holders))


class Changes:
    """What there was before, beside all that is checked now; `context` are manifests that are deployed beside it."""

    def __init__(self, past: Past, readings: Sequence[Reading], context: Sequence[Manifest]) -> None:
        self._past = past
        self._files = {reading.path for reading in readings}
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
        known = [reading for reading in members if reading.path in self._past.there]
        was = set(self._past.objects.get("", {})).union(*(self._past.there[one.path] for one in known))
        return frozenset(found.object for found in manifests(known)) - was

    def gone(self, paths: Collection[str], goes: Callable[[str], bool]) -> tuple[Manifest, ...]:
        """The objects of some files that no manifest has any more: nothing deletes them.

        With them those of files that are gone; `goes` says whether such a file would belong to them.
        """
        found = {name: one for path in paths for name, one in self._past.objects.get(path, {}).items()}
        for name, (place, one) in self._past.left.items():
            if not place or place in paths or (place not in self._files and goes(place)):
                found[name] = one
        return tuple(one for name, one in sorted(found.items()) if name not in self._here)
