"""Who takes part in the rollouts of one run: its workloads with what runs and waits of them."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.daemon_nodes import daemon_nodes
from kubelint_gpu.simulation.prepare.revisions import as_shown
from kubelint_gpu.simulation.prepare.standing_pods import with_standing_pods
from kubelint_gpu.simulation.prepare.workload_change import (
    WorkloadChange,
    belongs,
    own_pods,
    own_waiting,
    pods_of_others,
)
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def participants_of(
    transitions: Sequence[Transition], cluster: Cluster
) -> tuple[list[WorkloadChange], list[Pod], list[Pod]]:
    """The workloads with their running pods; of nobody here the pods that run, and those that have no node."""
    left = [pod for pod in cluster.pods if pod.spec.node_name and not pod.finished]
    pending = [pod for pod in cluster.pods if not (pod.spec.node_name or pod.finished or pod.meta.terminating)]
    found: dict[int, WorkloadChange] = {}
    controllers = [controller_of(one.new) for one in transitions]
    # a bare pod is nobody else's, and one that may be a custom resource's is another's where it says so
    doubt = [(one.replaces_lost, not one.knows_own_pods) for one in controllers]
    for number in sorted(range(len(transitions)), key=doubt.__getitem__):
        transition, controller = transitions[number], controllers[number]
        own = own_pods(transition.new, left)
        waiting = own_waiting(transition.new, pending)
        pending = [pod for pod in pending if not belongs(transition.new, pod)]
        left = [*pods_of_others([transition.new], left)] if own else left
        staying = tuple(pod for pod in own if not pod.meta.terminating)
        participant = WorkloadChange(
            transition.new,
            transition.old,
            staying if controller.knows_own_pods else (),
            transition.rolls,
            known=transition.known,
            whole=transition.whole,
            existing=transition.existing or bool(staying or waiting),
            waiting=waiting if controller.rolls and controller.knows_own_pods and not controller.node_bound else (),
        )
        participant = as_shown(participant)
        if participant.daemons:
            participant = _on_nodes(participant, cluster)
        found[number] = with_standing_pods(participant, cluster)
    changes = [found[number] for number in range(len(transitions))]
    return changes, [pod for pod in left if not pod.meta.terminating], pending


def _on_nodes(participant: WorkloadChange, cluster: Cluster) -> WorkloadChange:
    """A DaemonSet with the nodes for which it shall have pods, and those for which it has them."""
    nodes = daemon_nodes(participant.new.choosing, cluster.nodes)
    if participant.old is participant.new:
        return replace(participant, nodes=nodes)
    made = daemon_nodes(participant.old.choosing, cluster.nodes)
    before = {*made, *(pod.spec.node_name for pod in participant.running)}
    kept = daemon_nodes(participant.new.choosing, cluster.nodes, staying=True)
    stays = tuple(name for name in made if name in kept and name not in nodes)
    gone = before.difference(nodes, stays)
    return replace(
        participant,
        nodes=nodes,
        left=tuple(node.name for node in cluster.nodes if node.name in gone),
        stays=stays,
        fresh=tuple(name for name in nodes if name not in before),
    )
