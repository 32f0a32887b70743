"""Nodes that cannot be drained: their pods have nowhere else to go, and a budget lets none of them be evicted."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.disruption import PodDisruptionBudget, allowed_disruptions
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DaemonSetStrategy
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.attachment import with_bound_claims
from kubelint_gpu.rollout.cast import cast
from kubelint_gpu.rollout.participant import Participant, created_pod, own_pods
from kubelint_gpu.rollout.scene import Scene, build_scene
from kubelint_gpu.rollout.starts import one_placement, placements
from kubelint_gpu.rollout.state import READY, State, count_on, on_node
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.values import dataclass, replace

DEFAULT_BUDGET = 1_000


@dataclass(frozen=True, slots=True)
class Drained:
    """What becomes of a workload's pods when a node of theirs is drained.

    Attributes:
        owner: the workload.
        node: the node.
        pods: how many of its pods are there.
        elsewhere: how many of these find room on other nodes, with everything else in place.
        budgets: PodDisruptionBudgets that let none of them be evicted while all are healthy.
        known: the pods are known to be there; else it is one of the placements that the scheduler may choose.
    """

    owner: str
    node: str
    pods: int
    elsewhere: int
    budgets: tuple[str, ...] = ()
    known: bool = False

    @property
    def blocked(self) -> bool:
        """Whether the drain waits for ever: the pods cannot move, and may not go."""
        return self.elsewhere < self.pods and bool(self.budgets)


def drain(workloads: Sequence[Workload], cluster: Cluster, *, budget: int = DEFAULT_BUDGET) -> tuple[Drained, ...]:
    """Drain each node with pods of each workload, one at a time, from one placement of all.

    Daemon pods are not evicted by a drain; Jobs end by themselves.
    """
    cluster = with_bound_claims(cluster, [(one.meta.namespace, one.spec) for one in workloads])
    movable = [one for one in workloads if not isinstance(one.strategy, DaemonSetStrategy)]
    participants = [Participant(one, one, own_pods(one, cluster.pods), rolls=False) for one in movable]
    own = {id(pod) for found in participants for pod in found.running}
    others = [pod for pod in cluster.pods if id(pod) not in own and pod.spec.node_name and not pod.finished]
    empty = Snapshot.of(replace(cluster, pods=()))
    scene = build_scene(cluster, cast(participants, frozenset(), (), cluster), others, empty)
    state = one_placement(scene)
    if state is None:
        found = placements(scene, budget)
        state = next(iter((*found.full, *found.partial)), None)
    if state is None:
        return ()
    healthy = _healthy(participants, others)
    result = []
    for number, participant in enumerate(participants):
        if participant.temporary or not participant.replicas:
            continue
        sample = participant.running[0] if participant.running else created_pod(participant.new, "old")
        budgets = tuple(
            one.meta.name for one in cluster.disruption_budgets if one.selects(sample) and not _slack(one, healthy)
        )
        result += _drained(scene, state, participant, scene.cast.members[number], budgets)
    return tuple(sorted(result, key=lambda one: (one.owner, one.node)))


def _drained(
    scene: Scene, state: State, participant: Participant, kinds: Sequence[int], budgets: tuple[str, ...]
) -> list[Drained]:
    found = []
    known = {pod.spec.node_name for pod in participant.running}
    for index, content in enumerate(state.nodes):
        pods = sum(count_on(content, kind, READY) for kind in kinds)
        if not pods:
            continue
        left = state
        elsewhere = 0
        for kind in kinds:
            for _ in range(count_on(content, kind, READY)):
                without = left._replace(nodes=on_node(left.nodes, index, (kind, READY, -1)))
                target = next((one for one in scene.places.fitting(kind, without) if one != index), None)
                if target is None:
                    break
                left = without._replace(nodes=on_node(without.nodes, target, (kind, READY, 1)))
                elsewhere += 1
        name = scene.places.names[index]
        found.append(Drained(participant.new.key, name, pods, elsewhere, budgets, name in known))
    return found


def _healthy(participants: Sequence[Participant], others: Sequence[Pod]) -> list[Pod]:
    """All pods as they are when nothing is wrong."""
    pods = [*others]
    for participant in participants:
        sample = created_pod(participant.new, "old")
        pods += participant.running
        pods += [sample] * max(0, participant.replicas - len(participant.running))
    return [replace(pod, phase="Running", ready=True) for pod in pods]


def _slack(budget: PodDisruptionBudget, healthy: Sequence[Pod]) -> int:
    return allowed_disruptions(budget, healthy)
