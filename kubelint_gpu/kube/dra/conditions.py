"""The conditions that an expression joins with `&&`: which of them a device misses, and what each compares.

For messages only: whether a device is selected, `Selector` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kubelint_gpu.kube.dra.selector import DEVICE, Subject, device_fields, device_value
from kubelint_gpu.kube.dra.sight import literal_path
from kubelint_gpu.values import NamedTuple

if TYPE_CHECKING:
    from kubelint_gpu.kube.cel.syntax import Call, Const, Node

_COMPARISONS = {
    "_==_": "",
    "_!=_": "other than ",
    "_<_": "below ",
    "_<=_": "at most ",
    "_>_": "above ",
    "_>=_": "at least ",
}
_METHODS = {"isGreaterThan": "above ", "isLessThan": "below "}
_MOST = 64


class Condition(NamedTuple):
    """A condition of an expression.

    Attributes:
        program: works it out.
        slots: how many variables that needs.
        path: the attribute or capacity that it compares with a literal, as (`attributes` or `capacity`, domain,
            identifier); None where it is another kind of condition.
        relation: how it is compared: `at least `, empty for equal.
        wanted: the literal.
        offset: where the literal stands in the expression.
    """

    program: Any
    slots: int
    path: tuple[str, str, str] | None
    relation: str
    wanted: Any
    offset: int

    def holds(self, subject: Subject) -> bool:
        """Whether a device has it; not where it cannot be worked out."""
        from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
        from kubelint_gpu.kube.cel.evaluation_cost import Evaluation

        try:
            return self.program(Evaluation([device_value(subject), *[None] * self.slots])) is True
        except (EvaluationError, NotKnown, RecursionError, ArithmeticError, LookupError, TypeError, ValueError):
            return False


@lru_cache(maxsize=64)
def conditions_of(expression: str, *, shareable: bool) -> tuple[Condition, ...]:
    """The conditions of an expression that compiles; none of one that does not."""
    from kubelint_gpu.kube.cel.cel_errors import CompileError, NotKnown
    from kubelint_gpu.kube.cel.evaluation import Planner
    from kubelint_gpu.kube.cel.parsing import parse
    from kubelint_gpu.kube.cel.type_checking import Checker

    try:
        tree = parse(expression)
        checker = Checker({"device": DEVICE}, {DEVICE: device_fields(shareable)})
        checker.result(tree)
        if checker.issues:
            return ()
        found = []
        for node in _joined(tree):
            planner = Planner(("device",))
            found.append(Condition(planner.visit(node), planner.most, *_comparison(node)))
            if len(found) > _MOST:
                return ()
    except (CompileError, NotKnown):
        return ()
    return tuple(found)


def _joined(tree: Node) -> Iterator[Node]:
    from kubelint_gpu.kube.cel.syntax import Call

    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Call) and node.function == "_&&_":
            waiting += reversed(node.args)
        else:
            yield node


def _comparison(node: Node) -> tuple[tuple[str, str, str] | None, str, Any, int]:
    """What a condition compares with a literal: path, relation, literal, and where that stands."""
    from kubelint_gpu.kube.cel.syntax import Call, Const

    if isinstance(node, Call) and node.function in _COMPARISONS and len(node.args) == 2:
        left, right = node.args
        path = _path(left)
        literal = _literal(right)
        if path is not None and literal is not None:
            return path, _COMPARISONS[node.function], literal.value, literal.offset
        order = isinstance(left, Call) and left.function == "compareTo" and left.target is not None
        if isinstance(left, Call) and order and isinstance(right, Const) and right.value == 0:
            return _method(left, _COMPARISONS[node.function])
    if isinstance(node, Call) and node.function in _METHODS and node.target is not None:
        return _method(node, _METHODS[node.function])
    return None, "", None, 0


def _method(call: Call, relation: str) -> tuple[tuple[str, str, str] | None, str, Any, int]:
    path = None if call.target is None else _path(call.target)
    literal = _literal(call.args[0]) if call.args else None
    if path is None or literal is None:
        return None, "", None, 0
    return path, relation, literal.value, literal.offset


def _path(node: Node) -> tuple[str, str, str] | None:
    path = literal_path(node)
    return (path[0], path[1], path[2]) if path is not None and len(path) == 3 else None


def _literal(node: Node) -> Const | None:
    """A literal, or the one of `quantity('…')` and `semver('…')`."""
    from kubelint_gpu.kube.cel.syntax import Call, Const

    if isinstance(node, Call) and node.function in ("quantity", "semver") and len(node.args) == 1:
        node = node.args[0]
    return node if isinstance(node, Const) and node.kind in ("string", "int", "bool", "double", "uint") else None
