"""Objects of all files of a run that every other file may use: classes and namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.workspace.manifest import Manifest

Identity = tuple[str, str]


class SharedObjects:
    """The classes and namespaces of a run, read once."""

    def __init__(self, found: Iterable[Manifest]) -> None:
        self.every = tuple(found)
        self.by_path: dict[str, list[Manifest]] = {}
        self._named: dict[Identity, list[Manifest]] = {}
        self.by_kind: dict[str, list[Manifest]] = {}
        for one in self.every:
            self.by_path.setdefault(one.path, []).append(one)
            self.by_kind.setdefault(one.kind, []).append(one)
            self._named.setdefault((one.kind, one.name), []).append(one)

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        """All objects of a name, in the order of the files."""
        return self._named.get((kind, name), ())

    def are(self, mine: Sequence[Manifest], paths: Iterable[str]) -> bool:
        """Whether some objects are those that some files hold, unchanged, and no other file has one of them."""
        held = {id(one.item.value) for path in paths for one in self.by_path.get(path, ())}
        if held != {id(one.item.value) for one in mine}:
            return False
        return all(len(self.named(one.kind, one.name)) == 1 for one in mine)


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
