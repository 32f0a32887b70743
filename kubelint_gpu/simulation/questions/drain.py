"""Nodes that cannot be drained: budgets let pods be evicted only while their successors find room elsewhere.

Behaviour: pkg/registry/core/pod/storage/eviction.go and the disruption controller, 1.34; `kubectl drain` repeats an
eviction that a budget refuses for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET, SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.rollout_state import READY, State, count_on
from kubelint_gpu.simulation.model.simulation import Simulation, most_placed
from kubelint_gpu.simulation.prepare.coupling import Bonds, labels_of
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, owner_of
from kubelint_gpu.simulation.search.placements import largest_first, one_placement, placements
from kubelint_gpu.simulation.search.replay import arranged
from kubelint_gpu.values import Value, replace


class Drained(Value):
    """The result for a workload's pods if one of their nodes is drained.

    Attributes:
        owner: the workload.
        node: the node.
        pods: how many of its pods are there.
        elsewhere: how many of these find room on other nodes while everything else stays.
        budgets: the PodDisruptionBudgets that cover them.
        allowed: how many may be missing at once; None if several budgets cover a pod.
        known: the pods are known to be there; otherwise this is one possible placement.
        decided: False if more pods might find room elsewhere.
    """

    owner: str
    node: str
    pods: int
    elsewhere: int
    budgets: tuple[str, ...] = ()
    allowed: int | None = None
    known: bool = False
    decided: bool = True

    @property
    def stranded(self) -> int:
        """How many of the pods find no room elsewhere."""
        return self.pods - self.elsewhere

    @property
    def refused(self) -> bool:
        """Whether the eviction API refuses the pods with an error: it supports only one budget for a pod."""
        return len(self.budgets) > 1

    @property
    def blocked(self) -> bool:
        """Whether the drain fails or waits for ever.

        Each evicted pod without room stays missing, until no more pods may be missing.
        """
        if self.refused or self.allowed is None:
            return self.refused
        return self.allowed == 0 or self.stranded > self.allowed


def drain(workloads: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.drain) -> tuple[Drained, ...]:
    """Drain each node with pods of each workload, one at a time, from one placement of all.

    A drain evicts no daemon pods; Jobs end by themselves. `budget` limits partial placements for each node.
    """
    from kubelint_gpu.simulation.model.at_full_replicas import full_simulation, standing_participants

    cluster = with_bound_claims(cluster, workloads)
    everyone, rest = standing_participants(workloads, cluster)
    participants = [one for one in everyone if not one.daemons]
    simulation = full_simulation(workloads, cluster, _follow(participants, rest, cluster))
    state = one_placement(simulation)
    if state is None:
        found = placements(simulation, SIMULATION.least_drain)
        state = next(iter((*found.full, *found.partial)), None) or largest_first(simulation)[0]
    state = arranged(simulation, state)
    everybody: list[tuple[Pod, int]] = []
    for number, participant in enumerate(participants):
        ready = sum(
            count_on(content, kind, READY) for content in state.nodes for kind in simulation.pod_types.members[number]
        )
        everybody += _pods(participant, ready)
    places = _Places(simulation, state, cluster, budget)
    result = []
    for number, participant in enumerate(participants):
        if participant.temporary or not participant.replicas:
            continue
        sample = participant.running[0] if participant.running else created_pod(participant.new, "old")
        covering = [one for one in cluster.disruption_budgets if one.selects(sample)]
        allowed = allowed_disruptions(covering[0], rest, everybody) if len(covering) == 1 else None
        names = tuple(sorted(one.meta.name for one in covering))
        known = {pod.spec.node_name for pod in participant.running}
        for index, (name, pods) in places.homes(simulation.pod_types.members[number]).items():
            # where no budget is in the way it does not matter who finds room
            elsewhere, decided = (
                (pods, True) if allowed is None else places.elsewhere(simulation.pod_types.members[number], index)
            )
            result.append(
                Drained(
                    participant.new.key, name, pods, elsewhere, names, allowed, known=name in known, decided=decided
                )
            )
    return tuple(sorted(result, key=lambda one: (one.owner, one.node)))


def _follow(participants: Sequence[WorkloadChange], rest: Sequence[Pod], cluster: Cluster) -> list[Pod]:
    """The running pods of others that a drain moves and that the places of the participants depend on."""
    pods = [created_pod(one.new, "new") for one in participants]
    if not any(pod.spec.pod_affinity or pod.spec.pod_anti_affinity or pod.spec.spread for pod in (*pods, *rest)):
        return []
    movable = [pod for pod in rest if is_moved(pod)]
    bonds = Bonds([*pods, *movable], labels_of(cluster))
    found = {place - len(pods) for number in range(len(pods)) for place in bonds.of(number) if place >= len(pods)}
    return [movable[place] for place in sorted(found)]


def is_moved(pod: Pod) -> bool:
    """Whether a drain evicts a running pod: not daemon pods, nor static pods of the node."""
    return not owner_of(pod).startswith(("DaemonSet/", "Node/"))


def _pods(participant: WorkloadChange, ready: int) -> list[tuple[Pod, int]]:
    """The pods of a workload as (pod, count), of which `ready` are ready and the others find no node."""
    sample, running = created_pod(participant.new, "old"), participant.running
    more = max(0, participant.replicas - len(running))
    able = min(more, max(0, ready - len(running)))
    known = [(pod, 1, number < ready) for number, pod in enumerate(running)]
    return [
        (replace(pod, phase="Running" if runs else "Pending", ready=runs), count)
        for pod, count, runs in (*known, (sample, able, True), (sample, more - able, False))
    ]


class _Places:
    """The pods of a state, and their possible places if their node takes no pods any more.

    Other pods whose places depend on them leave the node, too, and find a new place before or after them.
    """

    def __init__(self, simulation: Simulation, state: State, cluster: Cluster, budget: int) -> None:
        self._scene = simulation
        self._state = state
        self._budget = budget
        self._left = SIMULATION.drains * budget
        pods = [kind.pod for kind in simulation.pod_types.kinds]
        bonds = Bonds([] if simulation.local else pods, labels_of(cluster))
        self._bound = [() if simulation.local else bonds.of(kind) for kind in range(len(pods))]

    def homes(self, kinds: Sequence[int]) -> dict[int, tuple[str, int]]:
        """The nodes with pods of some kinds: by position, the name and the number of pods."""
        counts = [sum(count_on(content, kind, READY) for kind in kinds) for content in self._state.nodes]
        return {index: (self._scene.places.names[index], count) for index, count in enumerate(counts) if count}

    def elsewhere(self, kinds: Sequence[int], home: int) -> tuple[int, bool]:
        """How many of a node's pods of some kinds find room on other nodes, and whether this is the maximum.

        All others stay where they are, except for pods of that node whose places depend on these.
        """
        reconcilers = self._scene.pod_types.kinds
        mine = set(kinds)
        going = mine | {other for kind in kinds for other in self._bound[kind] if not reconcilers[other].pinned}
        content = self._state.nodes[home]
        waiting = [count_on(content, kind, READY) if kind in going else 0 for kind in range(len(reconcilers))]
        left = tuple(one for one in content if one[0] not in going or one[1] != READY)
        nodes = (*self._state.nodes[:home], left, *self._state.nodes[home + 1 :])
        held = self._scene.places.released_all(going, self._state, home)
        if any(one.do_not_schedule and one.honor_taints for kind in mine for one in reconcilers[kind].pod.spec.spread):
            # a node that is cordoned is no domain of theirs any more
            return 0, False
        budget = max(SIMULATION.least_drain, min(self._budget, self._left))
        first = self._state._replace(waiting=tuple(waiting), nodes=nodes, held=held)
        any_order = not self._scene.local or len(mine) > 1
        found = most_placed(self._scene, first, mine, budget, closed=home, any_order=any_order)
        self._left -= found.states
        return found.pods, found.decided
