"""Literals, and macros expanded as in cel-go: `has`, `all`, `exists`, `map`, `filter` and `cel.bind`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import Issue
from kubelint_gpu.kube.cel.syntax import Call, Const, Fold, Ident, ListNode, MapNode, Node, Select, Unmodelled, children
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
Macro = Callable[["Call", list[Issue]], "Node | None"]


class BadLiteral(ValueError):  # noqa: N818 - it names the thing
    """An invalid literal."""


def integer(text: str) -> int:
    """An int literal.

    Raises:
        BadLiteral: it is no int64.
    """
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if digits[:2] in ("0x", "0X"):
        found = sign * int(digits[2:20] or "0", 16) if len(digits) <= 20 else 2**65
    else:
        found = sign * int(digits) if len(digits) <= 40 else 2**65
    if not -(2**63) <= found < 2**63:
        raise BadLiteral("invalid int literal")
    return found


def string(text: str) -> str:
    """A string literal.

    Raises:
        BadLiteral: an escape is invalid.
    """
    raw = text[0] in "rR"
    body = _body(text[1:] if raw else text)
    return body if raw or "\\" not in body else _ESCAPE().sub(lambda found: _unescaped(found[1]), body)


def _body(text: str) -> str:
    width = 3 if text[:3] in ('"""', "'''") else 1
    return text[width:-width].replace("\r\n", "\n").replace("\r", "\n")


def _unescaped(what: str) -> str:
    if what[0] in "xXuU" and len(what) > 1:
        number = int(what[1:], 16)
    elif what[0] in "0123" and len(what) == 3:
        number = int(what, 8)
    else:
        if what not in _SIMPLE:
            raise BadLiteral("unable to unescape string")
        return _SIMPLE[what]
    if number >= 0x110000 or 0xD800 <= number < 0xE000:
        raise BadLiteral("invalid unicode code point")
    return chr(number)


def literal(kind: str, text: str) -> tuple[str, Any]:
    """Type and value of a literal token of the grammar.

    Raises:
        BadLiteral: it is invalid.
    """
    if kind == "INT_LIT":
        return "int", integer(text)
    if kind == "FLOAT_LIT":
        return "double", float(text)
    if kind in ("STRING_LIT", "MLSTRING_LIT"):
        return "string", string(text)
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
        tree.entries = [(expanded(key, issues), expanded(value, issues)) for key, value in tree.entries]
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


def _fold(call: Call, name: str, initial: Node, condition: Node, step: Node) -> Node:
    over = call.target or Ident(call.offset, "")  # a macro of this kind always has a target
    return Fold(call.offset, over, name, _RESULT, initial, condition, step, Ident(call.offset, _RESULT))


def _quantifier(every: bool) -> Macro:
    def macro(call: Call, issues: list[Issue]) -> Node:
        name, at = _name(call.args[0], issues), call.offset
        so_far = Ident(at, _RESULT)
        going = so_far if every else Call(at, "!_", [so_far])
        step = Call(at, "_&&_" if every else "_||_", [Ident(at, _RESULT), call.args[1]])
        return _fold(call, name, Const(at, "bool", every), Call(at, "@not_strictly_false", [going]), step)

    return macro


def _collect(is_filter: bool) -> Macro:
    def macro(call: Call, issues: list[Issue]) -> Node:
        name, at = _name(call.args[0], issues), call.offset
        value = call.args[0] if is_filter else call.args[1]
        step = Call(at, "_+_", [Ident(at, _RESULT), ListNode(at, [value])])
        if is_filter:
            step = Call(at, "_?_:_", [call.args[1], step, Ident(at, _RESULT)])
        return _fold(call, name, ListNode(at, []), Const(at, "bool", True), step)

    return macro


def _bind(call: Call, issues: list[Issue]) -> Node | None:
    if not isinstance(call.target, Ident) or call.target.name != "cel":
        return None
    (name, value, result), at = call.args, call.offset
    if not isinstance(name, Ident):
        issues.append(Issue(name.offset, "cel.bind() variable names must be simple identifiers"))
        return None
    return Fold(at, ListNode(at, []), _UNUSED, name.name, value, Const(at, "bool", False), Ident(at, name.name), result)


_MACROS: dict[tuple[str, int, bool], Macro] = {
    ("has", 1, False): _has,
    ("all", 2, True): _quantifier(True),
    ("exists", 2, True): _quantifier(False),
    ("map", 2, True): _collect(False),
    ("filter", 2, True): _collect(True),
    ("bind", 3, True): _bind,
}
_OTHERS = frozenset([
    "add", "all", "asApproximateFloat", "bind", "bool", "bytes", "charAt", "cidr", "containsCIDR", "containsIP",
    "distinct", "double", "duration", "dyn", "exists", "existsOne", "exists_one", "family", "filter", "find",
    "findAll", "first", "flatten", "format", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear",
    "getEscapedPath", "getFullYear", "getHost", "getHostname", "getHours", "getMilliseconds", "getMinutes",
    "getMonth", "getPort", "getQuery", "getScheme", "getSeconds", "includes", "indexOf", "int", "ip", "isCIDR",
    "isGlobalUnicast", "isIP", "isLinkLocalMulticast", "isLinkLocalUnicast", "isLoopback", "isQuantity", "isSemver",
    "isSorted", "isURL", "isUnspecified", "join", "last", "lastIndexOf", "map", "masked", "max", "min", "optFlatMap",
    "optMap", "prefixLength", "replace", "reverse", "sign", "slice", "sort", "sortBy", "split", "string", "sub",
    "substring", "sum", "timestamp", "transformList", "transformMap", "transformMapEntry", "type", "uint",
    "unwrapOpt", "url", "validate",
])  # fmt: skip
"""Functions and macros of the API server that no driver's expression calls, or calls with so many arguments."""
_NAMES = frozenset([
    "bool", "bytes", "cel", "double", "dyn", "format", "google", "int", "ip", "list", "lists", "map", "net",
    "null_type", "optional", "optional_type", "sets", "string", "strings", "type", "uint",
])  # fmt: skip
"""Names of types, and of what contains further functions."""


def unmodelled(tree: Node) -> str:
    """A part of an expression with which its value is not known; empty if there is none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Unmodelled) or (isinstance(node, Ident) and node.name.removeprefix(".") in _NAMES):
            return node.name
        if isinstance(node, Call) and node.function.removeprefix(".") in _OTHERS:
            return node.function
        waiting += children(node)
    return ""
