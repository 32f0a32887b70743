"""Errors of expressions, in the words of the API server."""

from __future__ import annotations

from kubelint_gpu.values import Value

_DOT, _WIDE_DOT = ".", "\uff0e"
_CARET, _WIDE_CARET = "^", "\uff3e"


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
