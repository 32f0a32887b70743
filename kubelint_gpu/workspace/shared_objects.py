"""Objects of all files of a run that every file can use: classes and namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Reading, SourceText, items
from kubelint_gpu.groups import grouped
from kubelint_gpu.workspace.deciding import decides
from kubelint_gpu.workspace.manifest import Manifest

_PARSED = ("documents", "hashes", "unread")
SHARED = frozenset(("PriorityClass", "StorageClass", "RuntimeClass", "Namespace"))
"""Kinds of the whole cluster: what one unit has of them, the others see."""
MOST_IN_DIRECTORY = 100
"""A directory with more files is no set that anybody applies as one: its files are judged each by itself."""
Identity = tuple[str, str]
_WORDS = {
    "Namespace": ("namespaceSelector", "adminAccess"),
    "PriorityClass": ("spec", "riority"),
    "RuntimeClass": ("untimeClass",),
    "StorageClass": ("laim", "torageC", "torage-c", "torageclass"),
}
# who removes a gate may be known by any object's group, and a word may be written with escapes
_OF_ANY = ("chedulingGates", "\\")


class Deferred(Reading):
    """A reading without problems. It calls `read` at the first use of `documents`, `hashes` or `unread`.

    `about` is the cached `Outline` of the file, as a tuple.
    """

    def __init__(
        self, source: SourceText, count: int, size: int, about: tuple[Any, ...], read: Callable[[SourceText], Reading]
    ) -> None:
        self.source: SourceText = source
        self.problems = ()
        self.size = size
        self.about = about
        self._count = count
        self._read = read

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that only the parsed file has; Python calls this once for all three."""
        if name not in _PARSED:
            raise AttributeError(name)
        whole = self._read(self.source)
        self.documents, self.hashes, self.unread = whole.documents, whole.hashes, whole.unread
        return getattr(self, name)

    @property
    def count(self) -> int:
        """The number of documents."""
        return self._count


class SharedObjects:
    """The classes and namespaces of a run, read once; `held` is the `Outline.held` of each file in `paths`."""

    def __init__(
        self, found: Iterable[Manifest], held: Sequence[tuple[str, str]] = (), paths: Iterable[str] = ()
    ) -> None:
        self._found = found
        self.held = tuple(held)
        self.paths = frozenset(paths)

    def digest(self, needs: Iterable[str]) -> str:
        """A digest of the shared objects in `needs`: a kind, or one object of a kind."""
        return digest_of(part for one in sorted(set(needs)) for part in (one, self._digests.get(one, "")))

    @cached_property
    def _digests(self) -> Mapping[str, str]:
        kinds = ((key.partition("/")[0], one) for key, one in self.held)
        found = grouped((*kinds, *((key, one) for key, one in self.held if "/" in key)))
        return {key: digest_of(parts) for key, parts in dict(found).items()}

    @cached_property
    def every(self) -> tuple[Manifest, ...]:
        """Return all shared objects, in the order of the files."""
        return tuple(self._found)

    @cached_property
    def by_path(self) -> Mapping[str, Sequence[Manifest]]:
        """Return all shared objects, by file."""
        return dict(grouped((one.path, one) for one in self.every))

    @cached_property
    def by_kind(self) -> Mapping[str, Sequence[Manifest]]:
        """Return all shared objects, by kind."""
        return dict(grouped((one.kind, one) for one in self.every))

    @cached_property
    def _named(self) -> Mapping[Identity, Sequence[Manifest]]:
        return dict(grouped(((one.kind, one.name), one) for one in self.every))

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        """All objects of a name, in the order of the files."""
        return self._named.get((kind, name), ())

    def are(self, mine: Sequence[Manifest], paths: Iterable[str]) -> bool:
        """Whether these objects are exactly those of some files, and no other file declares one of them differently."""
        held = {(one.kind, one.name) for path in paths for one in self.by_path.get(path, ())}
        if held != {(one.kind, one.name) for one in mine}:
            return False
        return all(one.item.value == other.item.value for one in mine for other in self.named(one.kind, one.name)[-1:])


class Beside:
    """The shared objects of all files except a unit's own."""

    def __init__(self, shared: SharedObjects, mine: frozenset[str]) -> None:
        self.shared = shared
        self.mine = mine

    def __iter__(self) -> Iterator[Manifest]:
        """Iterate in the order of the files."""
        return (one for one in self.shared.every if one.path not in self.mine)

    def of_kinds(self, kinds: Iterable[str]) -> Iterator[Manifest]:
        """The objects of some kinds."""
        return (one for kind in kinds for one in self.shared.by_kind.get(kind, ()) if one.path not in self.mine)

    def named(self, kind: str, name: str) -> Iterator[Manifest]:
        """The objects with a name."""
        return (one for one in self.shared.named(kind, name) if one.path not in self.mine)


NOTHING_BESIDE = Beside(SharedObjects(()), frozenset())


class Outline(NamedTuple):
    """How a file relates to the shared objects of a run.

    Attributes:
        held: the shared objects in it: kind and name, and a digest of the document with its place.
        needs: the shared objects that affect its result: a kind, or one object of a kind.
        objects: all objects that it declares by name, as `kind/namespace/name`.
        decides: where its objects affect others: see `decides`.
    """

    held: tuple[tuple[str, str], ...]
    needs: tuple[str, ...]
    objects: tuple[str, ...] = ()
    decides: tuple[tuple[str, str], ...] = ()


def outline(reading: Reading) -> Outline:
    """How a file relates to the shared objects of a run."""
    if isinstance(reading, Deferred):
        return Outline(*reading.about)
    found: list[tuple[str, str]] = []
    objects: dict[str, None] = {}
    deciding: dict[tuple[str, str], None] = {}
    namespaces: set[object] = set()
    for document in reading.documents:
        source, (start, end) = document.source, document.chunk
        for item in items(document):
            meta = item.value.get("metadata")
            named = meta if isinstance(meta, dict) else {}
            space = named.get("namespace")
            # where it is no text, any may be meant
            namespaces.add(space if isinstance(space, str | None) else True)
            kind, name = item.value.get("kind"), named.get("name") or named.get("generateName")
            if isinstance(kind, str) and isinstance(named.get("name"), str):
                objects[f"{kind}/{space if isinstance(space, str) else ''}/{named['name']}"] = None
            place = decides(item.value)
            if place is not None:
                deciding[place] = None
            if isinstance(kind, str) and kind in SHARED:
                where = f"{document.index} {start} {source.span(start, start).line}"
                key = f"{kind}/{name}" if isinstance(name, str) else kind
                found.append((key, digest_of((source.path, where, source.text[start:end]))))
    needs = needs_of(reading.text, namespaces)
    every = tuple(sorted({*needs, *(key for key, _ in found)}))
    return Outline(tuple(found), every, tuple(objects), tuple(deciding))


def are_one(readings: Sequence[Reading]) -> bool:
    """Whether the files of a directory are applied as one: if none of them declares an object of another one.

    Files that declare the same object are variants, of which somebody applies one.
    """
    if len(readings) > MOST_IN_DIRECTORY:
        return False
    declared = [name for reading in readings for name in outline(reading).objects]
    return len(declared) == len(set(declared))


def needs_of(text: str, namespaces: Iterable[object] = ()) -> frozenset[str]:
    """The shared objects that affect the result of a text whose objects are in some namespaces.

    The text is searched for words: a PriorityClass affects every pod, a StorageClass affects claims, and labels of
    other namespaces affect texts with namespace selectors.
    """
    every = any(word in text for word in _OF_ANY)
    found = {kind for kind, words in _WORDS.items() if every or any(word in text for word in words)}
    spaces = {one or "default" for one in namespaces}
    if all(isinstance(one, str) for one in spaces):
        return frozenset((*found, *(f"Namespace/{one}" for one in spaces)))
    return frozenset((*found, "Namespace"))
