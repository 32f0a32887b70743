"""Errors of expressions, and of texts that are no expression, in the words of the API server."""

from __future__ import annotations

from typing import Any

from lark import UnexpectedCharacters, UnexpectedToken

from kubelint_gpu.kube.cel.syntax import Const, Ident, Node, Select, children
from kubelint_gpu.values import Value

_DOT, _WIDE_DOT = ".", "\uff0e"
_CARET, _WIDE_CARET = "^", "\uff3e"

_RESERVED = frozenset([
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
])  # fmt: skip
_EXPECTED = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)


class Issue(Value):
    """A problem that keeps an expression from compiling; `offset` counts code points, None has no position."""

    offset: int | None
    message: str


class CompileError(Exception):
    """An expression does not compile.

    Attributes:
        text: the API server's message.
        issues: the problems, in the order of the text.
        line: of the first issue, from 1.
        column: of the first issue, from 1.
    """

    def __init__(self, text: str, issues: tuple[Issue, ...] = (), line: int = 1, column: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.issues = issues
        self.line = line
        self.column = column


class EvaluationError(Exception):
    """An expression has no value for an input; the text is the scheduler's."""


class NotKnown(Exception):  # noqa: N818 - it is no error of the expression
    """The value is not computed: the expression takes too long, or uses features that this program does not model."""


def compile_error(source: str, issues: list[Issue]) -> CompileError:
    """The error that the API server reports for some issues."""
    ordered = sorted(issues, key=lambda issue: -1 if issue.offset is None else issue.offset)
    text = "compilation failed: " + "\n".join(_shown(source, issue) for issue in ordered)
    line, column = position(source, ordered[0].offset or 0)
    return CompileError(text, tuple(ordered), line, column)


def position(source: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _shown(source: str, issue: Issue) -> str:
    if issue.offset is None:
        return f"ERROR: <input>:-1:0: {issue.message}"
    line, column = position(source, issue.offset)
    text = source.split("\n")[line - 1]
    before = "".join(_DOT if ord(letter) < 128 else _WIDE_DOT for letter in text[: column - 1])
    here = text[column - 1 : column]
    caret = _CARET if not here or ord(here) < 128 else _WIDE_CARET
    return f"ERROR: <input>:{line}:{column}: {issue.message}\n | {text}\n | {before}{caret}"


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
