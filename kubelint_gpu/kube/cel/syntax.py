"""The syntax tree of an expression: seven kinds of nodes, as in cel-go after macros are expanded.

`offset` is the position for messages: the operator of an operation, the bracket of a call, the dot of a selection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import msgspec

Answer = TypeVar("Answer")


class Const(msgspec.Struct, eq=False):
    """A literal; `kind` is its type (`int`, `uint`, `double`, `string`, `bytes`, `bool`, `null`)."""

    offset: int
    kind: str
    value: Any


class Ident(msgspec.Struct, eq=False):
    """A name."""

    offset: int
    name: str


class Select(msgspec.Struct, eq=False):
    """A field of a value; with `test` only whether it is there."""

    offset: int
    operand: Node
    name: str
    test: bool = False


class Call(msgspec.Struct, eq=False):
    """A function or an operator (`_+_`) with its arguments; `target` is the object of a method call.

    `overloads` are the possible ones after type checking, each as its argument types.
    """

    offset: int
    function: str
    args: list[Node]
    target: Node | None = None
    overloads: list[tuple[Any, ...]] = msgspec.field(default_factory=list)


class ListNode(msgspec.Struct, eq=False):
    """A list literal; the items at `optional` are omitted if they have no value."""

    offset: int
    items: list[Node]
    optional: frozenset[int] = frozenset()


class MapNode(msgspec.Struct, eq=False):
    """A map literal: keys, values, and whether the entry is omitted if it has no value."""

    offset: int
    entries: list[tuple[Node, Node, bool]]


class Struct(msgspec.Struct, eq=False):
    """A message literal, which is invalid in expressions about devices."""

    offset: int
    name: str


class Fold(msgspec.Struct, eq=False):
    """A comprehension: `step` is run for each item of `range` while `condition` is true, then `result`."""

    offset: int
    range: Node
    item: str
    second: str
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node


Node = Const | Ident | Select | Call | ListNode | MapNode | Struct | Fold


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below a node."""
    if isinstance(node, Select):
        return (node.operand,)
    if isinstance(node, Call):
        return (*(() if node.target is None else (node.target,)), *node.args)
    if isinstance(node, ListNode):
        return tuple(node.items)
    if isinstance(node, MapNode):
        return tuple(one for key, value, _ in node.entries for one in (key, value))
    if isinstance(node, Fold):
        return (node.range, node.initial, node.condition, node.step, node.result)
    return ()


class Visitor(ABC, Generic[Answer]):
    """Answers one question about nodes, for each kind of node in its own method."""

    def visit(self, node: Node) -> Answer:
        """The answer for a node."""
        if isinstance(node, Const):
            return self._const(node)
        if isinstance(node, Ident):
            return self._ident(node)
        if isinstance(node, Select):
            return self._select(node)
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, ListNode):
            return self._list(node)
        if isinstance(node, MapNode):
            return self._map(node)
        if isinstance(node, Fold):
            return self._fold(node)
        return self._struct(node)

    @abstractmethod
    def _const(self, node: Const) -> Answer: ...

    @abstractmethod
    def _ident(self, node: Ident) -> Answer: ...

    @abstractmethod
    def _select(self, node: Select) -> Answer: ...

    @abstractmethod
    def _call(self, node: Call) -> Answer: ...

    @abstractmethod
    def _list(self, node: ListNode) -> Answer: ...

    @abstractmethod
    def _map(self, node: MapNode) -> Answer: ...

    @abstractmethod
    def _fold(self, node: Fold) -> Answer: ...

    @abstractmethod
    def _struct(self, node: Struct) -> Answer: ...


def qualified_name(node: Node) -> str | None:
    """`a.b.c` if a node is a chain of selections from a name; otherwise None."""
    parts = []
    while isinstance(node, Select) and not node.test:
        parts.append(node.name)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    return ".".join([node.name, *reversed(parts)])
