"""Groups files into units: which files are applied together, and to which clusters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
"""Kinds that other objects name. A deleted object still exists, unless a whole capture does not show it."""


def sources_of(units: Sequence[ApplySet]) -> tuple[Reading, ...]:
    """Return the source files of units, each once."""
    return tuple({reading.path or reading: reading for unit in units for reading in unit.sources}.values())


class _Common(Value):
    """The common key of the files of a unit: a name of the configuration, a file, or a directory with its clusters."""

    name: str | None = None
    file: str = ""
    directory: str = ""
    clusters: tuple[tuple[str, ...], ...] = ()


class _Stands(Value):
    """Facts about renders and folders: the file that globs match, the clusters of GitOps, the unit, the first file."""

    of_renders: Mapping[str, str] = EMPTY
    sent: Mapping[str, tuple[tuple[str, ...], ...]] = EMPTY
    units: Mapping[str, str] = EMPTY
    tops: Mapping[str, str] = EMPTY

    @classmethod
    def of(cls, built: Renders) -> _Stands:
        """The facts about the renders of a run."""
        known = {each.path: each.known_as for each in built.rendered}
        return cls(known, built.sent, built.charts.units, {each.path: each.top.reading.path for each in built.rendered})

    def sent_to(self, path: str) -> tuple[tuple[str, ...], ...]:
        """Return the names of the clusters that GitOps objects give a render, or the nearest folder of a file."""
        above = (str(folder) for folder in PurePath(path).parents) if self.sent else ()
        return next((self.sent[place] for place in (path, *above) if place in self.sent), ())


class Grouping:
    """Makes units of files, by the configuration and the command line."""

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
        """Yield a unit for each group of files and each of its clusters.

        `others` only declare classes for the units. `elsewhere` has other objects that affect files of other folders.
        """
        origins = built.origins
        stands = _Stands.of(built)
        shared = _shared((*readings, *others), built, origins)
        changes = Changes(past, readings, built, context) if past is not None else None
        groups = [
            (name, members, self._clusters(sorted(member.path for member in members), stands))
            for name, members in self._groups(readings, stands)
        ]
        seen = self._elsewhere(groups, elsewhere, built.rendered)
        for number, (name, members, clusters) in enumerate(groups):
            mine = {reading.path for reading in members}
            old = changes.before(mine) if changes is not None else {}
            rendered = [rendition for rendition in built.rendered if rendition.path in mine]
            read = mine.union(*([source.path for source in each.sources] for each in rendered if built.followed))
            beside = Beside(shared, frozenset(mine))
            neighbours = [manifest for manifest in context if manifest.path not in mine]
            written = manifests(members, origins) if changes is not None else ()
            for world in clusters:
                visible = seen[world].seen_by(number)
                places = {one.path for one in visible.objects}
                further = changes.before(places) if changes is not None else {}
                made = changes.made((*written, *visible.objects)) if changes is not None else frozenset()
                goes = partial(self._goes, unit=name, world=world)
                left = changes.gone(mine, goes) if changes is not None else ()
                gone = [each for each in left if each.workload or (each.kind in _REFERRED_TO and not world.shows_all)]
                yield ApplySet(
                    members,
                    world,
                    beside,
                    {**further, **old},
                    rendered=rendered,
                    neighbours=(*visible.objects, *neighbours),
                    made=made,
                    gone=gone,
                    followed={place: why for place, why in built.followed.items() if place[0] in read},
                    uncounted=visible.uncounted,
                )
        for rendition in built.rendered:
            if rendition.reading is None:
                for world in self._clusters([rendition.path], stands):
                    yield ApplySet((), world, rendered=[rendition])

    def _elsewhere(
        self,
        groups: Sequence[tuple[str | None, Sequence[Reading], Sequence[ClusterContext]]],
        others: Sequence[Reading],
        made: Sequence[Rendition],
    ) -> dict[ClusterContext, Elsewhere]:
        """Return, by cluster, what its groups and further files see of each other."""
        further = grouped((str(PurePath(reading.path).parent), reading) for reading in others)
        every = [
            *((members, clusters) for _, members, clusters in groups),
            *((members, self._clusters([member.path for member in members])) for members in further.values()),
        ]
        worlds = dict.fromkeys(world for _, clusters in every for world in clusters)
        judged, alone = len(groups), self._unit == "file"
        here = {world: [members if world in clusters else () for members, clusters in every] for world in worlds}
        return {world: Elsewhere(each, made, judged=judged, alone=alone) for world, each in here.items()}

    def _groups(self, readings: Sequence[Reading], stands: _Stands) -> Iterator[tuple[str | None, list[Reading]]]:
        """Yield the name of each unit in the configuration, and its files."""
        groups: dict[_Common, list[Reading]] = {}
        for reading in readings:
            groups.setdefault(self._common(reading.path, stands), []).append(reading)
        for common, members in groups.items():
            if common.directory and not are_one(members):
                yield from ((None, [reading]) for reading in members)
            else:
                yield common.name, members

    def _common(self, path: str, stands: _Stands) -> _Common:
        """Return the common key of a file and the other files of its unit."""
        name = self._name(stands.of_renders.get(path, path), stands.units.get(path))
        if name is not None:
            return _Common(name)
        if self._unit == "file" or path in stands.of_renders:
            return _Common(file=path)
        return _Common(directory=str(PurePath(path).parent), clusters=self._declared_by(path, stands))

    def _name(self, path: str, given: str | None = None) -> str | None:
        return "" if self._unit == "all" else given or self._settings.unit_of(path)

    def _goes(self, path: str, kind: str, *, unit: str | None, world: ClusterContext) -> bool:
        """Whether a unit on a cluster had, or saw, an object of a kind that is deleted from a file."""
        return (kind in SHARED or self._name(path) == unit) and any(
            cluster is world for cluster in self._clusters([path])
        )

    def _clusters(self, paths: Sequence[str], stands: _Stands | None = None) -> list[ClusterContext]:
        """Return the clusters of some files, in the order of the configuration."""
        if self._inventories or not self._settings.targets:
            return [self._worlds.world(self._inventories or self._settings.inventory)]
        declared = dict.fromkeys(files for path in paths for files in self._declared_by(path, stands or _Stands()))
        return [self._worlds.world(inventories) for inventories in declared or ((),)]

    def _declared_by(self, path: str, stands: _Stands) -> tuple[tuple[str, ...], ...]:
        """Return the inventories of the clusters of a file or render. Names in GitOps objects come before globs."""
        called = stands.sent_to(path) if self._settings.targets else ()
        named = dict.fromkeys(files for names in called for files in self._settings.clusters_called(names))
        known = (each.get(path, path) for each in (stands.of_renders, stands.tops))
        return tuple(named) or self._settings.clusters_of(*known)


def _shared(
    readings: Sequence[Reading], built: Renders, origins: Mapping[str, tuple[ObjectOrigin | None, ...]]
) -> SharedObjects:
    """Return the objects that every file can use. Files without such objects are not read again."""
    made = {rendition.path: rendition for rendition in built.rendered}
    held: list[tuple[str, str]] = []
    holders = []
    for reading in readings:
        objects = outline(reading).held
        if objects:
            holders.append(reading)
            rendered = made.get(reading.path)
            sources = rendered.sources if rendered is not None else ()
            digests = [each.source.digest for each in sources if each.source is not None]
            held += [(key, digest_of((digest, *digests))) for key, digest in objects]
    every = (manifest for part in (holders,) for manifest in manifests(part, origins, SHARED))
    return SharedObjects(every, held, (holder.path for holder in holders))


class Changes:
    """Compares the earlier state with the checked manifests; `context` has manifests that are deployed beside them."""

    def __init__(self, past: Past, readings: Sequence[Reading], built: Renders, context: Sequence[Manifest]) -> None:
        self._past = past
        self._files = {reading.path for reading in readings}
        self._here = {manifest.object for manifest in (*manifests(readings, built.origins), *context)}

    def before(self, paths: Collection[str]) -> dict[str, Manifest]:
        """Return the earlier objects of some files, and objects that might have moved there."""
        objects = dict(self._past.objects.get("", {}))
        for path in sorted(paths):
            objects |= self._past.objects.get(path, {})
        return objects

    def made(self, objects: Iterable[Manifest]) -> frozenset[str]:
        """Return those of some objects that certainly are new.

        If the earlier state of a file or kustomization is unreadable, none of its objects is certainly new.
        """
        known = [one for one in objects if one.path in self._past.there]
        was = set(self._past.objects.get("", {})).union(
            *(self._past.there[path] for path in {one.path for one in known})
        )
        return frozenset(one.object for one in known) - was

    def gone(self, paths: Collection[str], goes: Callable[[str, str], bool]) -> tuple[Manifest, ...]:
        """Return the deleted objects of some files. They keep running, because nothing is pruned.

        Objects of deleted files and deleted classes count too, if `goes` says that they belong to these files.
        """
        objects = {name: old for path in paths for name, old in self._past.objects.get(path, {}).items()}
        for name, (place, old) in self._past.left.items():
            elsewhere = old.kind in SHARED or place not in self._files
            if not place or place in paths or (elsewhere and goes(place, old.kind)):
                objects[name] = old
        return tuple(old for name, old in sorted(objects.items()) if name not in self._here)
