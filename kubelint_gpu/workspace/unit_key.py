"""A digest of everything that decides the result of a unit: its files, other objects, the cluster, the old state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Reading
from kubelint_gpu.kube.kinds.custom_workload import further_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.shared_objects import needs_of, outline


class NoDigest(Exception):  # noqa: N818 - it says what the decisive part is
    """Something that has no digest decides the result."""


def unit_key(unit: ApplySet, further: Iterable[str]) -> str | None:
    """The digest of a unit and of everything else that decides its result; None if something has no digest.

    A file with problems has none, because its findings depend on files in the folders above. A render has none, because
    not all of its files are known here.
    """
    if unit.rendered:
        return None
    try:
        sections: tuple[Iterable[str | bytes], ...] = (
            (
                *further,
                repr(further_rows()),
                str(unit.budget),
                _known(unit.world.digest),
                unit.beside.shared.digest(_needs(unit)),
            ),
            _files(unit.readings),
            (part for name in sorted(unit.before) for part in (name, *_manifest_key(unit.before[name]))),
            sorted(unit.made),
            (f"{path} {number} {why}" for (path, number), why in sorted(unit.followed.items())),
            (part for one in unit.gone for part in _manifest_key(one)),
            (part for one in unit.neighbours for part in _manifest_key(one)),
        )
        return digest_of(map(digest_of, sections))
    except NoDigest:
        return None


def _needs(unit: ApplySet) -> Iterator[str]:
    """The classes and namespaces of other files that affect its result."""
    for reading in unit.readings:
        yield from outline(reading).needs
    for one in (*unit.before.values(), *unit.gone, *unit.neighbours):
        yield from needs_of(one.item.document.source.text, (one.namespace,))
    yield from _needs_of_world(unit.world)


@lru_cache(maxsize=64)
def _needs_of_world(world: ClusterContext) -> frozenset[str]:
    """Return the cluster's parts that relate declared objects to a unit's pods; PriorityClasses affect all pods."""
    found = (needs_of(one.text) for one in world.readings)
    return frozenset().union(*found) - {"PriorityClass"}


def _known(digest: str | None) -> str:
    if digest is None:
        raise NoDigest
    return digest


def _files(readings: Iterable[Reading]) -> Iterator[bytes]:
    for reading in readings:
        if reading.source is None or reading.problems:
            raise NoDigest
        yield reading.source.digest


def _manifest_key(manifest: Manifest) -> Iterator[str | bytes]:
    if manifest.origin is not None:
        raise NoDigest
    document = manifest.item.document
    yield document.source.digest
    yield f"{document.index} {manifest.item.pointer}"
