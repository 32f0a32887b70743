"""Literals, and macros expanded as in cel-go: `has`, comprehensions, `cel.bind`, and those of optional values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import Issue
from kubelint_gpu.kube.cel.syntax import Call, Const, Fold, Ident, ListNode, MapNode, Node, Select
from kubelint_gpu.patterns import pattern

_ESCAPE = pattern(r"\\(x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_RESULT = "@result"
_UNUSED = "#unused"
_SORTED = "@__sortBy_input__"
Macro = Callable[["Call", list[Issue]], "Node | None"]


class BadLiteral(ValueError):  # noqa: N818 - it names the thing
    """An invalid literal."""


def integer(text: str) -> int:
    """An int literal. Raises BadLiteral if it is no int64."""
    found = _number(text)
    if not -(2**63) <= found < 2**63:
        raise BadLiteral("invalid int literal")
    return found


def unsigned(text: str) -> int:
    """A uint literal. Raises BadLiteral if it is no uint64."""
    found = _number(text[:-1])
    if not 0 <= found < 2**64:
        raise BadLiteral("invalid uint literal")
    return found


def _number(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits[2:20] or "0", 16) if len(digits) <= 20 else 2**65
    return sign * int(digits) if len(digits) <= 40 else 2**65


def string(text: str) -> str:
    """A string literal. Raises BadLiteral if an escape is invalid."""
    raw = text[0] in "rR"
    body = _body(text[1:] if raw else text)
    return body if raw or "\\" not in body else _ESCAPE().sub(lambda found: _unescaped(found[1], limit=0x110000), body)


def byte_string(text: str) -> bytes:
    """A bytes literal. Raises BadLiteral if an escape is invalid."""
    rest = text[1:]
    raw = rest[0] in "rR"
    body = _body(rest[1:] if raw else rest)
    if raw or "\\" not in body:
        return body.encode()
    found = bytearray()
    last = 0
    for escape in _ESCAPE().finditer(body):
        found += body[last : escape.start()].encode()
        what = escape[1]
        if what[0] in "uU":
            raise BadLiteral("invalid bytes literal")
        found += bytes((ord(_unescaped(what, limit=256)),))
        last = escape.end()
    return bytes(found + body[last:].encode())


def _body(text: str) -> str:
    width = 3 if text[:3] in ('"""', "'''") else 1
    return text[width:-width].replace("\r\n", "\n").replace("\r", "\n")


def _unescaped(what: str, *, limit: int) -> str:
    if what[0] in "xXuU" and len(what) > 1:
        number = int(what[1:], 16)
    elif what[0] in "0123" and len(what) == 3:
        number = int(what, 8)
    else:
        if what not in _SIMPLE:
            raise BadLiteral("unable to unescape string")
        return _SIMPLE[what]
    if number >= limit or 0xD800 <= number < 0xE000:
        raise BadLiteral("invalid unicode code point")
    return chr(number)


def literal(kind: str, text: str) -> tuple[str, Any]:
    """Type and value of a literal token of the grammar. Raises BadLiteral if it is invalid."""
    if kind == "INT_LIT":
        return "int", integer(text)
    if kind == "UINT_LIT":
        return "uint", unsigned(text)
    if kind == "FLOAT_LIT":
        return "double", float(text)
    if kind in ("STRING_LIT", "MLSTRING_LIT"):
        return "string", string(text)
    if kind == "BYTES_LIT":
        return "bytes", byte_string(text)
    if kind == "BOOL_LIT":
        return "bool", text == "true"
    return "null", None


def expanded(tree: Node, issues: list[Issue]) -> Node:
    """The tree with its macros expanded, innermost first; problems are added to the issues."""
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
    """The macros `map`, `filter`, `transformList`, `transformMap`, `transformMapEntry`; an extra argument filters."""

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
    """The list and the sort keys of its items; the list is evaluated once."""
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
