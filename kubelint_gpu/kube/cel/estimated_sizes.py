"""How large values may be, for the cost of the calls that go through them.

Source: cel-go 0.26, checker/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from kubelint_gpu.kube.cel.syntax import Const, Ident, ListNode, MapNode, Node
from kubelint_gpu.kube.cel.types import Type
from kubelint_gpu.values import Value

MOST = 2**64 - 1
"""What stands for no limit: no cost and no size is larger."""
TEXT = 0.1
"""The cost of a character of a text that a call goes through."""
_SCALARS = frozenset(("bool", "double", "int", "uint", "google.protobuf.Duration", "google.protobuf.Timestamp"))


class Size(Value):
    """How many characters, items or entries a value has, at least and at most."""

    least: int
    most: int

    def plus(self, other: Size) -> Size:
        """The size of two values together."""
        return Size(added(self.least, other.least), added(self.most, other.most))

    def times(self, other: Size) -> Size:
        """The size of one value for each part of another."""
        return Size(product(self.least, other.least), product(self.most, other.most))

    def or_else(self, other: Size) -> Size:
        """The size of a value that is one of two."""
        return Size(min(self.least, other.least), max(self.most, other.most))


class Entries(Value):
    """The sizes of what a list or a map holds: its kind, its keys and its values."""

    kind: str
    key: Size
    value: Size


Path = tuple[str, ...]
UNKNOWN = Size(0, MOST)
ONE = Size(1, 1)


class Estimate(Value):
    """What a call costs beside its arguments, and the size of its result where that is known."""

    cost: int
    size: Size | None = None


def converted(name: str, given: tuple[Type, ...], size: Size) -> Estimate:
    """What a conversion between texts and bytes costs, and how large its result is; one step for any other."""
    cost = scaled(size.most, TEXT)
    if name == "bytes" and given[0] == "string":
        return Estimate(cost, Size(size.least, size.most * 4 % (MOST + 1)))
    if name == "string" and given[0] == "bytes":
        return Estimate(cost, Size(size.least // 4, size.most))
    if name == "strings.quote":
        return Estimate(cost, Size(size.least + 2, (size.most * 2 + 2) % (MOST + 1)))
    return Estimate(1)


def replaced(text: Size, old: Size, new: Size) -> Size:
    """The size of a text in which parts are replaced."""
    most, kept = _parts(text.most, old.least, new.most <= old.least)
    least, left = _parts(text.least, old.most, old.most <= new.least)
    return Size(least, most).times(new).plus(Size(left, kept))


def _parts(length: int, old: int, stays: bool) -> tuple[int, int]:
    """How many parts of a text are replaced, and how much of it stays."""
    if old == 0:
        return added(length, 1), length
    return (0, length) if stays else (math.ceil(length / old), 0)


def is_scalar(kind: Type) -> bool:
    """Whether values of a type are all of one size."""
    if isinstance(kind, tuple) and kind[0] == "optional_type":
        return is_scalar(kind[1])
    return kind in _SCALARS if not isinstance(kind, tuple) else False


def kind_of(kind: Type) -> str:
    """The name of a type without its parameters."""
    return str(kind[0]) if isinstance(kind, tuple) else str(kind)


def number(node: Node, otherwise: int) -> int:
    """The value of a whole number that is written out; another one for all else."""
    return int(node.value) if isinstance(node, Const) and node.kind == "int" else otherwise


def added(one: int, other: int) -> int:
    """A sum, `MOST` where it would be more."""
    return min(MOST, one + other)


def product(one: int, other: int) -> int:
    """A product, `MOST` where it would be more."""
    return min(MOST, one * other)


def total(costs: Iterable[int]) -> int:
    """The sum of all, `MOST` where it would be more."""
    return min(MOST, sum(costs))


def scaled(size: int, factor: float) -> int:
    """A part of a size or a multiple of it, rounded up."""
    return min(MOST, math.ceil(float(size) * factor))


class Local(Value):
    """A variable of a comprehension: the path that it stands for, its size, and the sizes of what it holds."""

    path: Path
    size: Size | None
    entries: Entries | None


class KnownSizes:
    """What is known of the sizes of nodes so far.

    `type_of` knows the type of each node, `size_at` the size of what is at a path from a variable.
    """

    def __init__(self, type_of: Callable[[Node], Type], size_at: Callable[[Path], Size | None]) -> None:
        self.paths: dict[Node, Path] = {}
        self.sizes: dict[Node, Size] = {}
        self.entries: dict[Node, Entries] = {}
        self.locals: dict[str, list[Local]] = {}
        self._type_of = type_of
        self._size_at = size_at

    def any_of(self, nodes: list[Node]) -> Size:
        """The size of a value that is one of these nodes."""
        sizes = [self.size_or_unknown(node) for node in nodes]
        return Size(min((one.least for one in sizes), default=0), max((one.most for one in sizes), default=0))

    def join_entries(self, node: Node, one: Node, other: Node) -> None:
        """Note what a node holds that is one of two others, or both together."""
        first, second = self.entries_of(one), self.entries_of(other)
        if first is not None and second is not None:
            key, value = first.key.or_else(second.key), first.value.or_else(second.value)
            self.entries[node] = Entries(first.kind, key, value)

    def item_size(self, node: Node) -> Size:
        """The size of the items of a list as its path tells it."""
        if not isinstance(self._type_of(node), tuple):
            return Size(0, 0)
        found = self._size_at((*self.path(node), "@items"))
        return found if found is not None else UNKNOWN

    def local(self, node: Node) -> Local | None:
        """The variable of a comprehension that a node is; None for all else."""
        found = self.locals.get(node.name) if isinstance(node, Ident) else None
        return found[-1] if found else None

    def path(self, node: Node) -> Path:
        """The path of a node from a variable; empty where it has none."""
        found = self.local(node)
        return found.path if found is not None else self.paths.get(node, ())

    def copy(self, node: Node, source: Node) -> None:
        """Note that a node is as large as another one."""
        size, entries = self.size(source), self.entries_of(source)
        if size is not None:
            self.sizes[node] = size
        if entries is not None:
            self.entries[node] = entries

    def entries_of(self, node: Node) -> Entries | None:
        """The sizes of what a node holds."""
        found = self.local(node)
        return self.entries.get(node, found.entries if found is not None else None)

    def size_or_unknown(self, node: Node) -> Size:
        """The size of a node, `UNKNOWN` where nothing is known of it."""
        found = self.size(node)
        return found if found is not None else UNKNOWN

    def size(self, node: Node) -> Size | None:
        """The size of a node; None where nothing is known of it."""
        if node in self.sizes:
            return self.sizes[node]
        if isinstance(node, Const):
            many = len(node.value) if node.kind in ("string", "bytes") else 1
            return Size(many, many)
        if isinstance(node, (ListNode, MapNode)):
            many = len(node.items if isinstance(node, ListNode) else node.entries)
            return Size(many, many)
        found = self._size_at(self.path(node))
        if found is not None:
            self.sizes[node] = found
            return found
        if is_scalar(self._type_of(node)):
            return ONE
        local = self.local(node)
        return local.size if local is not None else None
