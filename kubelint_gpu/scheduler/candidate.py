"""The victims of preemption on one node, and the choice among several nodes.

Source: `SelectVictimsOnNode`, `filterPodsWithPDBViolation` and `pickOneNodeForPreemption` of kube-scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.fit import Active, judged
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Filter
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value

_NOW = "\U0010ffff"
_LOWEST = 2**31


class Candidate(Value):
    """A node on which preemption makes room.

    `victims` come in the order of importance; `violations` counts those that a PodDisruptionBudget protects.
    """

    node: str
    victims: tuple[Pod, ...]
    violations: int = 0


def importance(pod: Pod) -> tuple[int, str]:
    """A sort key with more important pods first: higher priority, then earlier start; without a start it is now."""
    return -(pod.spec.priority or 0), pod.start_time or _NOW


def stripped(active: Active, gone: tuple[Pod, ...], node: NodeInfo) -> list[tuple[Filter, Any]]:
    """The filters with their states as if some pods of a node were gone."""
    return [
        (plugin.filter, state if plugin.without is None else plugin.without(state, gone, node))
        for plugin, state in active
    ]


def lower_pods(pod: Pod, node: NodeInfo) -> list[Pod]:
    """The pods of a node with lower priority than `pod`, the most important first."""
    priority = pod.spec.priority or 0
    return sorted([one for one in node.pods if (one.spec.priority or 0) < priority], key=importance)


def victims_on(pod: Pod, node: NodeInfo, snapshot: Snapshot, active: Active) -> Candidate:
    """The victims for `pod` on a node: all pods of lower priority leave, then as many as possible return.

    Those that a PodDisruptionBudget protects return first, the more important ones earlier.
    """
    lower = lower_pods(pod, node)
    violating, others = split_by_budget(lower, snapshot)
    left = node.without(lower)
    gone = tuple(lower)
    kept = 0
    for position, one in enumerate((*violating, *others)):
        trial, room = tuple(other for other in gone if other is not one), left.with_pod(one)
        if judged(stripped(active, trial, node), room) is None:
            gone, left = trial, room
            kept += position < len(violating)
    return Candidate(node.name, gone, len(violating) - kept)


def split_by_budget(pods: Sequence[Pod], snapshot: Snapshot) -> tuple[list[Pod], list[Pod]]:
    """Split pods by whether their eviction violates a PodDisruptionBudget; earlier pods use budgets first."""
    budgets = snapshot.cluster.disruption_budgets
    if not budgets:
        return [], list(pods)
    left = dict(enumerate(_allowed(snapshot)))
    violating: list[Pod] = []
    others: list[Pod] = []
    for pod in pods:
        broken = False
        for number, budget in enumerate(budgets):
            if budget.restrains_preemption(pod):
                left[number] -= 1
                broken = broken or left[number] < 0
        (violating if broken else others).append(pod)
    return violating, others


def _allowed(snapshot: Snapshot) -> tuple[int, ...]:
    return snapshot.derived(
        "allowed disruptions",
        lambda _: tuple(allowed_disruptions(one, snapshot.pods) for one in snapshot.cluster.disruption_budgets),
    )


def best(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates that tie by the scheduler's criteria, by node name."""
    left = sorted(candidates, key=lambda candidate: candidate.node)
    for criterion in (attrgetter("violations"), _highest_priority, _sum_of_priorities, lambda one: len(one.victims)):
        lowest = min(criterion(candidate) for candidate in left)
        left = [candidate for candidate in left if criterion(candidate) == lowest]
    latest = max(_earliest_start(candidate) for candidate in left)
    return tuple(candidate for candidate in left if _earliest_start(candidate) == latest)


def _highest_priority(candidate: Candidate) -> int:
    return candidate.victims[0].spec.priority or 0


def _sum_of_priorities(candidate: Candidate) -> int:
    return sum((victim.spec.priority or 0) + _LOWEST for victim in candidate.victims)


def _earliest_start(candidate: Candidate) -> str:
    highest = _highest_priority(candidate)
    return min(victim.start_time or _NOW for victim in candidate.victims if (victim.spec.priority or 0) == highest)
