"""What the API server refuses of Jobs and CronJobs beside their pod templates.

Source: pkg/apis/batch/validation of Kubernetes, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.plain import mapping, whole

_MODES = ("NonIndexed", "Indexed")
_NOT_NEGATIVE = ("backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes", "ttlSecondsAfterFinished")
_OF_CRON_JOBS = ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
_MOST_INDEXED = 100_000
_OWN_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
Problems = Iterator[InvalidObject]


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


def negative(spec: dict[str, Any], base: Pointer, names: tuple[str, ...]) -> Problems:
    """Numbers below zero in fields that have none."""
    for name in names:
        found = whole(spec.get(name))
        if found is not None and found < 0:
            yield InvalidObject(f"must be greater than or equal to 0, not {found}", (*base, name), spec[name])


def _job(spec: dict[str, Any], base: Pointer) -> Problems:
    from kubelint_gpu.kube.validation import job_policies

    yield from negative(spec, base, _NOT_NEGATIVE)
    mode = spec.get("completionMode")
    if isinstance(mode, str) and mode not in _MODES and not is_placeholder(mode):
        yield job_policies.unsupported(mode, _MODES, (*base, "completionMode"))
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
    policy = spec.get("podReplacementPolicy")
    lawful = ("Failed",) if failures is not None else ("Failed", "TerminatingOrFailed")
    if isinstance(policy, str) and policy not in lawful and not is_placeholder(policy):
        yield job_policies.unsupported(policy, lawful, (*base, "podReplacementPolicy"))
    if failures is not None:
        yield from job_policies.failure_policy_problems(spec, base)
    if spec.get("successPolicy") is not None:
        yield from job_policies.success_policy_problems(spec, (*base, "successPolicy"))


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
    """A selector that was not made for this Job; one that a server once wrote has its own label in it."""
    selector = mapping(spec.get("selector"))
    if not selector or spec.get("manualSelector") not in (None, False):
        return
    if not any(label in mapping(selector.get("matchLabels")) for label in _OWN_LABELS):
        text = "`selector` not auto-generated; leave it out, or set manualSelector: true"
        yield InvalidObject(text, ("spec", "selector"), None)
