"""Custom resources like Jobs that never have all the pods without which they do nothing."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.analysis.gang_members import Team
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, staying_beside
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, own_pods
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.questions.packing import gathered, gathered_beside
from kubelint_gpu.values import dataclass, replace


@dataclass(frozen=True, slots=True, eq=False)
class ShortCustomGang:
    """A custom resource of which some pods run, and never all at once.

    Attributes:
        beside: the workloads that stay.
        least, most: how many of its pods run at once.
    """

    team: Team
    beside: tuple[WorkloadCheck, ...]
    least: int
    most: int
    certain: bool

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset((self.team.key,))


def short_custom_gang(unit: ApplySet, team: Team) -> ShortCustomGang | None:
    """What is found where some of its pods run, and never all at once."""
    beside: list[WorkloadCheck] = []
    cluster = _around(unit, team, beside)
    most = least = _room(team, cluster)
    if most is None or least is None:
        beside = _unmoved(unit, team)
        cluster = _around(unit, team, beside)
        found = gathered_beside(team.workloads, [one.workload for one in beside], cluster) if beside else None
        if found is None or found[0] == team.pods:
            return None
        least, most = found
    closed = all(unit.is_closed_to(one) for one in team.subjects)
    certain = closed or (not beside and _stays_short(team, cluster, most))
    if not least or (not certain and any(unit.may_outgrow(one) for one in team.subjects)):
        return None
    return ShortCustomGang(team, tuple(beside), least, most, certain)


def _unmoved(unit: ApplySet, team: Team) -> list[WorkloadCheck]:
    """The workloads that run for good on nodes for its pods, which evict none of them; none where they are many."""
    most = max(one.spec.priority or 0 for one in team.workloads)
    found = [one for one in staying_beside(unit, team.subjects) if (one.workload.spec.priority or 0) >= most]
    return found if len(found) <= MOST_OTHERS else []


def _room(team: Team, cluster: Cluster) -> int | None:
    """How many of its pods find room at best; None where all may."""
    found = gathered([(one, one.replicas) for one in team.workloads], cluster)
    return sum(found) if found is not None and sum(found) < team.pods else None


def _stays_short(team: Team, cluster: Cluster, placed: int) -> bool:
    """Whether no node beyond the inventory makes room for more."""
    found = further_nodes([created_pod(one, "new") for one in team.workloads], cluster, team.pods)
    if any(taken is None for taken in found.takes) or all(found.takes):
        return False
    return _room(team, replace(cluster, nodes=(*cluster.nodes, *found.nodes))) == placed


def _around(unit: ApplySet, team: Team, beside: Sequence[WorkloadCheck]) -> Cluster:
    """The cluster with all that may be of use, and the running pods that are in the way for good.

    Pods of the same namespace may be its own unless they are those of workloads `beside` it, and those of lower
    priority may be evicted.
    """
    known = {pod.identifier for one in beside for pod in own_pods(one.workload, unit.cluster.pods)}
    least = min(one.spec.priority or 0 for one in team.workloads)
    namespace = team.workloads[0].meta.namespace
    stay = tuple(
        pod
        for pod in unit.cluster.pods
        if (pod.meta.namespace != namespace or pod.identifier in known)
        and (pod.spec.priority or 0) >= least
        and not is_temporary(pod)
    )
    users = (*team.workloads, *(one.workload for one in beside))
    return with_bound_claims(replace(fully_grown(unit.cluster, unit.growth, team.pods), pods=stay), users)
