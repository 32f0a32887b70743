"""The type checker, and literals that pass it but are refused: patterns, times, lists of different types.

The API server refuses expressions that cannot work for any device.
Source: cel-go 0.26, checker/checker.go and cel/validator.go (literals of lists and maps have one type:
HomogeneousAggregateLiterals), and the validators of k8s.io/apiserver/pkg/cel/environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.cel.cel_errors import EvaluationError, Issue
from kubelint_gpu.kube.cel.functions.numbers import CONVERSIONS, FUNCTIONS
from kubelint_gpu.kube.cel.functions.strings import compiled
from kubelint_gpu.kube.cel.syntax import (
    Call,
    Const,
    Fold,
    Ident,
    ListNode,
    MapNode,
    Node,
    Select,
    Struct,
    Visitor,
    children,
    qualified_name,
)
from kubelint_gpu.kube.cel.types import (
    ANY,
    BOOL,
    DYN,
    ERROR,
    INT,
    NULL,
    Overload,
    Substitution,
    Type,
    functions,
    is_dynamic,
    most_general,
    optional_of,
    shown,
    unwrapped,
)
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


_TYPE_NAMES: dict[str, Type] = {
    name: ("type", kind)
    for name, kind in {
        **{one: one for one in ("bool", "bytes", "double", "int", "string", "uint", "dyn", "null_type")},
        "list": ("list", DYN),
        "map": ("map", DYN, DYN),
        "type": ("type", DYN),
        "optional_type": ("optional_type", DYN),
        **{one: one for one in ("google.protobuf.Timestamp", "google.protobuf.Duration", "net.IP", "net.CIDR")},
    }.items()
}


class Checker(Visitor[Type]):
    """Finds the type of every node of a tree: `visit` returns that of a node, `error` if it has none.

    Attributes:
        issues: the type errors.
    """

    def __init__(
        self, variables: Mapping[str, Type], objects: Mapping[str, Mapping[str, Type]], library: int | None = None
    ) -> None:
        self._functions = functions(library)
        self.issues: list[Issue] = []
        self._scopes: list[dict[str, Type]] = [dict(variables)]
        self._objects = objects
        self._known = Substitution()
        self._open = 0
        self._types: dict[Node, Type] = {}

    def visit(self, node: Node) -> Type:
        """The type of a node, which is cached."""
        found = self._types[node] = super().visit(node)
        return found

    def result(self, node: Node) -> Type:
        """The type of a whole expression, with open parts as `dyn`."""
        found = self._known.of(self.visit(node), dynamic=True)
        if not self.issues:
            self.issues += invalid_literals(node, self.type_of)
        return found

    def type_of(self, node: Node) -> Type:
        """The type of a node, after everything is checked."""
        return self._known.of(self._types[node], dynamic=True)

    def _const(self, node: Const) -> Type:
        return NULL if node.kind == "null" else node.kind

    def _struct(self, node: Struct) -> Type:
        return self._undeclared(node.offset, node.name)

    def _ident(self, node: Ident) -> Type:
        name = node.name.removeprefix(".")
        found = self._lookup(name)
        return self._undeclared(node.offset, name) if found is None else found

    def _lookup(self, name: str) -> Type | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return _TYPE_NAMES.get(name)

    def _undeclared(self, offset: int, name: str) -> Type:
        self.issues.append(Issue(offset, f"undeclared reference to '{name}' (in container '')"))
        return ERROR

    def _select(self, node: Select) -> Type:
        name = None if node.test else qualified_name(node)
        declared = None if name is None else self._lookup(name)
        if declared is not None:
            return declared
        found = self._field(node.offset, node.operand, node.name)
        return BOOL if node.test else self._known.of(found)

    def _field(self, offset: int, operand: Node, name: str, optional: bool = False) -> Type:
        kind, was_optional = unwrapped(self._known.of(self.visit(operand)))
        found: Type = ERROR
        if isinstance(kind, tuple) and kind[0] == "map":
            found = kind[2]
        elif kind in self._objects:
            fields = self._objects[kind]
            if name in fields:
                found = fields[name]
            else:
                self.issues.append(Issue(offset, f"undefined field '{name}'"))
        elif isinstance(kind, tuple) and kind[0] == "var":
            self._known.accepts([DYN], [kind])
            found = DYN
        else:
            if not is_dynamic(kind) and kind != ERROR:
                self.issues.append(Issue(offset, f"type '{shown(kind)}' does not support field selection"))
            found = DYN
        return optional_of(found) if optional or was_optional else found

    def _call(self, node: Call) -> Type:
        if node.function == "_?._":
            field = node.args[1]
            name = str(field.value) if isinstance(field, Const) else ""
            return self._known.of(self._field(node.offset, node.args[0], name, optional=True))
        given = [self.visit(arg) for arg in node.args]
        table = self._functions
        if node.target is None:
            overloads = table.get(node.function)
            if overloads is None:
                return self._undeclared(node.offset, node.function)
            return self._resolved(node, overloads, given)
        prefix = qualified_name(node.target)
        if prefix is not None and f"{prefix}.{node.function}" in table:
            node.function, node.target = f"{prefix}.{node.function}", None
            return self._resolved(node, table[node.function], given)
        given.insert(0, self.visit(node.target))
        overloads = table.get(node.function)
        if overloads is None:
            return self._undeclared(node.offset, node.function)
        return self._resolved(node, overloads, given)

    def _resolved(self, node: Call, overloads: tuple[Overload, ...], given: list[Type]) -> Type:
        if node.function in ("_&&_", "_||_"):
            return self._logical(node, given)
        method = node.target is not None
        result: Type | None = None
        for overload in overloads:
            if overload.method != method:
                continue
            fresh: dict[Type, Type] = {}
            wanted = [self._instance(one, fresh) for one in overload.arguments]
            if not self._known.accepts(given, wanted):
                continue
            node.overloads.append(overload.arguments)
            found = self._known.of(self._instance(overload.result, fresh))
            if result is None:
                result = found
            elif not is_dynamic(result) and found != result:
                result = DYN
        if result is not None:
            return result
        kinds = [shown(self._known.of(one, dynamic=True)) for one in given]
        applied = f"{kinds[0]}.({', '.join(kinds[1:])})" if method else f"({', '.join(kinds)})"
        message = f"found no matching overload for '{node.function}' applied to '{applied}'"
        self.issues.append(Issue(node.offset, message))
        return ERROR

    def _logical(self, node: Call, given: list[Type]) -> Type:
        fits = True
        for kind, arg in zip(given, node.args, strict=True):
            if not self._known.accepts([kind], [BOOL]):
                self._mismatch(arg, BOOL, kind)
                fits = False
        return BOOL if fits else ERROR

    def _instance(self, kind: Type, fresh: dict[Type, Type]) -> Type:
        if not isinstance(kind, tuple):
            return kind
        if kind[0] == "param":
            if kind not in fresh:
                fresh[kind] = self._new()
            return fresh[kind]
        return (kind[0], *[self._instance(one, fresh) for one in kind[1:]])

    def _new(self) -> Type:
        self._open += 1
        return ("var", self._open - 1)

    def _mismatch(self, node: Node, wanted: Type, found: Type) -> None:
        self.issues.append(Issue(node.offset, f"expected type '{shown(wanted)}' but found '{shown(found)}'"))

    def _joined(self, node: Node, before: Type | None, now: Type) -> Type:
        self._types[node] = now
        if before is None:
            return now
        if self._known.accepts([before], [now]):
            return most_general(before, now)
        return DYN

    def _unwrapped(self, node: Node, kind: Type) -> Type:
        inner, was_optional = unwrapped(kind)
        if not was_optional and not is_dynamic(inner):
            self._mismatch(node, optional_of(inner), inner)
        return inner

    def _list(self, node: ListNode) -> Type:
        every: Type | None = None
        for place, item in enumerate(node.items):
            kind = self.visit(item)
            if place in node.optional:
                kind = self._unwrapped(item, kind)
            every = self._joined(item, every, kind)
        return ("list", self._new() if every is None else every)

    def _map(self, node: MapNode) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for key, value, optional in node.entries:
            keys = self._joined(key, keys, self.visit(key))
            kind = self.visit(value)
            values = self._joined(value, values, self._unwrapped(value, kind) if optional else kind)
        if keys is None:
            return ("map", self._new(), self._new())
        return ("map", keys, values)

    def _fold(self, node: Fold) -> Type:
        over = self._known.of(self.visit(node.range))
        initial = self.visit(node.initial)
        first, second = self._items(node, self._known.of(over))
        self._scopes.append({node.accumulator: initial})
        self._scopes.append({node.item: first, **({node.second: second} if node.second else {})})
        self._must_be(node.condition, self.visit(node.condition), BOOL)
        self._must_be(node.step, self.visit(node.step), initial)
        self._scopes.pop()
        result = self.visit(node.result)
        self._scopes.pop()
        return self._known.of(result)

    def _items(self, node: Fold, kind: Type) -> tuple[Type, Type]:
        if isinstance(kind, tuple) and kind[0] == "list":
            return (INT, kind[1]) if node.second else (kind[1], DYN)
        if isinstance(kind, tuple) and kind[0] == "map":
            return kind[1], kind[2]
        if kind in (DYN, ERROR) or (isinstance(kind, tuple) and kind[0] == "var"):
            self._known.accepts([DYN], [kind])
            return DYN, DYN
        what = f"expression of type '{shown(kind)}' cannot be range of a comprehension"
        self.issues.append(Issue(node.range.offset, f"{what} (must be list, map, or dynamic)"))
        return ERROR, ERROR

    def _must_be(self, node: Node, found: Type, wanted: Type) -> None:
        if not self._known.accepts([found], [wanted]):
            self._mismatch(node, wanted, found)
