"""What the API server refuses of Jobs and CronJobs beside their pod templates.

Source: pkg/apis/batch/validation of Kubernetes, 1.34.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kubelint_gpu.kube.validation.field_checks import Problems, negative, unlawful, unsupported
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_qualified_name
from kubelint_gpu.kube.values.plain import containers, mapping, sequence, shortened, whole
from kubelint_gpu.patterns import pattern

_MODES = ("NonIndexed", "Indexed")
_NOT_NEGATIVE = ("backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes", "ttlSecondsAfterFinished")
_OF_CRON_JOBS = ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
_MOST_INDEXED = 100_000
_OWN_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_VALUES = 255
_RANGE = pattern(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", re.ASCII)


def job_problems(kind: str, spec: dict[str, Any]) -> Problems:
    """Every problem of the spec of a Job, or of a CronJob and the Job inside it."""
    if kind == "Job":
        yield from _job(spec, ("spec",))
        yield from _selector(spec)
        return
    yield from negative(spec, ("spec",), _OF_CRON_JOBS)
    schedule = spec.get("schedule")
    if isinstance(schedule, str) and "TZ" in schedule:
        text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield InvalidObject(text, ("spec", "schedule"), schedule)
    if spec.get("timeZone") == "":
        yield InvalidObject("timeZone must be nil or non-empty string", ("spec", "timeZone"), "")
    base: Pointer = ("spec", "jobTemplate", "spec")
    job = mapping(mapping(spec.get("jobTemplate")).get("spec"))
    if job.get("selector") is not None:
        yield InvalidObject("`selector` will be auto-generated", (*base, "selector"), None)
    if job.get("manualSelector") is True:
        text = 'unsupported value "true" in a CronJob: supported values: "false"'
        yield InvalidObject(text, (*base, "manualSelector"), True)
    yield from _job(job, base)


def _job(spec: dict[str, Any], base: Pointer) -> Problems:
    yield from negative(spec, base, _NOT_NEGATIVE)
    mode = spec.get("completionMode")
    yield from unsupported(mode, _MODES, (*base, "completionMode"))
    if mode == "Indexed":
        yield from _indexed(spec, base)
    if mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield InvalidObject("requires indexed completion mode", (*base, name), spec[name])
    elif spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        text = "backoffLimitPerIndex is required when maxFailedIndexes is specified"
        yield InvalidObject(text, (*base, "maxFailedIndexes"), spec["maxFailedIndexes"])
    failures = spec.get("podFailurePolicy")
    lawful = ("Failed",) if failures is not None else ("Failed", "TerminatingOrFailed")
    yield from unsupported(spec.get("podReplacementPolicy"), lawful, (*base, "podReplacementPolicy"))
    if failures is not None:
        yield from failure_policy_problems(spec, base)
    if spec.get("successPolicy") is not None:
        yield from success_policy_problems(spec, (*base, "successPolicy"))


def _indexed(spec: dict[str, Any], base: Pointer) -> Problems:
    completions, parallelism = whole(spec.get("completions")), whole(spec.get("parallelism"))
    if spec.get("completions") is None:
        text = "completions is required when completion mode is Indexed"
        yield InvalidObject(text, (*base, "completionMode"), "Indexed")
    if parallelism is not None and parallelism > _MOST_INDEXED:
        text = f"must be less than or equal to {_MOST_INDEXED} when completion mode is Indexed, not {parallelism}"
        yield InvalidObject(text, (*base, "parallelism"), parallelism)
    failed = whole(spec.get("maxFailedIndexes"))
    if failed is not None and completions is not None and failed > completions:
        text = f"must be less than or equal to completions, which is {completions}, not {failed}"
        yield InvalidObject(text, (*base, "maxFailedIndexes"), failed)


def _selector(spec: dict[str, Any]) -> Problems:
    """Yield a selector that was not generated for this Job; a generated one contains the Job's own label."""
    selector = mapping(spec.get("selector"))
    if not selector or spec.get("manualSelector") not in (None, False):
        return
    if not any(label in mapping(selector.get("matchLabels")) for label in _OWN_LABELS):
        text = "`selector` not auto-generated; leave it out, or set manualSelector: true"
        yield InvalidObject(text, ("spec", "selector"), None)


def failure_policy_problems(spec: dict[str, Any], base: Pointer) -> Problems:
    """Yield every problem of the podFailurePolicy of a Job's spec at `base`."""
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
    elif action == "FailIndex" and not per_index:
        yield InvalidObject("FailIndex requires the backoffLimitPerIndex to be set", (*where, "action"), action)
    yield from unsupported(action or None, _ACTIONS, (*where, "action"))
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
    yield from unlawful(kind or None, is_qualified_name, "is not the type of a condition", (*where, "type"))
    yield from unsupported(status or None, _STATUSES, (*where, "status"))


def _exit_codes(codes: dict[str, Any], where: Pointer, names: frozenset[str]) -> Problems:
    operator, container = codes.get("operator"), codes.get("containerName")
    if operator in (None, ""):
        yield InvalidObject(f"operator is required: {', '.join(_OPERATORS)}", where, None)
    yield from unsupported(operator or None, _OPERATORS, (*where, "operator"))
    fault = "is not one of the containers of the pod template"
    yield from unlawful(container, names.__contains__, fault, (*where, "containerName"))
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
    """Yield every problem of the successPolicy of a Job's spec at `where`."""
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
    """Return how many indexes `0,2-4` names, and its error; they must ascend and be below the completions."""
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
