"""Literals that pass the type checker and are refused all the same: patterns, times, lists of different types.

Source: cel-go 0.26, cel/validator.go, and the validators of k8s.io/apiserver/pkg/cel/environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, Issue
from kubelint_gpu.kube.cel.functions.numbers import CONVERSIONS, FUNCTIONS
from kubelint_gpu.kube.cel.functions.regex import compiled
from kubelint_gpu.kube.cel.syntax import Call, Const, ListNode, MapNode, Node, children
from kubelint_gpu.kube.cel.types import Type, shown

_CHECKED = {"matches": compiled, "duration": FUNCTIONS["duration"]}


def invalid_literals(tree: Node, type_of: Callable[[Node], Type]) -> Iterator[Issue]:
    """What is wrong with the literals of a tree; `type_of` knows the types of the parts of lists and maps."""
    waiting = [(tree, False)]
    while waiting:
        node, exempt = waiting.pop()
        if isinstance(node, Call):
            yield from _argument(node)
            exempt = exempt or node.function == "format"
        elif not exempt and isinstance(node, ListNode):
            yield from _different(node.items, type_of, every=False)
        elif not exempt and isinstance(node, MapNode):
            yield from _different([key for key, _, _ in node.entries], type_of, every=True)
            yield from _different([value for _, value, _ in node.entries], type_of, every=True)
        waiting += [(child, exempt) for child in children(node)]


def _argument(node: Call) -> Iterator[Issue]:
    check = _CHECKED.get(node.function)
    first = node.args[0] if node.args else None
    if check is None or not isinstance(first, Const) or not isinstance(first.value, str):
        return
    try:
        check(first.value)
    except EvaluationError:
        yield Issue(first.offset, f"invalid {node.function} argument")


def _different(nodes: list[Node], type_of: Callable[[Node], Type], *, every: bool) -> Iterator[Issue]:
    kinds = [type_of(node) for node in nodes]
    for node, kind in zip(nodes, kinds, strict=True):
        if kind != kinds[0]:
            yield Issue(node.offset, f"expected type '{shown(kinds[0])}' but found '{shown(kind)}'")
            if not every:
                return


def folding_error(tree: Node) -> str:
    """Why no program can be made of a tree; empty where one can."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        if isinstance(node, Call) and node.function in CONVERSIONS and node.target is None:
            value = node.args[0]
            if isinstance(value, Const):
                try:
                    FUNCTIONS[node.function](value.value)
                except EvaluationError as error:
                    return str(error)
    return ""
