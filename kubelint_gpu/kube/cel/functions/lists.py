"""Functions of lists, sets, maps and optional values."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import (
    MOST_ITEMS,
    NONE,
    Duration,
    Map,
    Optional,
    Uint,
    compare,
    equal,
    equal_inside,
)
from kubelint_gpu.kube.cel.functions.numbers import FUNCTIONS as _ARITHMETIC


def index_of(items: list[Any], wanted: Any) -> int:
    """The index of the first equal item; -1 if there is none."""
    return next((place for place, item in enumerate(items) if equal(item, wanted)), -1)


def last_index_of(items: list[Any], wanted: Any) -> int:
    """The index of the last equal item; -1 if there is none."""
    return next((place for place in range(len(items) - 1, -1, -1) if equal(items[place], wanted)), -1)


def _order(one: Any, other: Any) -> int:
    return compare(one, other, "_<_")


def _sum(items: list[Any]) -> Any:
    if not items:
        return 0
    total: Any = items[0]
    for item in items[1:]:
        total = _ARITHMETIC["_+_"](total, item)
    return total


def _extreme(name: str, sign: int) -> Any:
    def extreme(items: list[Any]) -> Any:
        if not items:
            raise EvaluationError(f"{name} called on empty list")
        found = items[0]
        for item in items[1:]:
            if _order(item, found) * sign > 0:
                found = item
        return found

    return extreme


def _sorted_by(items: list[Any], keys: list[Any]) -> list[Any]:
    if keys and any(type(key) is not type(keys[0]) for key in keys):
        raise EvaluationError("list elements must have the same type")
    by_order = cmp_to_key(_order)
    places = sorted(range(len(items)), key=lambda place: by_order(keys[place]))
    return [items[place] for place in places]


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(items) < end:
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    found = items
    for _ in range(min(depth, 250)):
        if not any(isinstance(item, list) for item in found):
            break
        found = [inner for item in found for inner in (item if isinstance(item, list) else [item])]
    return found


def _range(count: int) -> list[int]:
    if count > MOST_ITEMS:
        raise NotKnown("a list grows too long")
    return list(range(count))


def _distinct(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        if not _among(found, item):
            found.append(item)
    return found


def _among(items: list[Any], wanted: Any) -> bool:
    return any(equal_inside(item, wanted) for item in items)


def _contains(items: list[Any], wanted: list[Any]) -> bool:
    return all(_among(items, one) for one in wanted)


def _insert(entries: Map, *more: Any) -> Map:
    added = [(key, more[0].find(key)[1]) for key in more[0]] if len(more) == 1 else [(more[0], more[1])]
    for key, _ in added:
        if entries.find(key)[0]:
            raise EvaluationError(f"insert failed: key {key} already exists")
    return Map([*entries.entries.values(), *added])


def _value(found: Optional) -> Any:
    if not found.present:
        raise EvaluationError("optional.none() dereference")
    return found.value


def _non_zero(value: Any) -> Optional:
    zero = not value.nanoseconds if isinstance(value, Duration) else value is None or value in (0, "", b"")
    empty = isinstance(value, (list, Map)) and not len(value)
    return NONE if zero or empty or (isinstance(value, Uint) and not value) else Optional(True, value)


def _unwrap(items: list[Any]) -> list[Any]:
    return [item.value for item in items if item.present]


FUNCTIONS: dict[str, Any] = {
    "isSorted": lambda items: all(_order(one, other) <= 0 for one, other in pairwise(items)),
    "sum": _sum,
    "min": _extreme("min", -1),
    "max": _extreme("max", 1),
    "sort": lambda items: _sorted_by(items, items),
    "sortBy": _sorted_by,
    "slice": _slice,
    "flatten": _flatten,
    "lists.range": _range,
    "distinct": _distinct,
    "first": lambda items: Optional(True, items[0]) if items else NONE,
    "last": lambda items: Optional(True, items[-1]) if items else NONE,
    "sets.contains": _contains,
    "sets.intersects": lambda one, other: any(_among(one, item) for item in other),
    "sets.equivalent": lambda one, other: _contains(one, other) and _contains(other, one),
    "cel.@mapInsert": _insert,
    "optional.of": lambda value: Optional(True, value),
    "optional.ofNonZeroValue": _non_zero,
    "optional.none": lambda: NONE,
    "optional.unwrap": _unwrap,
    "unwrapOpt": _unwrap,
    "value": _value,
    "hasValue": lambda found: found.present,
}
