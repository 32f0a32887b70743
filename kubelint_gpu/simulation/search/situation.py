"""Workloads that can compete with each other, with all that decides who gets what."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import field

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.simulation.growth import Grown
from kubelint_gpu.simulation.memo import Memo
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, takes
from kubelint_gpu.simulation.prepare.displaced import Displaced
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, identity, is_temporary, owner_of
from kubelint_gpu.values import PartlyCompared, replace


class Situation(PartlyCompared):
    """Workloads that can compete with each other, and what stays beside them.

    `numbers` are the numbers of the participants among all; `fixed` are running pods of nobody among them, `residual`
    what these leave of each node, `daemons` which of them (by identity) are of other workloads of the same run.
    `joins` is whether nodes of `grown` may still join while something is rolled; `queued` are pods of others that wait
    for a node when it begins. `driven` is, per participant, whom it may drive away from among the fixed pods.
    `memo` has what several questions share.
    """

    not_compared = frozenset({"memo"})
    cluster: Cluster
    empty: Snapshot
    participants: tuple[WorkloadChange, ...]
    numbers: tuple[int, ...]
    eligible: tuple[frozenset[str], ...]
    demands: tuple[Demand, ...]
    fixed: tuple[Pod, ...]
    residual: Residual
    daemons: frozenset[PodIdentifier]
    budget: int
    grown: Grown | None = None
    joins: bool = True
    queued: tuple[Pod, ...] = ()
    driven: tuple[tuple[Displaced, ...], ...] = ()
    memo: Memo = field(default_factory=Memo)

    def beside(self, pods: Sequence[Pod]) -> Snapshot:
        """The cluster with some of the running pods: one snapshot for all that is asked beside the same ones."""
        found = tuple(pods)
        return self.empty.static(("beside", found), lambda _: Snapshot.of(replace(self.cluster, pods=found)))

    def temporary_holders(self) -> list[Pod]:
        """Running pods that end some day and hold something that the group wants."""
        temporary = [pod for pod in self.fixed if is_temporary(pod)]
        if not temporary:
            return []
        near = frozenset().union(*(demand.nodes for demand in self.demands))
        wanted = {name for demand in self.demands for name in demand.each if name != "pods"}
        return [
            pod
            for pod in temporary
            if pod.spec.node_name in near and (pod.allocations or wanted.intersection(takes(pod)) or not wanted)
        ]

    def like(self, pods: Sequence[Pod], extra: Sequence[Pod]) -> list[Pod]:
        """These pods and all that are like them, which would be found next."""
        same = {identity(pod) for pod in pods}
        owners = {owner_of(pod) for pod in pods} - {""}
        known = {pod.identifier for pod in extra}
        return [
            pod
            for pod in self.fixed
            if pod.identifier not in known and (owner_of(pod) in owners or identity(pod) in same)
        ]
