"""Counts that may be percentages, and the written strategies of workload controllers.

The controllers are in `simulation/controllers/`.
"""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import INT32, Fields, described
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import PartlyCompared, Value

_JOB_CONTROLLER = "kubernetes.io/job-controller"
_PERCENT = pattern(r"[0-9]{1,9}%", re.ASCII)


class IntOrPercent(Value):
    """An `intstr.IntOrString`: a count, or a percentage of the replicas."""

    amount: int
    percent: bool = False

    def of(self, total: int, *, round_up: bool) -> int:
        """The count for `total` replicas."""
        if not self.percent:
            return self.amount
        scaled = self.amount * total
        return -(-scaled // 100) if round_up else scaled // 100

    def __str__(self) -> str:
        return f"{self.amount}%" if self.percent else str(self.amount)


QUARTER = IntOrPercent(25, percent=True)


def read_int_or_percent(fields: Fields, key: str, default: IntOrPercent) -> IntOrPercent:
    """A count or a percentage. Raises InvalidObject if it is neither, or negative."""
    value = fields.value.get(key)
    if value is None:
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            fields.report((key,), f"must be greater than or equal to 0, not {value}", value)
            return default
        if value > INT32:
            fields.report((key,), f"must be at most {INT32}, not {value}", value)
        return IntOrPercent(min(value, INT32))
    if isinstance(value, str) and _PERCENT().fullmatch(value):
        return IntOrPercent(int(value[:-1]), percent=True)
    hint = f"; write it as the number {value}" if isinstance(value, str) and value.isdigit() else ""
    fields.report((key,), f'must be an integer or a percentage such as "25%", not {described(value)}{hint}', value)
    return default


class DeploymentStrategy(PartlyCompared):
    """`spec.strategy` of a Deployment with its defaults, and what else shapes its rollout.

    Attributes:
        at: the parent of maxSurge and maxUnavailable if `bounded`; otherwise the field that decides instead.
        batch: for a custom resource, how many new pods of a template must be ready, together with those of its other
            templates, before old ones are deleted; None if each counts by itself.
        why: for a custom resource whose fields do not say it, why old pods stay, as a clause.
        remedy: what would need less room, if no fix does it.
        revised: for a custom resource, whether each revision has its own number of pods, which the next one does not
            scale.
        by_default: whether neither maxSurge nor maxUnavailable is written.
    """

    not_compared = frozenset({"by_default"})
    recreate: bool = False
    max_surge: IntOrPercent = QUARTER
    max_unavailable: IntOrPercent = QUARTER
    min_ready_seconds: int = 0
    paused: bool = False
    at: Pointer = ("spec", "strategy", "rollingUpdate")
    bounded: bool = True
    batch: IntOrPercent | None = None
    why: str = ""
    remedy: str = ""
    revised: bool = False
    by_default: bool = False


class StatefulSetStrategy(Value):
    """How a StatefulSet creates and replaces its pods; `max_unavailable` None is the default of one."""

    parallel: bool = False
    on_delete: bool = False
    partition: int = 0
    max_unavailable: IntOrPercent | None = None
    min_ready_seconds: int = 0
    first_ordinal: int = 0


class DaemonSetStrategy(Value):
    """How a DaemonSet replaces its pods."""

    on_delete: bool = False
    max_surge: IntOrPercent = IntOrPercent(0)
    max_unavailable: IntOrPercent = IntOrPercent(1)
    min_ready_seconds: int = 0


class JobStrategy(Value):
    """How many pods a Job runs; `completions` None is a work queue; `concurrency` is a CronJob's policy, else empty.

    `suspend` is also true if the Job is `managedBy` another controller, which may run it in another cluster.
    """

    parallelism: int = 1
    completions: int | None = 1
    suspend: bool = False
    active_deadline_seconds: int | None = None
    concurrency: str = ""


class WrittenStrategy(Value):
    """The written strategy of a custom resource, for its own controller.

    Attributes:
        update: the name of the strategy in the row of its kind.
        spec: `spec` of the object, as written.
    """

    update: str
    spec: FrozenMap[str, Any]


Strategy = DeploymentStrategy | StatefulSetStrategy | DaemonSetStrategy | JobStrategy | WrittenStrategy


def read_deployment_strategy(fields: Fields) -> DeploymentStrategy:
    """`spec` of a Deployment. Raises InvalidObject for a value or a combination that apps/v1 validation refuses."""
    strategy = fields.down("strategy")
    kind = strategy.choice("type", ("Recreate", "RollingUpdate"), "RollingUpdate")
    rolling = strategy.child("rollingUpdate")
    surge, unavailable = QUARTER, QUARTER
    if rolling is not None:
        if kind == "Recreate":
            strategy.report(("rollingUpdate",), "may not be specified when strategy `type` is 'Recreate'")
        surge = read_int_or_percent(rolling, "maxSurge", QUARTER)
        unavailable = read_int_or_percent(rolling, "maxUnavailable", QUARTER)
        if surge.amount == 0 and unavailable.amount == 0:
            rolling.report(("maxUnavailable",), "may not be 0 when `maxSurge` is 0", str(unavailable))
        if unavailable.percent and unavailable.amount > 100:
            rolling.report(("maxUnavailable",), f"must not be greater than 100%, not {unavailable}", str(unavailable))
    ready = fields.integer("minReadySeconds", 0, 0)
    deadline = fields.integer("progressDeadlineSeconds", 600, 0)
    if deadline <= ready and not is_placeholder(fields.value.get("progressDeadlineSeconds")):
        where = "progressDeadlineSeconds" if "progressDeadlineSeconds" in fields else "minReadySeconds"
        fields.report((where,), f"progressDeadlineSeconds ({deadline}) must be greater than minReadySeconds ({ready})")
    paused, by_default = fields.boolean("paused"), rolling is None or not rolling.value
    return DeploymentStrategy(kind == "Recreate", surge, unavailable, ready, paused, by_default=by_default)


def read_canary_strategy(fields: Fields) -> DeploymentStrategy | None:
    """`spec` of an Argo Rollout without traffic routing; None if it has no such strategy.

    `CalculateReplicaCountsForCanary` creates and deletes pods within the same two limits as a Deployment; the weights
    and pauses of its steps end.
    """
    canary = fields.down("strategy").child("canary")
    if canary is None:
        return None
    surge = read_int_or_percent(canary, "maxSurge", QUARTER)
    unavailable = read_int_or_percent(canary, "maxUnavailable", QUARTER)
    ready = fields.integer("minReadySeconds", 0, 0)
    return DeploymentStrategy(
        False, surge, unavailable, ready, paused=fields.boolean("paused"), at=("spec", "strategy", "canary")
    )


def read_stateful_set_strategy(fields: Fields) -> StatefulSetStrategy:
    """`spec` of a StatefulSet. Raises InvalidObject for a value or a combination that apps/v1 validation refuses."""
    update = fields.down("updateStrategy")
    kind = update.choice("type", ("RollingUpdate", "OnDelete"), "RollingUpdate")
    rolling = update.child("rollingUpdate")
    partition, unavailable = 0, None
    if rolling is not None:
        if kind == "OnDelete":
            update.report(("rollingUpdate",), "only allowed for updateStrategy 'RollingUpdate'")
        partition = rolling.integer("partition", 0, 0)
        unavailable = _optional_unavailable(rolling)
    return StatefulSetStrategy(
        parallel=fields.choice("podManagementPolicy", ("OrderedReady", "Parallel"), "OrderedReady") == "Parallel",
        on_delete=kind == "OnDelete",
        partition=partition,
        max_unavailable=unavailable,
        min_ready_seconds=fields.integer("minReadySeconds", 0, 0),
        first_ordinal=fields.down("ordinals").integer("start", 0, 0),
    )


def _optional_unavailable(rolling: Fields) -> IntOrPercent | None:
    """`maxUnavailable` of a StatefulSet; a value out of range counts as absent.

    The API server drops the field, with any decodable value, if the gate MaxUnavailableStatefulSet is off, as in all
    releases except 1.35.0 to 1.35.3.
    """
    value = rolling.value.get("maxUnavailable")
    if isinstance(value, int) and abs(value) > INT32:
        rolling.report(("maxUnavailable",), f"must be at most {INT32}, not {value}", value)
    found = read_int_or_percent(Fields(rolling.value, rolling.pointer, []), "maxUnavailable", IntOrPercent(0))
    lawful = found.amount > 0 and not (found.percent and found.amount > 100)
    return found if lawful and "maxUnavailable" in rolling else None


def read_daemon_set_strategy(fields: Fields) -> DaemonSetStrategy:
    """`spec` of a DaemonSet. Raises InvalidObject for a value or a combination that apps/v1 validation refuses."""
    update = fields.down("updateStrategy")
    kind = update.choice("type", ("RollingUpdate", "OnDelete"), "RollingUpdate")
    rolling = update.down("rollingUpdate")
    surge = read_int_or_percent(rolling, "maxSurge", IntOrPercent(0))
    unavailable = read_int_or_percent(rolling, "maxUnavailable", IntOrPercent(1))
    if kind == "RollingUpdate" and not any(map(is_placeholder, rolling.value.values())):
        if surge.amount and unavailable.amount:
            rolling.report(
                ("maxSurge",),
                "may not be set when maxUnavailable is non-zero; maxUnavailable is 1 unless it is written as 0",
                str(surge),
            )
        if not surge.amount and not unavailable.amount:
            rolling.report(("maxUnavailable",), "cannot be 0 when maxSurge is 0", str(unavailable))
        for key, found in (("maxSurge", surge), ("maxUnavailable", unavailable)):
            if found.percent and found.amount > 100:
                rolling.report((key,), f"must not be greater than 100%, not {found}", str(found))
    return DaemonSetStrategy(kind == "OnDelete", surge, unavailable, fields.integer("minReadySeconds", 0, 0))


def read_job_strategy(fields: Fields, concurrency: str = "") -> JobStrategy:
    """`spec` of a Job. Raises InvalidObject for a value that batch/v1 validation refuses."""
    completions = fields.optional_integer("completions", 0)
    parallelism = fields.optional_integer("parallelism", 0)
    if completions is None and parallelism is None:
        completions = 1
    return JobStrategy(
        parallelism=1 if parallelism is None else parallelism,
        completions=completions,
        suspend=fields.boolean("suspend") or fields.text("managedBy") not in ("", _JOB_CONTROLLER),
        active_deadline_seconds=fields.optional_integer("activeDeadlineSeconds", 0, 2**63 - 1),
        concurrency=concurrency,
    )
