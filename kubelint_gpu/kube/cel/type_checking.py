"""The type checker: the API server refuses expressions that cannot work for any device.

Source: cel-go 0.26, checker/checker.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.cel.cel_errors import EvaluationError, Issue, NotKnown
from kubelint_gpu.kube.cel.functions import compiled
from kubelint_gpu.kube.cel.syntax import (
    Call,
    Const,
    Fold,
    Ident,
    ListNode,
    MapNode,
    Node,
    Select,
    Visitor,
    qualified_name,
)
from kubelint_gpu.kube.cel.types import (
    BOOL,
    DYN,
    ERROR,
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
from kubelint_gpu.work import charge


class Checker(Visitor[Type]):
    """Finds the type of every node of a tree: `visit` returns that of a node, `error` if it has none.

    Attributes:
        issues: the type errors.
    """

    def __init__(self, variables: Mapping[str, Type], objects: Mapping[str, Mapping[str, Type]]) -> None:
        self.issues: list[Issue] = []
        self._scopes: list[dict[str, Type]] = [dict(variables)]
        self._objects = objects
        self._known = Substitution()
        self._open = 0
        self._mixed = False

    def result(self, node: Node) -> Type:
        """The type of a whole expression, with open parts as `dyn`.

        Raises:
            NotKnown: a list or map has values of different types, which the API server mostly refuses.
        """
        found = self._known.of(self.visit(node), dynamic=True)
        if self._mixed and not self.issues:
            raise NotKnown("a list or map of different types is not modelled")
        return found

    def _const(self, node: Const) -> Type:
        return NULL if node.kind == "null" else node.kind

    def _ident(self, node: Ident) -> Type:
        name = node.name.removeprefix(".")
        found = self._lookup(name)
        return self._undeclared(node.offset, name) if found is None else found

    def _lookup(self, name: str) -> Type | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

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
        table = functions()
        if node.target is None:
            overloads = table.get(node.function)
            if overloads is None:
                return self._undeclared(node.offset, node.function)
            return self._resolved(node, overloads, given)
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
            self._check_pattern(node)
            return result
        kinds = [shown(self._known.of(one, dynamic=True)) for one in given]
        applied = f"{kinds[0]}.({', '.join(kinds[1:])})" if method else f"({', '.join(kinds)})"
        message = f"found no matching overload for '{node.function}' applied to '{applied}'"
        self.issues.append(Issue(node.offset, message))
        return ERROR

    def _check_pattern(self, node: Call) -> None:
        pattern = node.args[0] if node.function == "matches" else None
        if isinstance(pattern, Const):
            try:
                charge(compiled(pattern.value).programsize // STEPS.pattern)  # a short pattern may be a large program
            except EvaluationError:
                self.issues.append(Issue(pattern.offset, "invalid matches argument"))

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

    def _joined(self, before: Type | None, now: Type) -> Type:
        if before is None:
            return now
        self._mixed = self._mixed or self._known.of(before) != self._known.of(now)
        return most_general(before, now) if self._known.accepts([before], [now]) else DYN

    def _list(self, node: ListNode) -> Type:
        every: Type | None = None
        for item in node.items:
            every = self._joined(every, self.visit(item))
        return ("list", self._new() if every is None else every)

    def _map(self, node: MapNode) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for key, value in node.entries:
            keys = self._joined(keys, self.visit(key))
            values = self._joined(values, self.visit(value))
        return ("map", self._new() if keys is None else keys, self._new() if values is None else values)

    def _fold(self, node: Fold) -> Type:
        over = self._known.of(self.visit(node.range))
        initial = self.visit(node.initial)
        item = self._item(node, self._known.of(over))
        self._scopes.append({node.accumulator: initial})
        self._scopes.append({node.item: item})
        self._must_be(node.condition, self.visit(node.condition), BOOL)
        self._must_be(node.step, self.visit(node.step), initial)
        self._scopes.pop()
        result = self.visit(node.result)
        self._scopes.pop()
        return self._known.of(result)

    def _item(self, node: Fold, kind: Type) -> Type:
        if isinstance(kind, tuple) and kind[0] in ("list", "map"):
            return kind[1]
        if kind in (DYN, ERROR) or (isinstance(kind, tuple) and kind[0] == "var"):
            self._known.accepts([DYN], [kind])
            return DYN
        what = f"expression of type '{shown(kind)}' cannot be range of a comprehension"
        self.issues.append(Issue(node.range.offset, f"{what} (must be list, map, or dynamic)"))
        return ERROR

    def _must_be(self, node: Node, found: Type, wanted: Type) -> None:
        if not self._known.accepts([found], [wanted]):
            self._mismatch(node, wanted, found)
