"""Device selectors: CEL expressions about one device.

Source: k8s.io/dynamic-resource-allocation/cel/compile.go, 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import CompileError, EvaluationError, NotKnown, compile_error
from kubelint_gpu.kube.cel.cel_values import type_name
from kubelint_gpu.kube.cel.evaluation_cost import TOO_LONG, Evaluation
from kubelint_gpu.kube.dra.sight import Sight, Subject, device_value, seen_by, sight_of
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge, paid

DEVICE = "kubernetes.DRADevice"
_NAME = pattern(r"__[a-z][a-z0-9_]*?__", re.ASCII)


class SelectorVerdict(Value):
    """The result of an expression for a device.

    Attributes:
        matches: whether it selects the device.
        error: the runtime error of the evaluation; empty if there was none.
        unknown: why the result is not known; empty if it is.
    """

    matches: bool
    error: str = ""
    unknown: str = ""


class Selector:
    """A compiled expression.

    Attributes:
        expression: its text.
        error: why it does not compile; None if it does.
        sight: the parts of a device that it looks at.
    """

    __slots__ = ("_most", "_program", "_verdicts", "error", "expression", "sight")

    def __init__(self, expression: str, *, shareable: bool, library: int | None = None) -> None:
        self.expression = expression
        self.error: CompileError | None = None
        self.sight = Sight()
        self._program: Any = None
        self._most = 0
        self._verdicts: dict[Subject, tuple[SelectorVerdict, int]] = {}
        self._compile(shareable, library)

    def _compile(self, shareable: bool, library: int | None) -> None:
        if is_filled_in(self.expression):
            self._program = _unknown("the expression is filled in later")
            return
        from kubelint_gpu.kube.cel.evaluation import Planner
        from kubelint_gpu.kube.cel.parsing import parse
        from kubelint_gpu.kube.cel.type_checking import Checker, folding_error
        from kubelint_gpu.kube.cel.types import shown

        try:
            tree = parse(self.expression)
            checker = Checker({"device": DEVICE}, {DEVICE: device_fields(shareable)}, library)
            result = checker.result(tree)
            planner = Planner(("device",))
            if checker.issues:
                self.error = compile_error(self.expression, checker.issues)
            elif result not in ("bool", "any"):
                self.error = CompileError(f"must evaluate to bool or the unknown type, not {shown(result)}")
            elif failed := folding_error(tree):
                self.error = CompileError(f"program instantiation failed: {failed}")
            else:
                self._program = planner.visit(tree)
                self._most = planner.most
                self.sight = sight_of(tree)
        except CompileError as error:
            self.error = error
        except NotKnown as unknown:
            self._program = _unknown(str(unknown))

    def verdict(self, subject: Subject) -> SelectorVerdict:
        """The result of the expression for a device, computed once for all devices that look the same to it.

        Raises:
            UsedUp: the work of the run is used up.
        """
        if subject.broken:
            return SelectorVerdict(False, subject.broken)
        paid_for = paid()
        if self.expression in paid_for:
            return _too_long()
        seen = seen_by(subject, self.sight)
        found = self._verdicts.get(seen)
        if found is None:
            found = self._verdicts[seen] = self._evaluated(seen)
        verdict, steps = found
        if (self.expression, seen) not in paid_for:
            if verdict.unknown and verdict == _too_long():  # so it may be for every device: no other one is tried
                paid_for.add(self.expression)
            charge(steps)
            paid_for.add((self.expression, seen))
        return verdict

    def _evaluated(self, subject: Subject) -> tuple[SelectorVerdict, int]:
        run = Evaluation([device_value(subject), *[None] * self._most])
        return self._said(run), run.of_a_run()

    def _said(self, run: Evaluation) -> SelectorVerdict:

        try:
            value = self._program(run)
        except EvaluationError as error:
            return SelectorVerdict(False, str(error))
        except NotKnown as unknown:
            return SelectorVerdict(False, "", str(unknown))
        except RecursionError:
            return SelectorVerdict(False, "", "the expression nests too deep")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, MemoryError) as surprise:
            # an expression is untrusted: what was not thought of makes its verdict unknown, and ends no run
            return SelectorVerdict(
                False, "", f"the expression has a value that is not modelled ({type(surprise).__name__})"
            )
        if isinstance(value, bool):
            return SelectorVerdict(value)
        kind = type_name(value)
        detail = _NO_BOOL.get(kind, f"type conversion error from '{kind.rpartition('.')[2]}' to 'bool'")
        return SelectorVerdict(False, f"CEL result of type {kind} could not be converted to bool: {detail}")


def _too_long() -> SelectorVerdict:
    return SelectorVerdict(False, "", TOO_LONG)


_NO_BOOL = {
    "string": "unsupported native conversion from string to 'bool'",
    "int": "unsupported type conversion from 'int' to bool",
}


@lru_cache(maxsize=512)
def selector(expression: str, *, shareable: bool = True, library: int | None = None) -> Selector:
    """The compiled selector; `shareable` says whether the release knows `allowMultipleAllocations`.

    With `library`, only functions of that minor release are known.
    """
    return Selector(expression, shareable=shareable, library=library)


def is_filled_in(expression: str) -> bool:
    """Whether a part of an expression is filled in later; `__name__` is an ordinary name in expressions."""
    return is_placeholder(_NAME().sub("", expression))


def device_fields(shareable: bool) -> Mapping[str, Any]:
    """The fields of `device` and their types; `shareable` says whether the release knows `allowMultipleAllocations`."""
    from kubelint_gpu.kube.cel.types import ANY, BOOL, QUANTITY, STRING

    found: dict[str, Any] = {
        "driver": STRING,
        "attributes": ("map", STRING, ("map", STRING, ANY)),
        "capacity": ("map", STRING, ("map", STRING, QUANTITY)),
    }
    return {**found, "allowMultipleAllocations": BOOL} if shareable else found


def _unknown(reason: str) -> Any:
    def program(_run: Any) -> Any:
        raise NotKnown(reason)

    return program
