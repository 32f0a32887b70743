"""Every question about a tree goes through the same kinds of nodes."""

from __future__ import annotations

from kubelint_gpu.kube.cel.evaluation import Planner
from kubelint_gpu.kube.cel.parsing import parse
from kubelint_gpu.kube.cel.syntax import Node, Visitor
from kubelint_gpu.kube.cel.type_checking import Checker


class Kinds(Visitor[str]):
    """The kind of a node."""

    def _kind(self, node: Node) -> str:
        return type(node).__name__

    _const = _ident = _select = _call = _list = _map = _fold = _struct = _kind


def test_each_kind_of_node_has_its_own_way() -> None:
    texts = ("1", "a", "a.b", "f(a)", "[1]", "{1: 2}", "[1].all(x, x > 0)", "a.B{}")
    assert [Kinds().visit(parse(text)) for text in texts] == [
        "Const", "Ident", "Select", "Call", "ListNode", "MapNode", "Fold", "Struct",
    ]  # fmt: skip


def test_programs_and_types_are_asked_alike() -> None:
    assert issubclass(Planner, Visitor)
    assert issubclass(Checker, Visitor)
