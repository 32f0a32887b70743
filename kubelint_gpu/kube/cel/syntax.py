"""The syntax tree of an expression: the kinds of nodes, as in cel-go after macros are expanded.

`offset` is the position for messages: the operator of an operation, the bracket of a call, the dot of a selection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import msgspec

Answer = TypeVar("Answer")


class Const(msgspec.Struct, eq=False):
    """A literal; `kind` is its type (`int`, `double`, `string`, `bool`, `null`)."""

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
    """A list literal."""

    offset: int
    items: list[Node]


class MapNode(msgspec.Struct, eq=False):
    """A map literal: keys and values."""

    offset: int
    entries: list[tuple[Node, Node]]


class Unmodelled(msgspec.Struct, eq=False):
    """A part with which the value of an expression is not known; `name` is for messages."""

    offset: int
    name: str


class Fold(msgspec.Struct, eq=False):
    """A comprehension: `step` is run for each item of `range` while `condition` is true, then `result`."""

    offset: int
    range: Node
    item: str
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node


Node = Const | Ident | Select | Call | ListNode | MapNode | Unmodelled | Fold


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below a node."""
    if isinstance(node, Select):
        return (node.operand,)
    if isinstance(node, Call):
        return (*(() if node.target is None else (node.target,)), *node.args)
    if isinstance(node, ListNode):
        return tuple(node.items)
    if isinstance(node, MapNode):
        return tuple(one for entry in node.entries for one in entry)
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
        raise AssertionError("what is not modelled is not visited")

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


def qualified_name(node: Node) -> str | None:
    """`a.b.c` if a node is a chain of selections from a name; otherwise None."""
    parts = []
    while isinstance(node, Select) and not node.test:
        parts.append(node.name)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    return ".".join([node.name, *reversed(parts)])
