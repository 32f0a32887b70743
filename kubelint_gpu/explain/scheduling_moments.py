"""The moments at which a workload's pod is scheduled (creation, scale-out, rollout), and where its pods are placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from kubelint_gpu.builders.jobs.running_for_good import running_for_good
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Snapshot, assume, attempt, fit, fit_on, merged
from kubelint_gpu.scheduler.explain.cluster_changes import PlacedPod
from kubelint_gpu.scheduler.explain.explained_class import Explanation
from kubelint_gpu.scheduler.explain.explanation import explain
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_order import is_before_install, turn_of
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_PLACED = 100
Moment = Literal["creation", "upgrade", "next-replica", "rollout"]


def with_daemons(unit: ApplySet, subject: WorkloadCheck, running: Snapshot) -> Snapshot:
    """The snapshot with the pods of DaemonSets that are judged with the workload: in a rollout they already run."""
    from kubelint_gpu.simulation.model.at_full_replicas import daemon_pods, standing_participants

    daemons = [one.workload for one in unit.subjects if one.controller.node_bound and one is not subject]
    if not daemons:
        return running
    participants, rest = standing_participants(daemons, unit.cluster)
    there = {pod.key for pod in unit.cluster.pods}
    found = daemon_pods(participants, unit.cluster, rest)
    return with_placed(running, [(pod, pod.spec.node_name) for pod in found if pod.key not in there])


def filled(workload: Workload, snapshot: Snapshot) -> tuple[list[PlacedPod], bool]:
    """Place the replicas, each on the first node that takes it; return whether some found no node."""
    placed: list[PlacedPod] = []
    for number in range(min(workload.replicas, _MOST_PLACED)):
        pod = created_like(workload, "old", number)
        result = fit(pod, snapshot)
        if not result.schedulable:
            return placed, True
        placed.append((pod, result.fits[0]))
        snapshot = assume(placed[-1][0], snapshot, placed[-1][1])
    return placed, False


def with_placed(snapshot: Snapshot, pods: Sequence[PlacedPod]) -> Snapshot:
    """The snapshot with more pods on nodes."""
    for pod, name in pods:
        snapshot = assume(pod, snapshot, name)
    return snapshot


def created_like(workload: Workload, revision: str, number: int | None = None) -> Pod:
    """A pod as the workload's controller creates it; `revision` distinguishes old from new."""
    controller = controller_of(workload)
    name = f"{workload.meta.name}-{revision}" if controller.replaces_lost else workload.meta.name
    pod = merged(controller.pod(revision, name if number is None else f"{name}-{number}"))
    if not controller.replaces_lost:
        return pod
    return replace(pod, meta=replace(pod.meta, owner=OwnerReference(workload.kind, workload.meta.name)))


class SchedulingMoment(Value):
    """A moment, and the explanation of the pod at that time.

    Attributes:
        moment: `creation`: beside the inventory's running pods; `upgrade`, for a hook that runs before an upgrade:
            beside the old pods of all that the upgrade changes; `next-replica`: beside as many replicas as find a node;
            `rollout`: beside the old pods that the strategy keeps while the new one waits.
        explanation: why the pod fits or does not fit.
        beside: how many pods of the workload itself are there, by node; in an upgrade those of the others.
        known: whether the inventory shows these pods; otherwise each was placed on the first node that takes it.
        growing: the names of pools that could add a node that takes the pod.
        failing: the nodes whose error ends the attempt for all nodes; empty if there is no such error.
    """

    moment: Moment
    explanation: Explanation
    beside: tuple[tuple[str, int], ...] = ()
    known: bool = True
    growing: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()

    @property
    def takers(self) -> int:
        """How many nodes take the pod."""
        return 0 if self.failing else sum(len(row.nodes) for row in self.explanation.classes if row.fits)


def situations(unit: ApplySet, subject: WorkloadCheck) -> tuple[SchedulingMoment, ...]:
    """The moments that differ for a workload, creation first."""
    workload, controller = subject.workload, subject.controller
    mine = own_pods(workload, unit.cluster.pods)
    present = unit.running
    running = present.without([(pod, pod.spec.node_name) for pod in mine if present.node(pod.spec.node_name)])
    first = created_like(workload, "new")
    found = [_situation(unit, "creation", first, running)]
    old = list(_upgraded(unit, subject, running))
    if old:
        found.append(_situation(unit, "upgrade", first, with_placed(running, old), old, known=False))
    if controller.node_bound:
        found = [_on_its_node(unit, workload, first, running, found[0])]
    if controller.node_bound or not controller.replaces_lost or not found[0].explanation.fits:
        return tuple(found)
    placed, full = filled(workload, running)
    if full:
        found.append(_situation(unit, "next-replica", first, with_placed(running, placed), placed, known=False))
    beside = with_daemons(unit, subject, running)
    instead = filled(workload, beside)[0] if beside is not running else []
    found += _rollout(unit, workload, beside if instead else running, instead or placed, mine)
    return tuple(found)


def _upgraded(unit: ApplySet, subject: WorkloadCheck, running: Snapshot) -> Iterator[PlacedPod]:
    """Yield pods that the inventory does not show, of workloads that are applied after a hook before an upgrade.

    Each is placed on the first node that takes it.
    """
    value = subject.manifest.item.value
    if turn_of(value)[0] or is_before_install(value):
        return
    for other in running_for_good(unit, [subject]):
        if turn_of(other.manifest.item.value)[0] and not own_pods(other.workload, unit.cluster.pods):
            placed = filled(other.workload, running)[0]
            running = with_placed(running, placed)
            yield from placed


def _on_its_node(
    unit: ApplySet, workload: Workload, pod: Pod, running: Snapshot, found: SchedulingMoment
) -> SchedulingMoment:
    """The moment with the scheduler's message for the pod of the first node that does not take it.

    An error on one node does not affect the pods of other nodes, which are tried separately.
    """
    from kubelint_gpu.simulation.controllers.daemon_nodes import daemon_nodes, pinned_pod

    texts = (
        attempt(pinned_pod(pod, name), running).message
        for name in sorted(daemon_nodes(workload.choosing, unit.cluster.nodes))
    )
    message = next((text for text in texts if text is not None), None)
    return replace(found, explanation=replace(found.explanation, message=message), failing=())


def _rollout(
    unit: ApplySet, workload: Workload, running: Snapshot, placed: Sequence[PlacedPod], mine: Sequence[Pod]
) -> Iterator[SchedulingMoment]:
    controller = controller_of(workload)
    if not controller.has_replica_sets or not workload.replicas:
        return
    kept = max(0, workload.replicas - controller.unavailable(workload.replicas))
    known = [(pod, pod.spec.node_name) for pod in mine if running.node(pod.spec.node_name) is not None]
    old = (known or placed)[:kept]
    yield _situation(unit, "rollout", created_like(workload, "new"), with_placed(running, old), old, known=bool(known))


def _situation(
    unit: ApplySet,
    moment: Moment,
    pod: Pod,
    snapshot: Snapshot,
    beside: Sequence[PlacedPod] = (),
    *,
    known: bool = True,
) -> SchedulingMoment:
    explanation = explain(pod, snapshot)
    counts = Counter(name for _, name in beside)
    found = explanation.fit.failing
    failing = () if found is None else tuple([node.name for node in found.nodes])
    growing = () if explanation.fits or failing else tuple(_growing(unit, pod, snapshot))
    return SchedulingMoment(moment, explanation, tuple(sorted(counts.items())), known, growing, failing)


def _growing(unit: ApplySet, pod: Pod, snapshot: Snapshot) -> Iterator[str]:
    inventory = unit.world.inventory
    for pool in inventory.pools if inventory is not None else ():
        if pool.room:
            node = read_node(pool.template.value)
            if snapshot.node(node.name) is None and fit_on(pod, snapshot.with_node(node), node.name) is None:
                yield pool.name
