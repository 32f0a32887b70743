"""Values that know who wrote them: what a kustomization makes of its texts, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.sources.kustomize.accumulation.writer import FieldWriter
from kubelint_gpu.values import Value


class Gone(Value):
    """What somebody took out of a mapping or list: its key, None in a list, what it was, and who took it."""

    key: str | None
    value: Any
    writer: FieldWriter


class Traced:
    """A value and its writers, the oldest first; a mapping or list is taken apart only where something touches it.

    The last writer of what is not taken apart wrote all of it. `gone` is what was taken out of it; some of that may
    have come back since.
    """

    __slots__ = ("_value", "before", "children", "gone", "writers")

    def __init__(self, value: Any, writers: list[FieldWriter]) -> None:
        self._value = value
        self.before: tuple[tuple[FieldWriter, Any], ...] = ()
        self.children: dict[str, Traced] | list[Traced] | None = None
        self.gone: tuple[Gone, ...] = ()
        self.writers = writers

    @property
    def value(self) -> Any:
        """The plain value."""
        if isinstance(self.children, dict):
            return {key: child.value for key, child in self.children.items()}
        if isinstance(self.children, list):
            return [child.value for child in self.children]
        return self._value

    @property
    def writer(self) -> FieldWriter:
        """Who wrote it last."""
        return self.writers[-1]

    def mapping(self) -> dict[str, Traced] | None:
        """Its entries, None where it is no mapping."""
        if self.children is None and isinstance(self._value, dict):
            self.children = {key: Traced(entry, [self.writer.child(key)]) for key, entry in self._value.items()}
        return self.children if isinstance(self.children, dict) else None

    def elements(self) -> list[Traced] | None:
        """Its elements, None where it is no list."""
        if self.children is None and isinstance(self._value, list):
            self.children = [Traced(entry, [self.writer.child(index)]) for index, entry in enumerate(self._value)]
        return self.children if isinstance(self.children, list) else None

    def assign(self, value: Any, *writers: FieldWriter) -> None:
        """Another value in its place; `before` keeps the old one.

        Of several writers the last one gives the value, and the others passed it on.
        """
        old = self.value
        if not isinstance(old, dict | list):
            self.before = (*self.before, (self.writer, old), *((one, None) for one in writers[:-1]))
        self.gone = (*self.gone, *(Gone(key, entry, writers[-1]) for key, entry in _left_out(old, value)))
        whole = isinstance(value, dict | list)
        self._value, self.children = value, None
        self.writers = [writers[-1]] if whole else [*self.writers, *writers]

    def become(self, value: Any, through: FieldWriter) -> None:
        """The same value with something added by `through`; who wrote it stays its writer."""
        self.before = (*self.before, (through, None))
        self._value = value

    def put(self, key: str, value: Any, *writers: FieldWriter) -> None:
        """Another value for a key of a mapping; a new key comes last."""
        entries = self.mapping()
        if entries is None:
            return
        if key in entries:
            entries[key].assign(value, *writers)
        else:
            entries[key] = Traced(value, list(writers))

    def take(self, key: str, writer: FieldWriter) -> None:
        """Take an entry out of a mapping."""
        entries = self.mapping()
        found = entries.pop(key, None) if entries is not None else None
        if found is not None:
            self.gone = (*self.gone, Gone(key, found.value, writer))

    def take_element(self, index: int, writer: FieldWriter) -> None:
        """Take an element out of a list that is that long."""
        elements = self.elements()
        if elements is not None:
            self.gone = (*self.gone, Gone(None, elements.pop(index).value, writer))

    def at(self, *path: str) -> Traced | None:
        """What stands under some keys, one after the other; None where nothing does."""
        found: Traced | None = self
        for key in path:
            entries = found.mapping() if found is not None else None
            found = entries.get(key) if entries is not None else None
        return found

    def made(self, writer: FieldWriter, *path: str) -> Traced | None:
        """The same, with mappings made where there are none; None where something else stands in the way."""
        found = self
        for key in path:
            entries = found.mapping()
            if entries is None:
                return None
            if key not in entries or entries[key].value is None:
                entries[key] = Traced({}, [writer])
            found = entries[key]
        return found


def _left_out(old: Any, new: Any) -> Iterator[tuple[str | None, Any]]:
    """What a mapping or list no longer has when another one takes its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from ((key, value) for key, value in old.items() if key not in new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from ((None, value) for value in old if value not in new)
