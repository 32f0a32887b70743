"""Why fewer pods run than wanted: missing capacity, other pods that keep them apart, a claim, or a quota."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.wording import listed, owner_names
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, node_ports, pod_topology_spread, volume_restrictions
from kubelint_gpu.simulation.search.blocked import ATTACH
from kubelint_gpu.simulation.search.trace import Blocker

KEPT_APART = "pods are kept apart, whatever the strategy: this is no rollout deadlock"
_AMOUNTS = ("cpu", "memory", "storage")
_PLACES = (
    inter_pod_affinity.AFFINITY_REASON,
    inter_pod_affinity.ANTI_AFFINITY_REASON,
    inter_pod_affinity.EXISTING_REASON,
    pod_topology_spread.REASON,
    pod_topology_spread.MISSING_LABEL_REASON,
)


_APART = "add nodes without such pods, or make the anti-affinity a preference (preferredDuringScheduling)"
_NEAR = "run the pods that the affinity asks for on more nodes, or make the affinity a preference"
_HELPS = (
    (
        pod_topology_spread.REASON,
        "add nodes in the domains with the fewest pods, or set whenUnsatisfiable: ScheduleAnyway",
    ),
    (inter_pod_affinity.ANTI_AFFINITY_REASON, _APART),
    (inter_pod_affinity.EXISTING_REASON, _APART),
    (inter_pod_affinity.AFFINITY_REASON, _NEAR),
    (node_ports.REASON, "use another host port or none, or add nodes"),
    (ALLOCATED_ELSEWHERE, "name a ResourceClaimTemplate, so that each pod has a claim of its own"),
)


def why_fewer(lacks: Sequence[Blocker], refusal: QuotaRefusal | None) -> str:
    """Why too few pods run, by what the first waiting pod lacks, or by a quota."""
    if refusal and refusal.unspecified:
        return "the quota takes only pods that name these, whatever the strategy: this is no rollout deadlock"
    if refusal:
        return "this is what the quota allows, not a rollout deadlock"
    short = any(lack.resource for lack in lacks)
    if lacks and all(lack.reason == inter_pod_affinity.AFFINITY_REASON for lack in lacks):
        return "pods are not where these must be near them, whatever the strategy: this is no rollout deadlock"
    apart = any(lack.reason in _PLACES for lack in lacks)
    if apart and short:
        near = all(lack.resource or lack.reason == inter_pod_affinity.AFFINITY_REASON for lack in lacks)
        others = "others have no pod that these must be near" if near else "others keep pods apart"
        return f"capacity is missing on some nodes, and {others}: this is no rollout deadlock"
    if apart:
        return KEPT_APART
    if not short:
        if any(lack.failed for lack in lacks):
            return "the attempt fails on all nodes then, whatever room they have: this is no rollout deadlock"
        if any(
            lack.plugin == volume_restrictions.NAME and lack.reason != volume_restrictions.DISK_REASON for lack in lacks
        ):
            return "one pod at a time can use the claim, whatever the strategy: this is no rollout deadlock"
        if any(lack.plugin == ATTACH for lack in lacks):
            return "one node at a time can attach the volume, whatever the strategy: this is no rollout deadlock"
        if any(lack.reason == ALLOCATED_ELSEWHERE for lack in lacks):
            return "a claim keeps its pods where its devices are, whatever the strategy: this is no rollout deadlock"
        if any(lack.reason == node_ports.REASON for lack in lacks):
            return "a node has each host port once, whatever the strategy: this is no rollout deadlock"
    return "this is missing capacity, not a rollout deadlock"


def what_helps(lacks: Sequence[Blocker]) -> str:
    """Return what helps pods that others keep away, by the first reason; empty if they lack an amount or a volume."""
    reasons = [] if any(lack.resource for lack in lacks) else [lack.reason for lack in lacks]
    return next((help_ for reason, help_ in _HELPS if reason in reasons), "")


def what_a_quota_needs(refusal: QuotaRefusal) -> str:
    """Return the changes with which a quota would admit the pod."""
    if refusal.unspecified:
        return "set the requests and limits that the quota counts, or declare a LimitRange that sets them"
    return "let the quota allow more, or ask for less of what it counts"


def quota_amount(allowed: object, key: str) -> str:
    """The limit of a quota for one of its keys: `2 requests.nvidia.com/gpu`, `1 pod`."""
    return f"{allowed} {'pod' if key == 'pods' and str(allowed) == '1' else key}"


def in_use(used: str, key: str, holders: Sequence[tuple[str, int]]) -> str:
    """`2 in use by Deployment ml/a`, `8 in use, 6 of them by Deployment ml/a`: the largest come first.

    The holders of thousandths of a key are the keys of their owners; "" is the owner of the refused pod.
    """
    others = sorted((one for one in holders if one[0]), key=lambda one: (-one[1], one[0]))
    names = owner_names([owner for owner, _ in others]) if others else "its own pods" * bool(holders)
    held = canonical(sum(number for _, number in others or holders))
    part = "" if held == used else f", {held} of {'it' if key.endswith(_AMOUNTS) else 'them'}"
    return f"{used} in use{f'{part} by {names}' if names else ''}"


def refused(refusal: QuotaRefusal) -> str:
    """`by quota team, which allows 2 requests.nvidia.com/gpu and has 2 in use`, or what it demands."""
    exceeded = refusal.exceeded
    if refusal.unspecified:
        missing = dict.fromkeys(one.partition(" for: ")[0] for one in refusal.unspecified.split("; "))
        return f"by quota {refusal.quota}, which demands {listed([*missing])}"
    name = f"{refusal.quota} ({refusal.scope})" if refusal.scope else refusal.quota
    also = f", and by quota {listed(refusal.others)}" if refusal.others else ""
    if len(exceeded) == 1:
        (one,) = exceeded
        limit = quota_amount(canonical(one.limit), one.key)
        used = f" and has {in_use(canonical(one.used), one.key, one.holders)}" if one.used else ""
        takes = f", and one pod takes {canonical(one.requested)}" if one.used < max(one.limit, 1) else ""
        return f"by quota {name}, which allows {limit}{used}{takes}{also}"
    limit = ",".join(f"{one.key}={canonical(one.limit)}" for one in exceeded)
    used = ",".join(f"{one.key}={canonical(one.used)}" for one in exceeded)
    return f"by quota {name}, which allows {limit} and has {used} in use{also}"


def insufficient(lacks: Sequence[Blocker]) -> str:
    """The resource that nodes lack most often; empty if they lack none."""
    found = [one.resource for lack in lacks for one in (lack, *lack.also) if one.resource not in ("", "pods")]
    return max(sorted({*found}), key=found.count, default="")
