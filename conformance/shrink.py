"""Smaller cases that still show a disagreement: what is printed of one shall be read by a person."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from conformance.api_client import Object
from conformance.rollout_case import Case, reference

Value = TypeVar("Value")
_NAMED = (("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"))
_OPTIONAL = ("affinity", "topologySpreadConstraints", "nodeSelector", "priorityClassName", "volumes")


def rollout(case: Case, wrong: Callable[[Case], str], attempts: int = 60) -> Case:
    """The smallest rollout found about which linter and cluster still disagree; `wrong` says how, empty where not."""
    return shrunk(case, candidates, lambda smaller: bool(wrong(smaller)), attempts)


def whole_object(value: Object, wrong: Callable[[Object], bool], attempts: int = 200) -> Object:
    """The smallest object found about which linter and API server still disagree in the same way."""
    return shrunk(value, parts, wrong, attempts)


def shrunk(value: Value, fewer: Callable[[Value], Iterable[Value]], still: Callable[[Value], bool], most: int) -> Value:
    """The smallest value found for which `still` holds, after at most so many questions.

    `fewer` gives the values that have one thing less.
    After a success the search goes on where it was; it ends when nothing can be taken away any more.
    """
    number = failed = 0
    for _ in range(most):
        options = list(fewer(value))
        if failed >= len(options):
            break
        number %= len(options)
        if still(options[number]):
            value, failed = options[number], 0
        else:
            number, failed = number + 1, failed + 1
    return value


def parts(value: Object) -> Iterator[Object]:
    """An object with one field or one entry of a list less, large ones first; what names it stays."""
    pointers = sorted(_pointers(value, ()), key=lambda pointer: (len(pointer), [str(part) for part in pointer]))
    for pointer in pointers:
        if pointer not in _NAMED:
            smaller: Any = copy.deepcopy(value)
            inner = smaller
            for part in pointer[:-1]:
                inner = inner[part]
            del inner[pointer[-1]]
            yield smaller


def _pointers(value: Any, above: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*above, key)
        yield from _pointers(value[key], (*above, key))


def candidates(case: Case) -> Iterator[Case]:
    """Every case with one thing less."""
    changed = {reference(each) for each in case.new}
    for name in sorted(reference(each) for each in case.old):
        if name not in changed or len(changed) > 1:
            yield replace(case, old=_without(case.old, name), new=_without(case.new, name))
    for number in range(len(case.inventory)):
        yield replace(case, inventory=(*case.inventory[:number], *case.inventory[number + 1 :]))
    for name in sorted({reference(each) for each in case.old}):
        yield from _changed(case, name, _fewer)
        for field in _OPTIONAL:
            yield from _changed(case, name, partial(_drop, field))
        yield from _changed(case, name, _default_strategy)


def _without(values: tuple[Object, ...], name: str) -> tuple[Object, ...]:
    return tuple(each for each in values if reference(each) != name)


def _changed(case: Case, name: str, change: Callable[[Object], bool]) -> Iterator[Case]:
    old, new = copy.deepcopy(case.old), copy.deepcopy(case.new)
    done = [change(each) for each in (*old, *new) if reference(each) == name]
    if any(done):
        yield replace(case, old=old, new=new)


def _fewer(value: Object) -> bool:
    if value["spec"].get("replicas", 0) < 2:
        return False
    value["spec"]["replicas"] -= 1
    return True


def _drop(field: str, value: Object) -> bool:
    return value["spec"]["template"]["spec"].pop(field, None) is not None


def _default_strategy(value: Object) -> bool:
    return value["spec"].pop("strategy", None) is not None
