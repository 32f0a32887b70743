"""Nodes that cannot be drained: budgets let pods be evicted only as long as their successors find room elsewhere.

Behaviour: pkg/registry/core/pod/storage/eviction.go and the disruption controller, 1.34; `kubectl drain` tries an
eviction that a budget refuses again for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.disruption import allowed_disruptions
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DaemonSetStrategy
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.attachment import with_bound_claims
from kubelint_gpu.rollout.cast import cast
from kubelint_gpu.rollout.locality import needs_others
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
        budgets: the PodDisruptionBudgets that cover them.
        allowed: how many may be missing at once; the eviction API has no number where several budgets cover a pod.
        known: the pods are known to be there; else it is one of the placements that the scheduler may choose.
    """

    owner: str
    node: str
    pods: int
    elsewhere: int
    budgets: tuple[str, ...] = ()
    allowed: int | None = None
    known: bool = False

    @property
    def stranded(self) -> int:
        """How many of them find no room elsewhere."""
        return self.pods - self.elsewhere

    @property
    def refused(self) -> bool:
        """Whether the eviction API refuses the pods with an error: it supports one budget only."""
        return len(self.budgets) > 1

    @property
    def blocked(self) -> bool:
        """Whether the drain fails or waits for ever.

        Each pod that is evicted and finds no room is missing from then on, until no more may be.
        """
        if self.refused or self.allowed is None:
            return self.refused
        return self.allowed == 0 or self.stranded > self.allowed


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
    everybody = [*others]
    for number, participant in enumerate(participants):
        ready = sum(count_on(content, kind, READY) for content in state.nodes for kind in scene.cast.members[number])
        everybody += _pods(participant, ready)
    result = []
    for number, participant in enumerate(participants):
        if participant.temporary or not participant.replicas:
            continue
        sample = participant.running[0] if participant.running else created_pod(participant.new, "old")
        covering = [one for one in cluster.disruption_budgets if one.selects(sample)]
        allowed = allowed_disruptions(covering[0], everybody) if len(covering) == 1 else None
        names = tuple(sorted(one.meta.name for one in covering))
        drained = _drained(scene, state, participant, scene.cast.members[number])
        if needs_others(sample, empty):
            # those that it must be near to are evicted, too, and it follows them
            drained = [replace(one, elsewhere=one.pods) for one in drained]
        result += [replace(one, budgets=names, allowed=allowed) for one in drained]
    return tuple(sorted(result, key=lambda one: (one.owner, one.node)))


def _drained(scene: Scene, state: State, participant: Participant, kinds: Sequence[int]) -> list[Drained]:
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
        found.append(Drained(participant.new.key, name, pods, elsewhere, known=name in known))
    return found


def _pods(participant: Participant, ready: int) -> list[Pod]:
    """Its pods when nothing is wrong but that some find no node; so many of them are `ready`."""
    sample = created_pod(participant.new, "old")
    pods = [*participant.running, *([sample] * max(0, participant.replicas - len(participant.running)))]
    return [
        replace(pod, phase="Running" if number < ready else "Pending", ready=number < ready)
        for number, pod in enumerate(pods)
    ]
