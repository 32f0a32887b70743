"""From a checked tree to a program, and from a program and its inputs to a value.

A program is a closure that takes the slots of its variables and its budget.
Costs are those that cel-go tracks at run time, so that an expression is cancelled when the scheduler cancels it. If
this program would take too long before that, the value is not known.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import NO_OVERLOAD, NONE, Map, Optional, TypeValue, Uint, equal, type_name
from kubelint_gpu.kube.cel.evaluation_cost import Cancelled, Evaluation, Failure, Step
from kubelint_gpu.kube.cel.functions.library import call_of
from kubelint_gpu.kube.cel.syntax import (
    Call,
    Const,
    Fold,
    Ident,
    ListNode,
    MapNode,
    Select,
    Struct,
    Visitor,
    qualified_name,
)


def index_step(args: list[Step], *, optional: bool) -> Step:
    """The program for `a[b]` and `a[?b]`."""
    operand, index = args

    def lookup(run: Evaluation) -> Any:
        value, key = operand(run), index(run)
        run.spend(1)
        if type(value) is Optional:
            return optional_field(value, key)
        if not optional:
            return at(value, key)
        return _optional_at(value, key)

    return lookup


def at(value: Any, key: Any) -> Any:
    """The entry or item of a value. Raises EvaluationError if it is missing."""
    if not isinstance(key, (str, int, float)):
        raise EvaluationError(f"invalid qualifier type: {type_name(key)}")
    if type(value) is Map:
        present, found = value.find(key)
        if present:
            return found
    elif type(value) is list:
        return _item(value, key)
    raise EvaluationError(f"no such key: {_written(key)}")


def _item(items: list[Any], key: Any) -> Any:
    if isinstance(key, bool) or not isinstance(key, (int, float)) or key != int(key):
        raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")
    if not 0 <= key < len(items):
        raise EvaluationError(f"index out of bounds: {int(key)}")
    return items[int(key)]


def _optional_at(value: Any, key: Any) -> Optional:
    if type(value) is Map:
        present, found = value.find(key)
        return Optional(True, found) if present else NONE
    if type(value) is list and isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(value):
        return Optional(True, value[key])
    return NONE


def optional_field(value: Optional, key: Any) -> Optional:
    """The entry or item of an optional value; no value if either is missing."""
    return _optional_at(value.value, key) if value.present else NONE


def has(value: Any, name: str) -> bool:
    """Whether a value has a field."""
    if type(value) is Optional:
        return value.present and has(value.value, name)
    return type(value) is Map and value.find(name)[0]


def _written(key: Any) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)


_TYPES = frozenset(
    ["bool", "bytes", "double", "int", "string", "uint", "list", "map", "type", "null_type", "dyn", "optional_type"]
)
_TYPE_NAMES = _TYPES | {"google.protobuf.Timestamp", "google.protobuf.Duration", "net.IP", "net.CIDR"}


class Planner(Visitor[Step]):
    """Makes a program of a tree: `visit` returns the program of a node."""

    def __init__(self, variables: tuple[str, ...]) -> None:
        self._slots: list[str] = list(variables)
        self.most = len(variables)

    def _const(self, node: Const) -> Step:
        value = Uint(node.value) if node.kind == "uint" else node.value
        return lambda _run: value

    def _struct(self, node: Struct) -> Step:
        raise NotKnown(f"message {node.name} is not modelled")

    def _ident(self, node: Ident) -> Step:
        return self._variable(node.name.removeprefix("."))

    def _variable(self, name: str) -> Step:
        if name not in self._slots:
            kind = TypeValue(name)

            def constant(run: Evaluation) -> Any:
                run.spend(1)
                return kind

            return constant
        slot = len(self._slots) - 1 - self._slots[::-1].index(name)

        def variable(run: Evaluation) -> Any:
            run.spend(1)
            found = run.slots[slot]
            if type(found) is Failure:
                raise found.error
            return found

        return variable

    def _select(self, node: Select) -> Step:
        name = node.name
        full = qualified_name(node)
        if full is not None and full in _TYPE_NAMES and full.partition(".")[0] not in self._slots:
            return self._variable(full)
        operand = self.visit(node.operand)
        if node.test:
            return lambda run: has(operand(run), name)

        def select(run: Evaluation) -> Any:
            value = operand(run)
            run.spend(1)
            if type(value) is Optional:
                return optional_field(value, name)
            return at(value, name)

        return select

    def _list(self, node: ListNode) -> Step:
        items = [self.visit(item) for item in node.items]
        optional = node.optional
        constant = all(isinstance(item, Const) for item in node.items)
        price = 0 if constant and items else 10

        def make(run: Evaluation) -> Any:
            run.spend(price)
            if not optional:
                return run.made([item(run) for item in items])
            found = []
            for place, item in enumerate(items):
                value = item(run)
                if place not in optional:
                    found.append(value)
                elif type(value) is not Optional:
                    raise EvaluationError(f"cannot initialize optional list element from non-optional value {value}")
                elif value.present:
                    found.append(value.value)
            return run.made(found)

        return make

    def _map(self, node: MapNode) -> Step:
        entries = [(self.visit(key), self.visit(value), optional) for key, value, optional in node.entries]

        def make(run: Evaluation) -> Any:
            run.spend(30)
            found = []
            for key_of, value_of, optional in entries:
                key, value = key_of(run), value_of(run)
                if optional:
                    if not value.present:
                        continue
                    value = value.value
                found.append((key, value))
            return run.made(Map(found))

        return make

    def _fold(self, node: Fold) -> Step:
        over, initial = self.visit(node.range), self.visit(node.initial)
        accumulator, first = len(self._slots), len(self._slots) + 1
        self._slots += [node.accumulator, node.item, *([node.second] if node.second else [])]
        self.most = max(self.most, len(self._slots))
        condition, step = self.visit(node.condition), self.visit(node.step)
        two = bool(node.second)
        del self._slots[first:]
        result = self.visit(node.result)
        del self._slots[accumulator:]

        def fold(run: Evaluation) -> Any:
            items = over(run)
            slots = run.slots
            if type(items) not in (list, Map):
                raise EvaluationError(f"got '{type(items).__name__}', expected iterable type")
            slots[accumulator] = _tried(initial, run)
            for place, item in enumerate(items):
                if two:
                    is_map = type(items) is Map
                    slots[first] = item if is_map else place
                    slots[first + 1] = items.find(item)[1] if is_map else item
                else:
                    slots[first] = item
                if condition(run) is not True:
                    break
                slots[accumulator] = _tried(step, run)
            return result(run)

        return fold

    def _call(self, node: Call) -> Step:
        name = node.function
        if name in ("_&&_", "_||_"):
            return self._logical(node, name == "_||_")
        if name == "@in" and isinstance(node.args[1], ListNode) and not node.args[1].items:
            return lambda _run: False
        args = [self.visit(arg) for arg in ([node.target] if node.target is not None else []) + node.args]
        if name == "_?_:_":
            return _conditional(args)
        if name == "@not_strictly_false":
            return _not_strictly_false(args[0])
        if name in ("_==_", "_!=_"):
            return _equality(args, name == "_==_")
        if name in ("_[_]", "_[?_]", "_?._"):
            return index_step(args, optional=name != "_[_]")
        if name in ("or", "orValue") and node.target is not None:
            return _or_else(args, unwrap=name == "orValue")
        return call_of(name, args, node.overloads)

    def _logical(self, node: Call, dominant: bool) -> Step:
        terms = [self.visit(arg) for arg in node.args]

        def logical(run: Evaluation) -> Any:
            failed: EvaluationError | None = None
            for term in terms:
                try:
                    value = term(run)
                except Cancelled:
                    raise
                except EvaluationError as error:
                    failed = failed or error
                    continue
                if value is dominant:
                    return dominant
                if value is not (not dominant):
                    failed = failed or EvaluationError(NO_OVERLOAD)
            if failed is not None:
                raise failed
            return not dominant

        return logical


def _tried(step: Step, run: Evaluation) -> Any:
    try:
        return step(run)
    except Cancelled:
        raise
    except EvaluationError as error:
        return Failure(error)


def _conditional(args: list[Step]) -> Step:
    condition, yes, no = args

    def choose(run: Evaluation) -> Any:
        found = condition(run)
        if type(found) is not bool:
            raise EvaluationError(NO_OVERLOAD)
        return yes(run) if found else no(run)

    return choose


def _not_strictly_false(arg: Step) -> Step:
    def still_open(run: Evaluation) -> bool:
        try:
            return arg(run) is not False
        except Cancelled:
            raise
        except EvaluationError:
            return True

    return still_open


def _equality(args: list[Step], wanted: bool) -> Step:
    left, right = args

    def compare(run: Evaluation) -> bool:
        one, other = left(run), right(run)
        run.spend(1 + min(_size(one), _size(other)) // 10)
        run.made(one)
        try:
            return equal(one, other) is wanted
        except EvaluationError:
            if wanted:
                raise
            return True

    return compare


def _size(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes, list, Map)) else 1


def _or_else(args: list[Step], *, unwrap: bool) -> Step:
    first, second = args

    def either(run: Evaluation) -> Any:
        found = first(run)
        if type(found) is not Optional:
            return found
        if not found.present:
            return second(run)
        return found.value if unwrap else found

    return either
