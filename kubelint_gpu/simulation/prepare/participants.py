"""The participants in the rollouts of one run: its workloads with their running and waiting pods.

Replicas that are built pod by pod are limited to the most that the nodes can ever hold, plus one.

If a workload has more replicas than that, it lacks places: one waiting pod stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from kubelint_gpu.budget import BUDGET, Budget
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.relations import label_keys
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import POD_LABELS
from kubelint_gpu.simulation.prepare.budgets_and_quotas import is_refused_before
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.revisions import as_shown, revision_of
from kubelint_gpu.simulation.prepare.standing_pods import with_standing_pods
from kubelint_gpu.simulation.prepare.workload_change import (
    WorkloadChange,
    created_pod,
    is_waiting,
    own_pods,
    own_waiting,
    running_pods,
)
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def bounded(transition: Transition, cluster: Cluster, nodes: Sequence[Node], budget: Budget = BUDGET) -> Transition:
    """The transition with replicas limited, before and after, to the number that makes a difference on these nodes."""
    old, new = transition.old, transition.new
    if max(old.replicas, new.replicas) <= budget.replicas:
        return transition
    known = len(own_pods(new, cluster.pods)) + len(own_waiting(new, cluster.pods))
    held = max(places(created_pod(one, "new"), nodes) for one in (old, new))
    most = max(budget.replicas, held + known + 1)
    after = _with(new, most)
    return replace(transition, new=after, old=after if old is new else _with(old, most))


def places(pod: Pod, nodes: Sequence[Node]) -> int:
    """Return an upper bound of these pods on these nodes at once, by the allocatable amount of each resource."""
    asks = [(name, amount) for name, amount in takes(pod).items() if amount]
    return sum(min(max(0, node.allocatable.get(name, 0)) // amount for name, amount in asks) for node in nodes)


def _with(workload: Workload, most: int) -> Workload:
    return workload if workload.replicas <= most else replace(workload, replicas=most)


def participants_of(
    transitions: Sequence[Transition], cluster: Cluster, everywhere: Cluster
) -> tuple[list[WorkloadChange], list[Pod], list[Pod]]:
    """The workloads with their running pods; other running pods; and other pods without a node.

    Builds no more pods than matter on the nodes of `everywhere`, which include those that may join.
    """
    transitions = [bounded(one, cluster, everywhere.nodes) for one in transitions]
    pods, gone = pods_by_owner(cluster.pods), set[PodIdentifier]()
    found: dict[int, WorkloadChange] = {}
    declared = {node.name for node in cluster.nodes}
    controllers = [controller_of(one.new) for one in transitions]
    numbered = _are_numbered(transitions, cluster)
    # a bare pod is nobody else's, and one that may be a custom resource's is another's where it says so
    doubt = [(one.replaces_lost, not one.knows_own_pods) for one in controllers]
    for number in sorted(range(len(transitions)), key=doubt.__getitem__):
        transition, controller = transitions[number], controllers[number]
        mine = pods.own(controller, gone, controller_of(transition.old))
        own = running_pods(controller, mine)
        gone.update(pod.identifier for pod in (*own, *(pod for pod in mine if not pod.spec.node_name)))
        gated = transition.known and transition.rolls
        waiting = tuple(pod for pod in mine if is_waiting(pod, gated=gated))
        participant = replace(_change_of(transition, mine, own, waiting, declared), numbered=numbered)
        if is_refused_before(participant, cluster):
            participant = replace(participant, old=replace(participant.old, replicas=0))
        participant = as_shown(participant)
        if participant.daemons:
            participant = _on_nodes(participant, cluster, waiting)
        found[number] = with_standing_pods(participant, cluster)
    changes = [found[number] for number in range(len(transitions))]
    left = _left_over([one.new for one in transitions], cluster, gone)
    return changes, [pod for pod in left if pod.spec.node_name], [pod for pod in left if not pod.spec.node_name]


def _change_of(
    transition: Transition,
    mine: Sequence[Pod],
    own: Sequence[Pod],
    waiting: tuple[Pod, ...],
    declared: AbstractSet[str],
) -> WorkloadChange:
    """The change of a workload: of its pods `mine`, `own` run and others are `waiting`. `declared` are the nodes."""
    controller = controller_of(transition.new)
    staying = tuple(pod for pod in own if not pod.meta.terminating)
    return WorkloadChange(
        transition.new,
        transition.old,
        tuple(pod for pod in staying if pod.spec.node_name in declared) if controller.knows_own_pods else (),
        transition.rolls,
        known=transition.known,
        whole=transition.whole,
        existing=transition.existing or bool(staying or waiting),
        waiting=waiting if controller.rolls and controller.knows_own_pods and not controller.node_bound else (),
        mixed=len({revision_of(pod) for pod in mine}) > 1,
    )


def _left_over(workloads: Sequence[Workload], cluster: Cluster, gone: set[PodIdentifier]) -> list[Pod]:
    """The pods of a cluster that are of no workload, without finished and terminating ones."""
    entries = ((one.meta.namespace, entry) for one in workloads for entry in one.spec.resource_claims)
    # a claim that nobody uses has its devices for those that name it
    named = {(space, OwnerReference("ResourceClaim", str(entry.get("resourceClaimName")))) for space, entry in entries}
    left = [pod for pod in cluster.pods if not (pod.finished or pod.meta.terminating or pod.identifier in gone)]
    return [pod for pod in left if (pod.meta.namespace, pod.meta.owner) not in named] if named else left


def _are_numbered(transitions: Sequence[Transition], cluster: Cluster) -> bool:
    """Whether some filter looks at the labels that distinguish the pods of a StatefulSet."""
    if not any(controller_of(one.new).has_ordinals for one in transitions):
        return False
    made = (created_pod(one, "new") for transition in transitions for one in (transition.old, transition.new))
    looked_at = label_keys((*made, *cluster.pods))
    return looked_at is None or not looked_at.isdisjoint(POD_LABELS)


def _on_nodes(participant: WorkloadChange, cluster: Cluster, waiting: Sequence[Pod]) -> WorkloadChange:
    """A DaemonSet with the nodes on which it must have pods, and those on which it has some that are not `waiting`."""
    nodes = daemon_nodes.daemon_nodes(participant.new.choosing, cluster.nodes)
    if participant.old is participant.new:
        return replace(participant, nodes=nodes)
    awaited = {name for pod in waiting for name in daemon_nodes.daemon_nodes(pod.spec, cluster.nodes)}
    made = [name for name in daemon_nodes.daemon_nodes(participant.old.choosing, cluster.nodes) if name not in awaited]
    before = {*made, *(pod.spec.node_name for pod in participant.running)}
    kept = daemon_nodes.daemon_nodes(participant.new.choosing, cluster.nodes, staying=True)
    stays = tuple(name for name in made if name in kept and name not in nodes)
    gone = before.difference(nodes, stays)
    return replace(
        participant,
        nodes=nodes,
        left=tuple(node.name for node in cluster.nodes if node.name in gone),
        stays=stays,
        fresh=tuple(name for name in nodes if name not in before),
    )
