"""The API server's messages for a text that is no expression."""

from __future__ import annotations

from typing import Any

from lark import UnexpectedCharacters, UnexpectedToken

from kubelint_gpu.kube.cel.cel_errors import Issue
from kubelint_gpu.kube.cel.syntax import Const, Ident, Node, Select, children

_RESERVED = frozenset([
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
])  # fmt: skip
_EXPECTED = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)


def reserved(tree: Node) -> list[Issue]:
    """Reserved names that are used as names, and invalid literals."""
    found = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        if isinstance(node, Ident) and node.name == "in":
            found.append(Issue(node.offset, f"Syntax error: mismatched input 'in' expecting {_EXPECTED}"))
        elif isinstance(node, Select) and node.name == "in":
            found.append(Issue(node.offset + 1, "Syntax error: no viable alternative at input '.in'"))
        elif isinstance(node, Ident) and node.name in _RESERVED:
            found.append(Issue(node.offset, f"reserved identifier: {node.name}"))
        if isinstance(node, Const) and node.kind == "invalid":
            found.append(Issue(node.offset, node.value))
    return found


def syntax_issue(source: str, error: Exception) -> Issue:
    """The API server's message for the position at which the parser stopped."""
    if isinstance(error, UnexpectedCharacters):
        place: Any = error.pos_in_stream
        text = source[place : place + 1]
        if text == "`":
            return Issue(place, "unsupported syntax: '`'")
        if text in "\"'" and not {"\n", "\r", "\\"} & {*source[place:]}:
            text = source[place:]
        elif text in "=&|":  # the half of an operator, and what stands in the place of the other one
            text = source[place : place + 2]
        return Issue(place, f"Syntax error: token recognition error at: '{text}'")
    token = error.token if isinstance(error, UnexpectedToken) else None
    if token is None or token.type == "$END":
        return Issue(len(source), f"Syntax error: mismatched input '<EOF>' expecting {_EXPECTED}")
    ends = isinstance(error, UnexpectedToken) and "PLUS" in error.expected  # it stands where an operand has ended
    wanted = "<EOF>" if ends else _EXPECTED
    kind = "extraneous" if ends and token.type.endswith("_LIT") else "mismatched"
    return Issue(token.start_pos or 0, f"Syntax error: {kind} input '{token}' expecting {wanted}")
