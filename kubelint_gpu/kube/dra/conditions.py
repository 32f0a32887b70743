"""The conditions that an expression joins with `&&`: which of them a device misses, and what each compares.

For messages only: whether a device is selected, `Selector` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import CompileError, EvaluationError, NotKnown
from kubelint_gpu.kube.cel.evaluation_cost import Evaluation
from kubelint_gpu.kube.cel.syntax import Call, Node
from kubelint_gpu.kube.dra.asked_values import AskedValues, asked_values
from kubelint_gpu.kube.dra.selector import DEVICE, device_fields
from kubelint_gpu.kube.dra.sight import Subject, device_value
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

_MOST = 64


class Condition(Value):
    """A condition of an expression: the program that works it out, how many variables that needs, what it asks for."""

    program: Any
    slots: int
    asks: AskedValues

    def holds(self, subject: Subject) -> bool:
        """Whether a device has it; not where it cannot be worked out.

        Raises:
            UsedUp: it took more than what a run may do.
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
    """The conditions of an expression that compiles; none of one that does not."""
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
