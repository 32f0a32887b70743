"""Macros: `has`, the comprehensions, `cel.bind` and those of optional values, written out as cel-go writes them out."""

from __future__ import annotations

from collections.abc import Callable

from kubelint_gpu.kube.cel.cel_errors import Issue
from kubelint_gpu.kube.cel.syntax import Call, Const, Fold, Ident, ListNode, MapNode, Node, Select

_RESULT = "@result"
_UNUSED = "#unused"
_SORTED = "@__sortBy_input__"

Macro = Callable[["Call", list[Issue]], "Node | None"]


def expanded(tree: Node, issues: list[Issue]) -> Node:
    """The tree with its macros written out, innermost first; what is wrong with one is added to the issues."""
    if isinstance(tree, Select):
        tree.operand = expanded(tree.operand, issues)
    elif isinstance(tree, ListNode):
        tree.items = [expanded(item, issues) for item in tree.items]
    elif isinstance(tree, MapNode):
        tree.entries = [
            (expanded(key, issues), expanded(value, issues), optional) for key, value, optional in tree.entries
        ]
    elif isinstance(tree, Call):
        if tree.target is not None:
            tree.target = expanded(tree.target, issues)
        tree.args = [expanded(arg, issues) for arg in tree.args]
        macro = _MACROS.get((tree.function, len(tree.args), tree.target is not None))
        found = None if macro is None else macro(tree, issues)
        return tree if found is None else found
    return tree


def _has(call: Call, issues: list[Issue]) -> Node | None:
    argument = call.args[0]
    if isinstance(argument, Select) and not argument.test:
        return Select(call.offset, argument.operand, argument.name, test=True)
    issues.append(Issue(argument.offset, "invalid argument to has() macro"))
    return None


def _name(node: Node, issues: list[Issue]) -> str:
    if isinstance(node, Ident) and not node.name.startswith("."):
        if node.name in (_RESULT, "__result__"):
            issues.append(Issue(node.offset, "iteration variable overwrites accumulator variable"))
        return node.name
    issues.append(Issue(node.offset, "argument must be a simple name"))
    return ""


def _fold(call: Call, names: tuple[str, str], parts: tuple[Node, Node, Node, Node | None]) -> Node:
    initial, condition, step, result = parts
    last = Ident(call.offset, _RESULT) if result is None else result
    over = call.target or Ident(call.offset, "")  # a macro of this kind always has a target
    return Fold(call.offset, over, names[0], names[1], _RESULT, initial, condition, step, last)


def _names(call: Call, issues: list[Issue], two: bool) -> tuple[str, str]:
    first = _name(call.args[0], issues)
    second = _name(call.args[1], issues) if two else ""
    if two and first == second and first:
        issues.append(Issue(call.args[1].offset, f"duplicate variable name: {first}"))
    return first, second


def _quantifier(two: bool, every: bool) -> Macro:
    def macro(call: Call, issues: list[Issue]) -> Node:
        names = _names(call, issues, two)
        at = call.offset
        so_far = Ident(at, _RESULT)
        going = so_far if every else Call(at, "!_", [so_far])
        step = Call(at, "_&&_" if every else "_||_", [Ident(at, _RESULT), call.args[-1]])
        condition = Call(at, "@not_strictly_false", [going])
        return _fold(call, names, (Const(at, "bool", every), condition, step, None))

    return macro


def _exists_one(two: bool) -> Macro:
    def macro(call: Call, issues: list[Issue]) -> Node:
        names = _names(call, issues, two)
        at = call.offset
        more = Call(at, "_+_", [Ident(at, _RESULT), Const(at, "int", 1)])
        step = Call(at, "_?_:_", [call.args[-1], more, Ident(at, _RESULT)])
        result = Call(at, "_==_", [Ident(at, _RESULT), Const(at, "int", 1)])
        return _fold(call, names, (Const(at, "int", 0), Const(at, "bool", True), step, result))

    return macro


def _collect(two: bool, what: str) -> Macro:
    """`map`, `filter`, `transformList`, `transformMap`, `transformMapEntry`; with one more argument, a filter."""

    def macro(call: Call, issues: list[Issue]) -> Node:
        names = _names(call, issues, two)
        at, rest = call.offset, call.args[2 if two else 1 :]
        so_far: Node = Ident(at, _RESULT)
        wanted = rest[0] if len(rest) == 2 or what == "filter" else None
        value = call.args[0] if what == "filter" else rest[-1]
        if what in ("filter", "list"):
            step: Node = Call(at, "_+_", [so_far, ListNode(at, [value])])
            initial: Node = ListNode(at, [])
        else:
            key = [Ident(at, names[0])] if what == "map" else []
            step = Call(at, "cel.@mapInsert", [so_far, *key, value])
            initial = MapNode(at, [])
        if wanted is not None:
            step = Call(at, "_?_:_", [wanted, step, Ident(at, _RESULT)])
        return _fold(call, names, (initial, Const(at, "bool", True), step, None))

    return macro


def _bound(at: int, name: str, value: Node, result: Node) -> Node:
    return Fold(at, ListNode(at, []), _UNUSED, "", name, value, Const(at, "bool", False), Ident(at, name), result)


def _bind(call: Call, issues: list[Issue]) -> Node | None:
    if not isinstance(call.target, Ident) or call.target.name != "cel":
        return None
    name, value, result = call.args
    if not isinstance(name, Ident):
        issues.append(Issue(name.offset, "cel.bind() variable names must be simple identifiers"))
        return None
    return _bound(call.offset, name.name, value, result)


def _sort_by(call: Call, issues: list[Issue]) -> Node:
    """The list and what each item is sorted by; the list is worked out once."""
    at, over = call.offset, call.target or Ident(call.offset, "")
    keys = _collect(False, "list")(Call(at, "map", call.args, Ident(at, _SORTED)), issues)
    return _bound(at, _SORTED, over, Call(at, "sortBy", [Ident(at, _SORTED), keys or ListNode(at, [])]))


def _optional(flat: bool) -> Macro:
    def macro(call: Call, issues: list[Issue]) -> Node | None:
        name, body = call.args
        if not isinstance(name, Ident):
            which = "optFlatMap()" if flat else "optMap()"
            issues.append(Issue(name.offset, f"{which} variable name must be a simple identifier"))
            return None
        at = call.offset
        inner = _bound(at, name.name, Call(at, "value", [], call.target), body)
        some = inner if flat else Call(at, "optional.of", [inner])
        present = Call(at, "hasValue", [], call.target)
        return Call(at, "_?_:_", [present, some, Call(at, "optional.none", [])])

    return macro


_MACROS: dict[tuple[str, int, bool], Macro] = {
    ("has", 1, False): _has,
    ("all", 2, True): _quantifier(False, True),
    ("all", 3, True): _quantifier(True, True),
    ("exists", 2, True): _quantifier(False, False),
    ("exists", 3, True): _quantifier(True, False),
    ("exists_one", 2, True): _exists_one(False),
    ("exists_one", 3, True): _exists_one(True),
    ("existsOne", 3, True): _exists_one(True),
    ("map", 2, True): _collect(False, "list"),
    ("map", 3, True): _collect(False, "list"),
    ("filter", 2, True): _collect(False, "filter"),
    ("transformList", 3, True): _collect(True, "list"),
    ("transformList", 4, True): _collect(True, "list"),
    ("transformMap", 3, True): _collect(True, "map"),
    ("transformMap", 4, True): _collect(True, "map"),
    ("transformMapEntry", 3, True): _collect(True, "entry"),
    ("transformMapEntry", 4, True): _collect(True, "entry"),
    ("sortBy", 2, True): _sort_by,
    ("bind", 3, True): _bind,
    ("optMap", 2, True): _optional(False),
    ("optFlatMap", 2, True): _optional(True),
}
