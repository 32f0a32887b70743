"""Calls functions: the accepted types, the errors for others, and the cost.

Source of costs: cel-go 0.26 interpreter/runtimecost.go and k8s.io/apiserver/pkg/cel/library/cost.go, 1.36.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import NO_OVERLOAD, Map, Optional, type_name
from kubelint_gpu.kube.cel.functions.strings import steps_of
from kubelint_gpu.kube.cel.types import Type

Function = Callable[..., Any]

_OPERATORS = frozenset(["_+_", "_-_", "_*_", "_/_", "_%_", "-_", "!_", "_<_", "_<=_", "_>_", "_>=_", "@in"])
_ORDER = frozenset(("_<_", "_<=_", "_>_", "_>=_"))
_TIMES = frozenset(("google.protobuf.Duration", "google.protobuf.Timestamp"))
_ADDED = frozenset(("int", "uint", "double", "string", "bytes", "list")) | _TIMES
_COMPARED = _ADDED - {"list"} | {"bool"}
_BARE = frozenset(["startsWith", "endsWith", "contains", "matches", "find", "findAll"])
_NAMED = frozenset(("size", "sort"))
_TRAVERSALS = frozenset(
    ["startsWith", "endsWith", "lowerAscii", "upperAscii", "substring", "trim", "quantity", "isQuantity", "semver"]
)
_TRAVERSALS |= frozenset(["isSemver", "strings.quote", "format", "ip", "isIP", "cidr", "isCIDR", "url"])
_STEPS: dict[str, Function] = {"matches": steps_of, "find": steps_of, "findAll": partial(steps_of, every=True)}
_LISTS = frozenset(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"])


def call_of(name: str, args: list[Callable[[Any], Any]], overloads: list[tuple[Type, ...]]) -> Callable[[Any], Any]:
    """The program of a call; its arguments are programs, too."""
    function = _table().get(name)
    cost = _cost_of(name)
    steps = _STEPS.get(name)

    def call(run: Any) -> Any:
        values = [arg(run) for arg in args]
        if function is None:
            raise NotKnown(f"{name} is not modelled")
        if not any(_takes(values, wanted) for wanted in overloads):
            raise EvaluationError(_refusal(name, values))
        run.spend(cost(values))
        if steps is not None:
            run.spend(0, steps(*values))
        return run.made(function(*values))

    return call


@lru_cache(maxsize=1)
def _table() -> dict[str, Function]:
    from kubelint_gpu.kube.cel.functions import lists, numbers, quantity_functions, strings

    every = numbers, strings, lists, quantity_functions
    return {name: function for one in every for name, function in one.FUNCTIONS.items()}


def _takes(values: list[Any], wanted: tuple[Type, ...]) -> bool:
    return len(values) == len(wanted) and all(_is(value, kind) for value, kind in zip(values, wanted, strict=True))


def _is(value: Any, kind: Type) -> bool:
    if kind in ("dyn", "any"):
        return True
    if isinstance(kind, tuple):
        if kind[0] == "param":
            return True
        if kind[0] == "list":
            return type(value) is list and (not value or _is(value[0], kind[1]))
        if kind[0] == "map":
            return type(value) is Map
        return kind[0] == "optional_type" and type(value) is Optional
    return bool(type_name(value) == kind)


def _refusal(name: str, values: list[Any]) -> str:
    kinds = [type_name(value) for value in values]
    if name in _BARE or name == "!_":
        return NO_OVERLOAD
    if name in _NAMED:
        return f"{NO_OVERLOAD}: {name}"
    if name in _OPERATORS:
        able = _COMPARED if name in _ORDER else _ADDED
        return NO_OVERLOAD if kinds[0] in able or name == "@in" else f"{NO_OVERLOAD}: {name}"
    if name == "flatten":
        return f"{NO_OVERLOAD}: {kinds[0]}.flatten({', '.join(kinds[1:])})"
    return f"{NO_OVERLOAD}: {name}({', '.join(kinds)})"


def _size(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes, list, Map)) else 1


def _tenth(size: int) -> int:
    return -(-size // 10)


def _cost_of(name: str) -> Callable[[list[Any]], int]:
    if name in _TRAVERSALS:
        return lambda values: _tenth(_size(values[0]))
    if name in ("replace", "split", "join"):
        return lambda values: _tenth(2 * _size(values[0]))
    if name in _LISTS:
        return lambda values: _traversal(values[0])
    if name == "@in":
        return lambda values: _size(values[1]) if type(values[1]) is list else 1
    if name == "_+_":
        return lambda values: _tenth(_size(values[0]) + _size(values[1])) if isinstance(values[0], (str, bytes)) else 1
    if name in ("matches", "find", "findAll"):
        return lambda values: _tenth(_size(values[0]) + 1) * -(-_size(values[1]) // 4)
    if name == "contains":
        return lambda values: _tenth(_size(values[0])) * _tenth(_size(values[1]))
    if name.startswith("sets."):
        return lambda values: 1 + _size(values[0]) * _size(values[1])
    if name == "distinct":
        return lambda values: 1 + _size(values[0]) ** 2
    return lambda _values: 1


def _traversal(value: Any) -> int:
    if isinstance(value, (str, bytes)):
        return len(value) // 10
    return sum(map(_traversal, value)) if type(value) is list else 1
