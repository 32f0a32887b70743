"""Workloads that can compete with each other, and their situations in one run, each with its share of the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import field

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.simulation.asked_again import Memo
from kubelint_gpu.simulation.growth import Grown
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, takes
from kubelint_gpu.simulation.prepare.displaced import Displaced
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, identity, is_temporary, owner_of
from kubelint_gpu.values import PartlyCompared, replace


class Situation(PartlyCompared):
    """Workloads that can compete with each other, and what stays beside them.

    `numbers` are the positions of the participants in the run; `fixed` are running pods of no participant, `residual`
    what they leave of each node, `daemons` the identifiers of those that belong to other workloads of the run. `joins`
    says whether nodes of `grown` can still join during a rollout; `queued` are other pods that wait for a node at the
    start. `driven` has, for each participant, the fixed pods that it can preempt. `memo` is a shared cache.
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
        """The cluster with some of the running pods; the same pods give the same snapshot."""
        found = tuple(pods)
        return self.empty.static(("beside", found), lambda _: Snapshot.of(replace(self.cluster, pods=found)))

    def temporary_holders(self) -> list[Pod]:
        """Running pods that end by themselves and hold something that the group wants."""
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
        """These pods and all that are equal to them or have the same owner."""
        same = {identity(pod) for pod in pods}
        owners = {owner_of(pod) for pod in pods} - {""}
        known = {pod.identifier for pod in extra}
        return [
            pod
            for pod in self.fixed
            if pod.identifier not in known and (owner_of(pod) in owners or identity(pod) in same)
        ]


_Parts = tuple[object, ...]


class Situations:
    """Creates each situation once; for the same workloads and pods it returns the same one.

    `budget` is that of one search. Without `joins`, no node joins during a rollout.
    """

    def __init__(self, prepared: PreparedRun, budget: int, *, joins: bool) -> None:
        self._prepared, self._budget, self._joins = prepared, budget, joins
        self._known: dict[tuple[int, ...], dict[_Parts, Situation]] = {}
        self._residuals: dict[_Parts, Residual] = {}

    def of(self, members: Sequence[int], fixed: Sequence[Pod], daemons: Mapping[int, Sequence[Pod]]) -> Situation:
        """The situation of some workloads beside `fixed` running pods; `daemons` are other workloads' pods."""
        parts = tuple([(pod.identifier, pod.spec.node_name) for pod in fixed])
        known = self._known.setdefault(tuple(members), {})
        if parts not in known:
            residual = self._residuals.get(parts)
            if residual is None:
                residual = self._residuals[parts] = self._prepared.residual(fixed)
            known[parts] = self._made(members, fixed, daemons, residual)
        return known[parts]

    def _made(
        self, members: Sequence[int], fixed: Sequence[Pod], daemons: Mapping[int, Sequence[Pod]], residual: Residual
    ) -> Situation:
        return Situation(
            self._prepared.cluster,
            self._prepared.empty,
            tuple(self._prepared.participants[number] for number in members),
            tuple(members),
            tuple(self._prepared.eligible[number] for number in members),
            tuple(self._prepared.demands[number] for number in members),
            tuple(fixed),
            residual,
            frozenset(pod.identifier for pods in daemons.values() for pod in pods),
            self._budget,
            self._prepared.grown,
            self._joins,
            driven=tuple(self._prepared.driven[number] for number in members),
        )
