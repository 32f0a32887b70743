"""Objects of other directories that affect a unit: quotas, limits, budgets, autoscalers, claims, queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

from kubelint_gpu.documents import Reading
from kubelint_gpu.groups import grouped
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.deciding import DECISIVE, EVERYWHERE, SELECTING, WITHOUT_PODS, WORDS, decides
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.shared_objects import SHARED, Outline, are_one, outline

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import Rendition

MOST = 100
"""If a unit would see more objects of a kind, they are no objects of one cluster, and it sees none of this kind."""

_NO_PODS = DECISIVE | SHARED | WITHOUT_PODS
_QUEUES = ("ClusterQueue", "LocalQueue")
_Folder = tuple[str, ...]


class Seen(Value, eq=False):
    """The objects of other groups that decide about a group.

    `uncounted` names the objects that do not count, each with the files that declare it differently.
    """

    objects: tuple[Manifest, ...]
    uncounted: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Elsewhere:
    """Finds, for each group of files, objects that affect the others; `groups` are applied to one cluster.

    Rendered objects (`made`) only count for kustomizations without variants: no other group declares one of their
    objects, and no other render uses one of their files. The first groups are `judged`; those in one folder are
    variants of each other, or are meant to be judged separately. If plain files are judged `alone`, those of a folder
    that would be applied as one see each other.
    """

    def __init__(
        self, groups: Sequence[Sequence[Reading]], made: Sequence[Rendition] = (), *, judged: int, alone: bool = False
    ) -> None:
        self._groups = groups
        self._made = {one.path: one for one in made}
        self._judged, self._alone = judged, alone
        self._compared: dict[tuple[tuple[_Folder, bool], tuple[_Folder, bool]], bool] = {}

    @cached_property
    def _outlines(self) -> list[list[Outline]]:
        return [[outline(reading) for reading in group] for group in self._groups]

    @cached_property
    def _declared(self) -> list[frozenset[str]]:
        """The objects of each group, without classes and namespaces, which several may declare."""
        return [frozenset(chain.from_iterable(map(_told_apart, group))) for group in self._outlines]

    @cached_property
    def _below(self) -> tuple[dict[_Folder, set[str]], dict[_Folder, set[str]]]:
        """The objects of files in each folder, and of those in it or below."""
        own: dict[_Folder, set[str]] = {}
        below: dict[_Folder, set[str]] = {}
        for group, outlines in zip(self._groups, self._outlines, strict=True):
            for reading, one in zip(group, outlines, strict=True):
                folder, objects = _folder(reading), _told_apart(one)
                own.setdefault(folder, set()).update(objects)
                for depth in range(1, len(folder) + 1):
                    below.setdefault(folder[:depth], set()).update(objects)
        return own, below

    @cached_property
    def _words_of_pods(self) -> dict[tuple[_Folder, str], set[str]]:
        """The words in files that may declare pods, by folder and namespace."""
        found: dict[tuple[_Folder, str], set[str]] = {}
        for group, outlines in zip(self._groups, self._outlines, strict=True):
            for reading, one in zip(group, outlines, strict=True):
                spaces = {name.split("/")[1] for name in one.objects if name.partition("/")[0] not in _NO_PODS}
                words = WORDS().findall(reading.text) if spaces else ()
                for space in spaces:
                    found.setdefault((_folder(reading), space), set()).update(words)
        return found

    def _are_variants(self, number: int, other: int, place: int) -> bool:
        """Whether the files of a group and one of another are variants: their folders declare the same object.

        The folders where their paths diverge are compared: this distinguishes two clusters from two applications.
        Files of one folder are variants if they declare the same object.
        """
        theirs = _folder(self._groups[other][place])
        folders = self._folders(number)
        if theirs in folders:
            if self._alone:
                return theirs in self._divided
            return other < self._judged or not self._declared[number].isdisjoint(self._declared[other])
        return any(self._share_an_object(*_parting(mine, theirs)) for mine in folders)

    @cached_property
    def _divided(self) -> frozenset[_Folder]:
        """The folders with renders, or with files that are not applied as one."""
        files = grouped((_folder(one), one) for group in self._groups for one in group)
        return frozenset(
            folder for folder, each in files.items() if any(one.path in self._made for one in each) or not are_one(each)
        )

    def _folders(self, number: int) -> dict[_Folder, None]:
        return dict.fromkeys(map(_folder, self._groups[number]))

    def _share_an_object(self, one: tuple[_Folder, bool], other: tuple[_Folder, bool]) -> bool:
        known = self._compared.get((one, other))
        if known is None:
            first, second = (self._below[is_whole][folder] for folder, is_whole in (one, other))
            known = self._compared[one, other] = not first.isdisjoint(second)
        return known

    @cached_property
    def _deciding(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """The files with affecting objects, as (group, index), by namespace and required word."""
        return grouped(
            (key, (number, place))
            for number, group in enumerate(self._outlines)
            for place, one in enumerate(group)
            if self._is_one_of_a_kind(number, self._made.get(self._groups[number][place].path))
            for key in one.decides
        )

    @cached_property
    def _parts(self) -> Counter[str]:
        """How many groups declare each object, and how many renders use each file."""
        sources = (reading.path for one in self._made.values() for reading in one.sources)
        return Counter(chain(chain.from_iterable(self._declared), sources))

    def _is_one_of_a_kind(self, number: int, made: Rendition | None) -> bool:
        if made is None:
            return True
        parts = (*self._declared[number], *(one.path for one in made.sources))
        return made.what == "kustomization" and all(self._parts[one] == 1 for one in parts)

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The required words of affecting objects, by namespace."""
        found: dict[str, set[str]] = {}
        for space, word in self._deciding:
            found.setdefault(space, set()).add(word)
        return found

    def seen_by(self, number: int) -> Seen:
        """Return the objects of other groups that affect a group.

        Objects of variants do not count, nor does an object that two groups declare differently. If a selector may
        select pods that its own folder declares, it is about those pods.
        """
        folders = self._folders(number)
        spaces = dict.fromkeys(name.split("/")[1] for name in sorted(self._declared[number]))
        words: set[str] | None = None
        files: dict[tuple[int, int], set[tuple[str, str]]] = {}
        for space in (*spaces, EVERYWHERE):
            wanted = self._named.get(space)
            if not wanted:
                continue
            if words is None:
                words = {"", *(word for one in self._groups[number] for word in WORDS().findall(one.text))}
            for word in wanted & words:
                for file in self._deciding[space, word]:
                    files.setdefault(file, set()).add((space, word))
        origins = {path: one.origins for path, one in self._made.items()}
        found = [
            one
            for (other, place), keys in sorted(files.items())
            if other != number and not self._are_variants(number, other, place)
            for one in manifests([self._groups[other][place]], origins, DECISIVE)
            if decides(one.item.value) in keys
        ]

        def is_about_others(one: Manifest) -> bool:
            folder = PurePath(one.path).parts[:-1]
            if one.kind not in SELECTING or folder in folders:
                return False
            found, words = decides(one.item.value), self._words_of_pods.get((folder, one.namespace), set())
            return bool(words) and (found is None or not found[1] or found[1] in words)

        return _agreed([one for one in found if not is_about_others(one)])


def _told_apart(one: Outline) -> list[str]:
    return [name for name in one.objects if name.partition("/")[0] not in SHARED]


def _folder(reading: Reading) -> _Folder:
    return PurePath(reading.path).parts[:-1]


def _parting(one: _Folder, other: _Folder) -> tuple[tuple[_Folder, bool], tuple[_Folder, bool]]:
    """Where two folders diverge below their common parent; each with whether everything below it counts."""
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return (one[: alike + 1], len(one) > alike), (other[: alike + 1], len(other) > alike)


def _agreed(found: Sequence[Manifest]) -> Seen:
    """Return each object once if all declarations agree, and no more objects of a kind than a cluster can have.

    Contradicting queues are all kept: they must not count as missing.
    """
    alike = grouped((one.object, one) for one in found)
    agreed: list[Manifest] = []
    contradictory = []
    for name, group in alike.items():
        if all(one.item.value == group[0].item.value for one in group):
            agreed.append(group[0])
        elif group[0].kind in _QUEUES:
            agreed += group
        else:
            contradictory.append((name, tuple(sorted({one.path for one in group}))))
    count = Counter(one.kind for one in agreed)
    return Seen(tuple(one for one in agreed if count[one.kind] <= MOST), tuple(contradictory))
