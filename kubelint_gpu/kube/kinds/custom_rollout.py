"""What a change of a custom resource's pod templates needs: how many pods of old and new must run at once.

Behaviour: the RayService controller of KubeRay, the rolling update of LeaderWorkerSet, and
`CalculateReplicaCountsForCanary` and the blue-green reconciliation of Argo Rollouts.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kubelint_gpu.kube.kinds.custom_workload import MIN_SCALE, custom_workloads, row_of
from kubelint_gpu.kube.objects.rolling import (
    IntOrPercent,
    read_canary_strategy,
    read_deployment_strategy,
    read_int_or_percent,
)
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import dataclass

_SPEC: Pointer = ("spec",)
_LEFT_OVER = "a group that is not complete serves nothing and holds what its pods got"


@dataclass(frozen=True, slots=True)
class CustomRollout:
    """How a controller replaces the pods of a custom resource.

    Attributes:
        share: how many pods must run at once, as a multiple of those that are wanted; 1 where old ones go first.
        why: what its controller does, as a clause.
        pointer: the field that decides it.
        remedy: what would need less.
        exact: False where the number of pods is an autoscaler's to choose.
        rest: what becomes of the pods for which there is no room, as a clause.
    """

    share: Fraction
    why: str
    pointer: Pointer
    remedy: str
    exact: bool = True
    rest: str = "this is no deadlock, the others wait for room"


def custom_rollout(value: dict[str, Any]) -> CustomRollout | None:
    """How a custom resource is rolled out; None where it is not, or its pods end by themselves.

    Of a kind of which it is not known it is only said that all its pods are there at once.
    """
    row = row_of(value)
    if row is None or row["ends"]:
        return None
    reader = _READERS.get(row.get("update", ""))
    return (
        reader(Fields(value, (), [])) if reader is not None else CustomRollout(Fraction(1), "", _SPEC, "", exact=False)
    )


def _second_cluster(value: Fields) -> CustomRollout | None:
    spec = value.down("spec")
    autoscaled = spec.down("rayClusterConfig").value.get("enableInTreeAutoscaling") is True
    where: Pointer = (*_SPEC, "upgradeStrategy", "type")
    kind = spec.down("upgradeStrategy").value.get("type") or "NewCluster"
    if kind != "NewCluster":
        # None rolls nothing; how much the incremental upgrade needs is a matter of its steps
        return CustomRollout(
            Fraction(1), "a RayService makes no second cluster of full size", where, "", not autoscaled
        )
    return CustomRollout(
        Fraction(2),
        "a RayService makes a whole second cluster beside the first one, which goes when the second one serves",
        where,
        "upgradeStrategy type None makes no second cluster: delete and create the RayService to change it",
        exact=not autoscaled,
    )


def _cluster(value: Fields) -> CustomRollout | None:
    """A RayCluster stays as it was made, but for the numbers of its workers."""
    spec = value.down("spec")
    if spec.value.get("suspend") is True:
        return None
    autoscaled = spec.value.get("enableInTreeAutoscaling") is True
    return CustomRollout(Fraction(1), "a RayCluster replaces no pods", _SPEC, "", exact=not autoscaled)


def _groups(value: Fields) -> CustomRollout | None:
    spec = value.down("spec")
    replicas = spec.integer("replicas", 1, 0)
    rolling = spec.down("rolloutStrategy", "rollingUpdateConfiguration")
    surge = read_int_or_percent(rolling, "maxSurge", IntOrPercent(0)).of(replicas, round_up=True)
    unavailable = read_int_or_percent(rolling, "maxUnavailable", IntOrPercent(1)).of(replicas, round_up=False)
    where = (*_SPEC, "rolloutStrategy", "rollingUpdateConfiguration")
    if not replicas:
        return None
    if unavailable or not surge:
        why = "a LeaderWorkerSet takes a group away before it makes its successor"
        return CustomRollout(Fraction(1), why, where, "", rest=_LEFT_OVER)
    return CustomRollout(
        Fraction(replicas + 1, replicas),
        "with maxUnavailable 0 no group of a LeaderWorkerSet may go before a new one is ready",
        (*where, "maxUnavailable"),
        "maxUnavailable 1 and maxSurge 0, the defaults, need no further group",
        rest=_LEFT_OVER,
    )


def _argo(value: Fields) -> CustomRollout | None:
    spec = value.down("spec")
    replicas = spec.integer("replicas", 1, 0)
    strategy = spec.down("strategy")
    if not replicas or spec.boolean("paused"):
        return None
    if strategy.child("blueGreen") is not None:
        return CustomRollout(
            Fraction(2),
            "a blue-green Rollout makes all new pods beside the old ones before it switches over",
            (*_SPEC, "strategy", "blueGreen"),
            "a canary with maxSurge 0 and maxUnavailable 1 needs no further pod",
        )
    canary = strategy.child("canary")
    if canary is None or read_canary_strategy(spec) is not None:
        return None
    where = (*_SPEC, "strategy", "canary")
    if canary.child("trafficRouting") is not None and not canary.boolean("dynamicStableScale"):
        return CustomRollout(
            Fraction(2),
            "a canary with traffic routing keeps all old pods until all new ones are there",
            (*where, "trafficRouting"),
            "dynamicStableScale: true lets old pods go as traffic moves",
        )
    return CustomRollout(Fraction(1), "a canary takes old pods away as new ones come", where, "")


def _revision(value: Fields) -> CustomRollout | None:
    """A Knative Service; one that may be scaled to nothing is taken to be so when it changes."""
    where: Pointer = (*_SPEC, "template", "metadata", "annotations", MIN_SCALE)
    return CustomRollout(
        Fraction(2 if MIN_SCALE in value.down(*map(str, where[:-1])).value else 1),
        "the pods of the old revision go when those of the new one are ready",
        where,
        "",
        exact=False,
    )


def _deployment(value: Fields) -> CustomRollout | None:
    """An operator's Deployments, each with the strategy that the row's fields give, or with the default one."""
    replicas = max((one.replicas for one, _ in custom_workloads(value.value)), default=0)
    routes = [tuple(path.split(".")) for path in (row_of(value.value) or {}).get("strategy", ())]
    holders = [(route, value.down(*route[:-1]).value) for route in routes]
    where, written = next(((one, found[one[-1]]) for one, found in holders if found.get(one[-1])), (_SPEC, None))
    # of several Deployments, the largest says least
    if not replicas:
        return None
    config = written if isinstance(written, dict) else {"type": written or "RollingUpdate"}
    strategy = read_deployment_strategy(Fields({"strategy": config}, (), []))
    if strategy.recreate or strategy.max_unavailable.of(replicas, round_up=False) or not strategy.max_surge.amount:
        return CustomRollout(Fraction(1), "its Deployment takes old pods away first", where, "", exact=False)
    return CustomRollout(
        Fraction(replicas + 1, replicas),
        f"the Deployment that its operator makes has maxUnavailable {strategy.max_unavailable}, which is none of "
        f"{replicas}, and keeps old pods until a new one is available",
        where,
        f"{routes[0][-1]} Recreate needs no further pod" if routes else "",
        exact=False,
    )


_READERS: dict[str, Callable[[Fields], CustomRollout | None]] = {
    "argo": _argo,
    "cluster": _cluster,
    "deployment": _deployment,
    "groups": _groups,
    "revision": _revision,
    "second cluster": _second_cluster,
}
