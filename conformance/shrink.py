"""Smaller cases that may still show the same disagreement."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from conformance.api_client import Object
from conformance.rollout_case import Case, reference

_OPTIONAL = ("affinity", "topologySpreadConstraints", "nodeSelector", "priorityClassName", "volumes")


def shrunk(case: Case, still: Callable[[Case], bool], attempts: int = 30) -> Case:
    """The smallest case found for which `still` holds, after at most so many questions."""
    while attempts > 0:
        for smaller in candidates(case):
            attempts -= 1
            if still(smaller):
                case = smaller
                break
            if attempts <= 0:
                return case
        else:
            return case
    return case


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
