"""The result of a unit from an earlier run, if nothing that decides it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.catalogue import program
from kubelint_gpu.kube.kinds.custom_workload import further_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.shared_objects import needs_of, outline

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store

Result = tuple[Any, int, bool]
"""What came of the work, the steps that it left, and whether something was cut off for want of steps."""


class KeptResults:
    """Results by the digest of their units.

    `further` is what decides them besides the program; `today` matters if a suppression expires. `classes` are those of
    the contained values. Results that are not `lasting` are not kept.
    """

    def __init__(
        self,
        store: Store,
        further: Iterable[str],
        today: str,
        classes: Mapping[str, type],
        lasting: Callable[[Any], bool],
    ) -> None:
        self._store = store
        self._further = (program(), *further)
        self._today = today
        self._classes = classes
        self._lasting = lasting

    def key(self, unit: ApplySet) -> str | None:
        """The key of a unit's result; None if it is not kept."""
        texts = (reading.text for reading in unit.readings)
        dated = any("until" in text or "\\" in text for text in texts)
        return unit_key(unit, (*self._further, self._today if dated else ""))

    def recall(self, key: str, steps: int) -> Result | None:
        """The result with so many steps, if it is known.

        A complete result also holds for more steps; one that was cut off only for exactly as many.
        """
        for name in (key, digest_of((key, str(steps)))):
            text = self._store.get(name)
            if text is None:
                continue
            try:
                given, used, cut, answer = from_text(text, self._classes)
                if given == steps or (given < steps and not cut):
                    return answer, max(0, steps - used), cut
            except (NotPlain, TypeError, ValueError):
                continue
        return None

    def keep(self, key: str, steps: int, result: Result) -> None:
        """Store a result with so many steps."""
        answer, left, cut = result
        if not self._lasting(answer):
            return
        try:
            text = to_text((steps, steps - left, cut, answer))
        except NotPlain:
            return
        self._store.put(digest_of((key, str(steps))) if cut else key, text)


def recalled(store: Store, key: str, classes: Mapping[str, type]) -> tuple[Any, Any] | None:
    """The pair that is stored under a key; None if there is none."""
    text = store.get(key)
    try:
        first, second = from_text(text, classes) if text is not None else (None, None)
    except (NotPlain, TypeError, ValueError):
        return None
    return None if text is None else (first, second)


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
