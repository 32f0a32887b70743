"""The conditions that an expression joins with `&&`: which ones a device misses, and what each looks at.

Only for messages: `Selector` decides whether a device is selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import CompileError, EvaluationError, NotKnown
from kubelint_gpu.kube.cel.evaluation_cost import Evaluation
from kubelint_gpu.kube.cel.syntax import Call, Const, ListNode, Node, Select
from kubelint_gpu.kube.dra.selector import DEVICE, device_fields
from kubelint_gpu.kube.dra.sight import Subject, device_value, literal_path, sight_of
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge

Path = tuple[str, str, str]
"""What a condition looks at: (`attributes`, `capacity` or `driver`, domain, identifier)."""
DRIVER: Path = ("driver", "", "driver")
STARTS, ENDS, CONTAINS = "starting with ", "ending with ", "containing "
_OTHER, _BELOW, _MOST_OF, _ABOVE, _LEAST = "other than ", "below ", "at most ", "above ", "at least "
_COMPARISONS = {"_==_": "", "_!=_": _OTHER, "_<_": _BELOW, "_<=_": _MOST_OF, "_>_": _ABOVE, "_>=_": _LEAST}
_MIRRORED = {"_==_": "_==_", "_!=_": "_!=_", "_<_": "_>_", "_<=_": "_>=_", "_>_": "_<_", "_>=_": "_<=_"}
_METHODS = {
    "isGreaterThan": _ABOVE,
    "isLessThan": _BELOW,
    "startsWith": STARTS,
    "endsWith": ENDS,
    "contains": CONTAINS,
    "matches": "matching ",
}
_NEGATED = {"": _OTHER, _OTHER: "", _BELOW: _LEAST, _LEAST: _BELOW, _MOST_OF: _ABOVE, _ABOVE: _MOST_OF}
_WITHOUT_CASE = ("lowerAscii", "upperAscii", "trim")
_MOST = 64


class Literal(Value):
    """A literal: its value, its offset in the expression, and whether it is a text."""

    value: Any
    offset: int
    is_text: bool


class AskedValues(Value):
    """The comparison in a condition.

    Attributes:
        paths: the compared paths: only one if it is compared with literals.
        relation: how it is compared: `at least `, empty for equality with one of them; None for other conditions.
        literals: the literals that it is compared with; empty if it only has to exist.
        as_it_is: whether the comparison is case-sensitive.
    """

    paths: tuple[Path, ...]
    relation: str | None = None
    literals: tuple[Literal, ...] = ()
    as_it_is: bool = True


def asked_values(node: Node) -> AskedValues:
    """Return the comparison in a condition; if it compares several paths, only these."""
    if isinstance(node, Call) and node.function == "!_":
        found = asked_values(node.args[0])
        if found.literals and found.relation in _NEGATED:
            return replace(found, relation=_NEGATED[found.relation])
    elif isinstance(node, Call) and node.function in _COMPARISONS and len(node.args) == 2:
        left, right = node.args
        order = isinstance(left, Call) and left.function == "compareTo" and _literals(right)[:1]
        if isinstance(left, Call) and left.target is not None and order and order[0].value == 0:
            return _compared(left.target, _COMPARISONS[node.function], left.args[0]) or _looked_at(node)
        mirrored = _COMPARISONS[_MIRRORED[node.function]]
        found_here = _compared(left, _COMPARISONS[node.function], right) or _compared(right, mirrored, left)
        return found_here or _looked_at(node)
    elif isinstance(node, Call) and node.function == "@in" and (found_in := _compared(node.args[0], "", node.args[1])):
        return found_in
    elif isinstance(node, Call) and node.function in _METHODS and node.target is not None and len(node.args) == 1:
        return _compared(node.target, _METHODS[node.function], node.args[0]) or _looked_at(node)
    elif (isinstance(node, Call) and node.function == "@in") or (isinstance(node, Select) and node.test):
        path = _path(node)
        return AskedValues((path,), "") if path is not None else _looked_at(node)
    return _looked_at(node)


def _looked_at(node: Node) -> AskedValues:
    return AskedValues(tuple(sorted(sight_of(node).parts)))


def _compared(subject: Node, relation: str, wanted: Node) -> AskedValues | None:
    """The comparison of a part of a device with literals; None for any other comparison."""
    as_it_is = True
    while isinstance(subject, Call) and subject.function in _WITHOUT_CASE and subject.target is not None:
        subject, as_it_is = subject.target, False
    path, literals = _path(subject), _literals(wanted)
    return AskedValues((path,), relation, literals, as_it_is) if path is not None and literals else None


def _path(node: Node) -> Path | None:
    path = literal_path(node)
    if path == ("driver",):
        return DRIVER
    return (path[0], path[1], path[2]) if path is not None and len(path) == 3 else None


def _literals(node: Node) -> tuple[Literal, ...]:
    """A literal, the one in `quantity('…')` or `semver('…')`, or those of a list; empty for anything else."""
    if isinstance(node, ListNode):
        found = [_literals(one) for one in node.items]
        return tuple([one for each in found for one in each]) if all(found) else ()
    is_text = isinstance(node, Const) and node.kind == "string"
    if isinstance(node, Call) and node.function in ("quantity", "semver") and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, Const) and node.kind in ("string", "int", "bool", "double", "uint"):
        return (Literal(node.value, node.offset, is_text),)
    return ()


class Condition(Value):
    """A condition of an expression: its program, the number of variables that it needs, and what it compares."""

    program: Any
    slots: int
    asks: AskedValues

    def holds(self, subject: Subject) -> bool:
        """Whether a device meets it; False if it cannot be evaluated.

        Raises:
            UsedUp: the work of the run is used up.
        """
        run = Evaluation([device_value(subject), *[None] * self.slots])
        try:
            return self.program(run) is True
        except (EvaluationError, NotKnown, RecursionError, ArithmeticError, LookupError, TypeError, ValueError):
            return False
        finally:
            charge(run.of_a_run())


@lru_cache(maxsize=64)
def conditions_of(expression: str, *, shareable: bool) -> tuple[Condition, ...]:
    """The conditions of an expression; none if it does not compile."""
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
            found.append(Condition(planner.visit(node), planner.most, asked_values(node)))
            if len(found) > _MOST:
                return ()
    except (CompileError, NotKnown):
        return ()
    return tuple(found)


def _joined(tree: Node) -> Iterator[Node]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Call) and node.function == "_&&_":
            waiting += reversed(node.args)
        else:
            yield node
