"""What the API server refuses of the rules by which a Job fails or succeeds early.

Source: pkg/apis/batch/validation of Kubernetes, 1.34.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.names import is_qualified_name
from kubelint_gpu.kube.values.plain import containers, mapping, sequence, shortened, whole
from kubelint_gpu.patterns import pattern

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_VALUES = 255
_RANGE = pattern(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", re.ASCII)
Problems = Iterator[InvalidObject]


def unsupported(value: str, choices: tuple[str, ...], where: Pointer) -> InvalidObject:
    """A value that is none of some choices."""
    named = ", ".join(f'"{choice}"' for choice in choices)
    text = f'unsupported value "{shortened(value)}": supported values: {named}'
    return InvalidObject(text, where, value, allowed=choices)


def failure_policy_problems(spec: dict[str, Any], base: Pointer) -> Problems:
    """Every problem of the podFailurePolicy of a Job's spec, which stands at `base`."""
    pod = mapping(mapping(spec.get("template")).get("spec"))
    restart = pod.get("restartPolicy")
    if restart == "OnFailure":
        text = 'only "Never" is supported when podFailurePolicy is specified'
        yield InvalidObject(text, (*base, "template", "spec", "restartPolicy"), restart)
    rules = sequence(mapping(spec.get("podFailurePolicy")).get("rules"))
    where = (*base, "podFailurePolicy", "rules")
    yield from _too_many(rules, _MOST_RULES, where)
    names = frozenset(str(container.get("name")) for _, container in containers(pod, ()))
    per_index = spec.get("backoffLimitPerIndex") is not None
    for index, rule in enumerate(rules):
        if isinstance(rule, dict):
            yield from _failure_rule(rule, (*where, index), names, per_index=per_index)


def _failure_rule(rule: dict[str, Any], where: Pointer, names: frozenset[str], *, per_index: bool) -> Problems:
    action = rule.get("action")
    if action in (None, ""):
        yield InvalidObject(f"action is required: {', '.join(_ACTIONS)}", where, None)
    elif isinstance(action, str) and action not in _ACTIONS and not is_placeholder(action):
        yield unsupported(action, _ACTIONS, (*where, "action"))
    elif action == "FailIndex" and not per_index:
        yield InvalidObject("FailIndex requires the backoffLimitPerIndex to be set", (*where, "action"), action)
    for index, condition in enumerate(sequence(rule.get("onPodConditions"))):
        if isinstance(condition, dict):
            yield from _condition(condition, (*where, "onPodConditions", index))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
    if codes is None and not conditions:
        yield InvalidObject("specifying one of OnExitCodes and OnPodConditions is required", where, None)
    elif codes is not None and conditions:
        yield InvalidObject("specifying both OnExitCodes and OnPodConditions is not supported", where, None)
    if isinstance(codes, dict):
        yield from _exit_codes(codes, (*where, "onExitCodes"), names)


def _condition(condition: dict[str, Any], where: Pointer) -> Problems:
    kind, status = condition.get("type"), condition.get("status")
    if kind in (None, ""):
        yield InvalidObject("type is required in a condition", where, None)
    elif isinstance(kind, str) and not is_qualified_name(kind) and not is_placeholder(kind):
        yield InvalidObject(f'"{shortened(kind)}" is not the type of a condition', (*where, "type"), kind)
    if isinstance(status, str) and status and status not in _STATUSES and not is_placeholder(status):
        yield unsupported(status, _STATUSES, (*where, "status"))


def _exit_codes(codes: dict[str, Any], where: Pointer, names: frozenset[str]) -> Problems:
    operator, container = codes.get("operator"), codes.get("containerName")
    if operator in (None, ""):
        yield InvalidObject(f"operator is required: {', '.join(_OPERATORS)}", where, None)
    elif isinstance(operator, str) and operator not in _OPERATORS and not is_placeholder(operator):
        yield unsupported(operator, _OPERATORS, (*where, "operator"))
    if isinstance(container, str) and container not in names and not is_placeholder(container):
        text = f'"{shortened(container)}" is not one of the containers of the pod template'
        yield InvalidObject(text, (*where, "containerName"), container)
    given = codes.get("values")
    if given is None or given == []:
        yield InvalidObject("at least one value is required", (*where, "values") if "values" in codes else where, given)
    values = [whole(value) for value in sequence(given)]
    yield from _too_many(values, _MOST_VALUES, (*where, "values"))
    for index, value in enumerate(values):
        if value == 0 and operator == "In":
            yield InvalidObject("must not be 0 for the In operator", (*where, "values", index), value)
        elif value is not None and value in values[:index]:
            yield InvalidObject(f"duplicate value {value}", (*where, "values", index), value)
    known = [value for value in values if value is not None]
    if known != sorted(known):
        yield InvalidObject("must be ordered", (*where, "values"), given)


def success_policy_problems(spec: dict[str, Any], where: Pointer) -> Problems:
    """Every problem of the successPolicy of a Job's spec; it stands at `where`."""
    if spec.get("completionMode") in (None, "NonIndexed"):
        yield InvalidObject("requires indexed completion mode", where, None)
        return
    policy = mapping(spec.get("successPolicy"))
    rules = sequence(policy.get("rules"))
    if not rules:
        yield InvalidObject("at least one rule is required in a successPolicy", where, None)
    yield from _too_many(rules, _MOST_RULES, (*where, "rules"))
    for index, rule in enumerate(rules):
        if isinstance(rule, dict):
            yield from _success_rule(rule, whole(spec.get("completions")), (*where, "rules", index))


def _success_rule(rule: dict[str, Any], completions: int | None, where: Pointer) -> Problems:
    indexes, count = rule.get("succeededIndexes"), whole(rule.get("succeededCount"))
    if indexes is None and rule.get("succeededCount") is None:
        text = "at least one of succeededCount or succeededIndexes must be specified"
        yield InvalidObject(text, where, None)
    total: int | None = None
    if isinstance(indexes, str) and completions is not None and not is_placeholder(indexes):
        total, wrong = _indexes(indexes, completions)
        if wrong:
            yield InvalidObject(f"error parsing succeededIndexes: {wrong}", (*where, "succeededIndexes"), indexes)
    if count is None:
        return
    at = (*where, "succeededCount")
    if count < 0:
        yield InvalidObject(f"must be greater than or equal to 0, not {count}", at, count)
    if completions is not None and count > completions:
        text = f"must be less than or equal to {completions}, the number of completions, not {count}"
        yield InvalidObject(text, at, count)
    if total is not None and count > total:
        text = f"must be less than or equal to {total}, the number of succeededIndexes, not {count}"
        yield InvalidObject(text, at, count)


def _indexes(text: str, completions: int) -> tuple[int, str]:
    """How many indexes `0,2-4` names, and what is wrong with it; they rise and are below the completions."""
    total, last = 0, -1
    for part in text.split(",") if text else ():
        found = _RANGE().fullmatch(part)
        if found is None:
            return total, f'"{shortened(part)}" is neither an index nor a range of indexes'
        first = int(found[1])
        until = int(found[2]) if found[2] else first
        if max(first, until) >= completions:
            return total, f"{max(first, until)} is too large: there are {completions} completions"
        if first <= last or (found[2] and until <= first):
            return total, f"{part} does not rise"
        total, last = total + until - first + 1, until
    return total, ""


def _too_many(found: Sequence[Any], most: int, where: Pointer) -> Problems:
    if len(found) > most:
        yield InvalidObject(f"must have at most {most} items, not {len(found)}", where, None)
