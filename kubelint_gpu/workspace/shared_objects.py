"""Objects of all files of a run that every other file may use: classes and namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Reading, items
from kubelint_gpu.groups import grouped
from kubelint_gpu.workspace.deferred import Deferred
from kubelint_gpu.workspace.manifest import Manifest

SHARED = frozenset(("PriorityClass", "StorageClass", "RuntimeClass", "Namespace"))
"""Kinds of the whole cluster: what one unit has of them, the others see."""
Identity = tuple[str, str]


class SharedObjects:
    """The classes and namespaces of a run, read once; `digest` is what another one of them would change."""

    def __init__(self, found: Iterable[Manifest], digest: str = "") -> None:
        self._found = found
        self.digest = digest

    @cached_property
    def every(self) -> tuple[Manifest, ...]:
        """All of them, in the order of the files."""
        return tuple(self._found)

    @cached_property
    def by_path(self) -> Mapping[str, Sequence[Manifest]]:
        """All of them, by file."""
        found = grouped((one.path, one) for one in self.every)
        return dict(found)

    @cached_property
    def by_kind(self) -> Mapping[str, Sequence[Manifest]]:
        """All of them, by kind."""
        found = grouped((one.kind, one) for one in self.every)
        return dict(found)

    @cached_property
    def _named(self) -> Mapping[Identity, Sequence[Manifest]]:
        found = grouped(((one.kind, one.name), one) for one in self.every)
        return dict(found)

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        """All objects of a name, in the order of the files."""
        return self._named.get((kind, name), ())

    def are(self, mine: Sequence[Manifest], paths: Iterable[str]) -> bool:
        """Whether some objects are those that some files hold, unchanged, and no other file says otherwise of them."""
        held = {(one.kind, one.name) for path in paths for one in self.by_path.get(path, ())}
        if held != {(one.kind, one.name) for one in mine}:
            return False
        return all(one.item.value == other.item.value for one in mine for other in self.named(one.kind, one.name)[-1:])


class Beside:
    """The shared objects of all files but a unit's own."""

    def __init__(self, shared: SharedObjects, mine: frozenset[str]) -> None:
        self.shared = shared
        self.mine = mine

    def __iter__(self) -> Iterator[Manifest]:
        """In the order of the files."""
        return (one for one in self.shared.every if one.path not in self.mine)

    def of_kinds(self, kinds: Iterable[str]) -> Iterator[Manifest]:
        """Those of some kinds."""
        return (one for kind in kinds for one in self.shared.by_kind.get(kind, ()) if one.path not in self.mine)

    def named(self, kind: str, name: str) -> Iterator[Manifest]:
        """Those of a name."""
        return (one for one in self.shared.named(kind, name) if one.path not in self.mine)


NOTHING_BESIDE = Beside(SharedObjects(()), frozenset())


def shared_documents(reading: Reading) -> str:
    """A digest of the documents of a file that hold shared objects, with their places; empty where there are none."""
    if isinstance(reading, Deferred):
        return reading.about
    parts: list[str] = []
    for document in reading.documents:
        if any(item.value.get("kind") in SHARED for item in items(document) if isinstance(item.value.get("kind"), str)):
            source, (start, end) = document.source, document.chunk
            parts += [source.path, f"{document.index} {start} {source.span(start, start).line}", source.text[start:end]]
    return digest_of(parts) if parts else ""
