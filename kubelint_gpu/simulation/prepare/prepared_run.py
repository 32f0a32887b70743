"""What all questions of a run share, and which workloads compete: from its transitions and the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from kubelint_gpu.groups import Groups, grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.relations import asks, first_alike, meet, meet_on_a_node, refusers_of
from kubelint_gpu.simulation.asked_again import asked_once
from kubelint_gpu.simulation.growth import Growth, possible_nodes
from kubelint_gpu.simulation.prepare.budgets_and_quotas import (
    with_counted_budgets,
    with_unknown_use,
    without_idle_quotas,
)
from kubelint_gpu.simulation.prepare.coupling import eligible_nodes
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, contended, join_contenders, takes
from kubelint_gpu.simulation.prepare.displaced import concerns, displaced
from kubelint_gpu.simulation.prepare.participants import participants_of
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, is_temporary, without_claims
from kubelint_gpu.simulation.prepare.workload_claims import wanted_storage, with_settled_claims
from kubelint_gpu.simulation.prepare.workload_demand import demand_of, rooms_of
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


class PreparedRun:
    """All workloads of one run, the cluster before the rollouts, and what each workload can take on which nodes.

    Attributes:
        workloads: after the change; in `participants`, replicas may be limited.
        participants: the workloads with their running pods.
        rest: the running pods of other workloads.
        waiting: the pods of other workloads that have no node, without those that end by themselves.
        cluster: without claims and quotas that decide nothing, with the claims of templates.
        empty: the cluster without pods.
        grown: nodes that pools may add; None without any.
        pods: for each participant an old and a new pod.
        alike: for each participant the numbers of the first pods that are equal to its old and its new pod.
        eligible: for each participant the nodes that take a new pod when nothing else runs.
        volumes: for each participant the storage classes and drivers that it competes for.
        demands: for each participant what its pods can take.
        driven: for each participant the pods that it can preempt and that are created again elsewhere.
        met: which participants are known to compete, by the numbers of `alike`.
    """

    def __init__(self, transitions: Sequence[Transition], cluster: Cluster, growth: Sequence[Growth] = ()) -> None:
        self.workloads = tuple(one.new for one in transitions)
        transitions, cluster = with_settled_claims(transitions, cluster)
        enough = sum(2 * one.new.replicas + one.old.replicas + 1 for one in transitions)
        grown = possible_nodes(growth, enough)
        everywhere = cluster if grown is None else grown.added_to(cluster)
        self.participants, self.rest, waiting = participants_of(transitions, cluster, everywhere)
        self.waiting = [pod for pod in waiting if not is_temporary(pod)]
        cluster = with_counted_budgets(cluster, self.participants, self.rest)
        cluster = with_unknown_use(cluster, self.participants, self.waiting)
        cluster = without_idle_quotas(cluster, self.participants, self.rest)
        self.cluster = cluster
        self.empty = _without_pods(cluster)
        self._everywhere = self.empty if grown is None else _without_pods(grown.added_to(cluster))
        self.pods = [(found.pods[0], found.pods[1]) for found in self.participants]
        self._others = [*self.rest, *(pod for pods in self.pods for pod in pods)]
        self._others += [pod for found in self.participants for pod in found.pods[2:]]
        first = first_alike([pod for both in self.pods for pod in both], self._others) if len(self.pods) > 1 else (0, 1)
        self.met: dict[tuple[object, ...], bool] = {}
        self.alike = tuple(zip(first[::2], first[1::2], strict=True))
        known: dict[int, frozenset[str]] = {}
        self.eligible: list[frozenset[str]] = []
        for found, (_, new), (_, kind) in zip(self.participants, self.pods, self.alike, strict=True):
            if kind not in known:
                known[kind] = self.eligible_for(new)
            self.eligible.append(known[kind] & frozenset(found.nodes) if found.daemons else known[kind])
        self.volumes = [
            wanted_storage(one.new, pods, cluster, self.empty)
            for one, pods in zip(self.participants, self.pods, strict=True)
        ]
        self.grown = grown
        self._allocatable = {node.name: node.allocatable for node in everywhere.nodes}
        self._rooms = rooms_of(self.participants, self.pods, self.rest, cluster)
        every_pod = (*self.rest, *(pod for both in self.pods for pod in both))
        self._refused = refusers_of(every_pod, self.cluster)
        self.demands = [self.demand_of(number, one) for number, one in enumerate(self.participants)]
        self.driven = displaced(self.participants, self.demands, self.rest, self.residual(self.rest), self.eligible_for)

    def demand_of(self, number: int, participant: WorkloadChange) -> Demand:
        """The demand of a participant, with the replicas that it has here."""
        return demand_of(
            participant,
            self.pods[number],
            self.eligible[number],
            self._everywhere,
            self.eligible_for,
            self._rooms.get(number, ()),
            simple=self._is_simple(number),
            alone=lambda selector: self._selects_no_others(number, selector),
        )

    def eligible_for(self, pod: Pod) -> frozenset[str]:
        """The nodes that take a pod when nothing else runs, including those that may join."""
        return eligible_nodes(pod, self._everywhere, self._others)

    def residual(self, fixed: Sequence[Pod]) -> Residual:
        """Return the resources that some pods leave of each node. Nodes that may join have no certain room."""
        residual = Residual(self._allocatable)
        for pod in fixed:
            free = residual.get(pod.spec.node_name)
            if free is not None:
                for name, amount in takes(pod).items():
                    free[name] = free.get(name, 0) - amount
        for node in self.grown.nodes if self.grown is not None else ():
            residual[node.name] = dict.fromkeys(node.allocatable, 0)
        return residual

    def _selects_no_others(self, number: int, selector: LabelSelector) -> bool:
        """Whether no pod of others in its namespace matches a selector; False if nodes may join."""
        theirs = (one.pods for place, one in enumerate(self.participants) if place != number)
        others = (*self.rest, *self.waiting, *(pod for pods in theirs for pod in pods))
        near = (pod for pod in others if pod.meta.namespace == self.participants[number].new.meta.namespace)
        return self.grown is None and not any(selector.matches(pod.meta.labels) for pod in near)

    def _is_simple(self, number: int) -> bool:
        """Whether only resources can keep its pods off a node, and no quota counts them."""
        if self.participants[number].controller.has_own_claims(self.cluster):
            return False
        mine = self.pods[number]
        if number in self._rooms:
            mine = without_claims(mine[0]), without_claims(mine[1])
        if any(asks(pod) or any(quota.covers(pod) for quota in self.cluster.quotas) for pod in mine):
            return False
        if not any(map(self._refused, mine)):
            return True
        others = [one for place, pods in enumerate(self.pods) if place != number for one in pods]
        return not any(map(refusers_of((*others, *self.rest), self.cluster), mine))


def _without_pods(cluster: Cluster) -> Snapshot:
    """The cluster without pods; the same snapshot for equal clusters, so that runs share what they compute of it."""
    bare = replace(cluster, pods=())
    return asked_once("without pods", (bare,), lambda: Snapshot.of(bare))


def competing(run: PreparedRun, numbers: Sequence[int], fixed: Sequence[Pod]) -> Groups:
    """Group workloads that can compete for something or whose pods have terms about each other."""
    groups = Groups(len(run.participants))
    residual = run.residual(fixed)
    demands = [run.demands[number] for number in numbers]
    scarce = contended(demands, residual)
    among = Groups(len(numbers))
    join_contenders(among, scarce)
    for place, number in enumerate(numbers):
        groups.join(number, numbers[among.root(place)])
    for quota in run.cluster.quotas:
        counted = [number for number in numbers if any(map(quota.covers, run.pods[number]))]
        for number in counted:
            groups.join(counted[0], number)
    kinds = grouped(((run.alike[number], run.volumes[number]), number) for number in numbers).values()
    marked = [mine for mine in kinds if _is_marked(run, mine[0])]
    for mine, theirs in product(marked, kinds):
        one, other = mine[0], theirs[-1]
        if len({groups.root(number) for number in (*mine, *theirs)}) == 1:
            continue
        if _meet(run, one, other):
            for number in (*mine, *theirs):
                groups.join(one, number)
        elif _meet_on_a_node(run, one, other):
            for one, other in product(mine, theirs):
                if not run.demands[one].nodes.isdisjoint(run.demands[other].nodes):
                    groups.join(one, other)
    for one in numbers:
        gone = run.driven[one]
        for place, other in enumerate(numbers if gone else ()):
            apart = groups.root(one) != groups.root(other)
            if apart and concerns(gone, run.participants[other], place, demands, residual):
                groups.join(one, other)
    return groups


def _is_marked(run: PreparedRun, number: int) -> bool:
    """Whether something other than quotas and the resources of a node can make the workload compete with another."""
    return bool(run.volumes[number]) or any(map(asks, run.pods[number]))


def _meet(run: PreparedRun, one: int, other: int) -> bool:
    if run.volumes[one] & run.volumes[other]:
        return True
    key = "meet", run.alike[one], run.alike[other]
    if key not in run.met:
        run.met[key] = any(meet(*pair) for pair in product(_unlike(run, one), _unlike(run, other)))
    if run.met[key]:
        return True
    ordinals = [run.participants[place].ordinals for place in (one, other)]
    if not any(ordinals):
        return False
    return any(
        meet(*pair) for pair in product(*((*run.pods[place], *ordinals[place != one]) for place in (one, other)))
    )


def _meet_on_a_node(run: PreparedRun, one: int, other: int) -> bool:
    key = "on a node", run.alike[one], run.alike[other]
    if key not in run.met:
        run.met[key] = any(meet_on_a_node(*pair) for pair in product(_unlike(run, one), _unlike(run, other)))
    return run.met[key]


def _unlike(run: PreparedRun, number: int) -> tuple[Pod, ...]:
    """The old and the new pod of a workload; only one of them if they are equal."""
    old, new = run.alike[number]
    return run.pods[number][: 1 if old == new else 2]
