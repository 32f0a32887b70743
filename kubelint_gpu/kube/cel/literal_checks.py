"""Literals that pass the type checker but are refused: patterns, times, lists of different types.

Source: cel-go 0.26, cel/validator.go, and the validators of k8s.io/apiserver/pkg/cel/environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.cel.cel_errors import EvaluationError, Issue
from kubelint_gpu.kube.cel.functions.numbers import CONVERSIONS, FUNCTIONS
from kubelint_gpu.kube.cel.functions.strings import compiled
from kubelint_gpu.kube.cel.syntax import Call, Const, ListNode, MapNode, Node, children
from kubelint_gpu.kube.cel.types import ANY, DYN, NULL, Type, shown
from kubelint_gpu.patterns import pattern
from kubelint_gpu.work import charge

_CHECKED = {"matches": compiled, **{name: FUNCTIONS[name] for name in ("duration", "timestamp")}}
_CLAUSE = pattern(r"%(\.[0-9]+)?(.?)", re.DOTALL)
_WHOLE = ("int", "uint")
_TEXTS = (*_WHOLE, "double", "bool", "string", "bytes", "list", "map", "type", "null_type", NULL)
_ABLE = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
_CLAUSES: dict[str, tuple[tuple[str, ...], str]] = {
    "s": (
        (*_TEXTS, "google.protobuf.Timestamp", "google.protobuf.Duration"),
        f"string clause can only be used on {_ABLE}",
    ),
    "d": (_WHOLE, "decimal clause can only be used on integers"),
    "f": (("double", "string"), "fixed-point clause can only be used on doubles"),
    "e": (("double", "string"), "scientific clause can only be used on doubles"),
    "b": ((*_WHOLE, "bool"), "only integers and bools can be formatted as binary"),
    "o": (_WHOLE, "octal clause can only be used on integers"),
    **dict.fromkeys(
        "xX", ((*_WHOLE, "string", "bytes"), "only integers, byte buffers, and strings can be formatted as hex")
    ),
}


def invalid_literals(tree: Node, type_of: Callable[[Node], Type]) -> Iterator[Issue]:
    """Yield the errors in the literals of a tree; `type_of` returns the types of parts of lists and maps."""
    waiting = [(tree, False)]
    while waiting:
        node, exempt = waiting.pop()
        if isinstance(node, Call):
            yield from _argument(node)
            yield from _format(node, type_of)
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
    if check is None or not isinstance(first, Const):
        return
    try:
        made = check(first.value)
        if check is compiled:  # a short pattern may be a large program
            charge(made.programsize // STEPS.pattern)
    except EvaluationError:
        yield Issue(first.offset, f"invalid {node.function} argument")


def _format(node: Call, type_of: Callable[[Node], Type]) -> Iterator[Issue]:
    """Yield the errors in a literal format string, and in the list that it is applied to."""
    text, listed = node.target, node.args[0] if len(node.args) == 1 else None
    if node.function != "format" or not isinstance(text, Const) or not isinstance(listed, ListNode):
        return
    used = 0
    for found in _CLAUSE().finditer(str(text.value)):
        clause = found[2]
        if clause == "%":
            continue
        used += 1
        if not clause:
            yield Issue(node.offset, "unexpected end of string")
            return
        if used > len(listed.items):
            yield Issue(node.offset, f"index {used - 1} out of range")
            return
        if clause not in _CLAUSES:
            what = f'could not parse formatting clause: unrecognized formatting clause "{clause}"'
            yield Issue(node.offset, what)
            return
        kinds, why = _CLAUSES[clause]
        odd = _unwritable(listed.items[used - 1], kinds, type_of, inside=clause == "s")
        if odd is not None:
            kind = type_of(odd)
            name = kind[0] if isinstance(kind, tuple) else "google.protobuf.Any" if kind == ANY else kind
            yield Issue(odd.offset, f"error during formatting: {why}, was given {name}")
            return
    if used < len(listed.items):
        what = f"too many arguments supplied to string.format (expected {used}, got {len(listed.items)})"
        yield Issue(node.offset, what)


def _unwritable(node: Node, kinds: Sequence[str], type_of: Callable[[Node], Type], *, inside: bool) -> Node | None:
    """The first part of an argument, or the argument itself, whose type a format clause cannot print."""
    kind = type_of(node)
    if kind != DYN and (kind[0] if isinstance(kind, tuple) else kind) not in kinds:
        return node
    parts = children(node) if inside and isinstance(node, (ListNode, MapNode)) else ()
    found = (_unwritable(part, kinds, type_of, inside=True) for part in parts)
    return next((one for one in found if one is not None), None)


def _different(nodes: list[Node], type_of: Callable[[Node], Type], *, every: bool) -> Iterator[Issue]:
    kinds = [type_of(node) for node in nodes]
    for node, kind in zip(nodes, kinds, strict=True):
        if kind != kinds[0]:
            yield Issue(node.offset, f"expected type '{shown(kinds[0])}' but found '{shown(kind)}'")
            if not every:
                return


def folding_error(tree: Node) -> str:
    """Why a tree cannot be compiled to a program; empty if it can."""
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
