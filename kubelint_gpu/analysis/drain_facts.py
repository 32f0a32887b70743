"""Workloads whose pods keep a node from being drained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.beyond.any_cluster import on_generous_nodes
from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond
from kubelint_gpu.analysis.predecessors import is_left_alone
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.disruption import PodDisruptionBudget, allowed_disruptions
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.selected_pods import placed_matching
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

if TYPE_CHECKING:
    from kubelint_gpu.simulation.questions import drain


class HeldNode(Value, eq=False):
    """A workload whose pods cannot be drained because of budgets.

    Attributes:
        subject: the workload.
        drains: the blocked drains: nodes, and numbers of pods.
        certain: whether no further node could change that.
        decided: whether its pods are known to find no room elsewhere.
    """

    subject: WorkloadCheck
    drains: tuple[drain.Drained, ...]
    certain: bool
    decided: bool = True


def held_drains(unit: ApplySet) -> Iterator[HeldNode]:
    """Yield each workload whose pods cannot be drained because of budgets."""
    if unit.world.inventory is None:
        yield from _held_anywhere(unit)
        return
    ready = _with_budgets(unit)
    if not ready:
        return
    blocked = _blocked(ready, unit, unit.cluster)
    open_to = [subject for subject in ready if subject.workload.key in blocked and not unit.is_closed_to(subject)]
    always = _always_blocked(ready, unit) if open_to else {}
    before = _blocked_before(unit, [one for one in ready if one.workload.key in blocked], unit.cluster_before)
    for subject in ready:
        mine = [one for one in blocked.get(subject.workload.key, ()) if one not in before]
        held = always.get(subject.workload.key, []) if subject in open_to else mine
        if held and all(not one.stranded for one in held):
            # what finds no room may find it on a further node; a budget that lets nothing go stays as it is
            mine = [replace(one, elsewhere=one.pods, decided=True) for one in mine if one.refused or one.allowed == 0]
        sure = [one for one in mine if one.decided or one.refused or one.allowed == 0]
        if mine and (held or not unit.may_grow_for(subject)):
            yield HeldNode(subject, tuple(sure or mine), certain=bool(held), decided=bool(sure))


def _with_budgets(unit: ApplySet) -> list[WorkloadCheck]:
    """The workloads whose pods run somewhere; none if no budget selects pods of any of them."""
    budgets = unit.cluster.disruption_budgets if unit.has_nodes else ()
    if not budgets:
        return []
    ready = [one for one in unit.subjects if _has_pods(one) and one.admitted and unit.fits_somewhere(one)]
    return ready if any(budget.selects(one.pod) for budget in budgets for one in ready) else []


def held_budgets(unit: ApplySet) -> Iterator[tuple[Manifest, tuple[drain.Drained, ...]]]:
    """Yield the budgets of the manifests that block pods which only the inventory has, with their drains.

    Each such pod is assumed to be healthy, and its successor to find room.
    """
    from kubelint_gpu.simulation.questions import drain

    mine = [one for one in unit.manifests if one.kind == "PodDisruptionBudget"]
    if not mine or not unit.world.base.pods:
        return
    cluster, declared = unit.cluster, unit.world.snapshot(unit.world.base, pods=True)
    made = [created_pod(one.workload, "new") for one in (*unit.templates, *unit.neighbours) if one.workload is not None]
    budgets = {(one.meta.namespace, one.meta.name): one for one in cluster.disruption_budgets}
    before = unit.cluster_before.disruption_budgets if unit.before else ()
    for manifest in mine:
        budget = budgets.get((manifest.namespace or "default", manifest.name))
        if budget is None or budget in before:
            continue
        found = placed_matching(declared, budget.selector, frozenset((budget.meta.namespace,)))
        there = [pod for _, placed in found for pod, _ in placed]
        held = [pod for pod in there if drain.is_moved(pod) and not is_temporary(pod)]
        if not held or any(map(budget.selects, made)):
            # `held_drains` yields the pods that manifests make
            continue
        allowed = allowed_disruptions(budget, [replace(pod, phase="Running", ready=True) for pod in there])
        homes = Counter((pod.spec.node_name, _selecting(cluster.disruption_budgets, pod)) for pod in held)
        drains = (drain.Drained("", node, n, n, names, allowed) for (node, names), n in homes.items())
        blocked = tuple(one for one in drains if one.blocked)
        if blocked:
            yield manifest, blocked


def _selecting(budgets: Sequence[PodDisruptionBudget], pod: Pod) -> tuple[str, ...]:
    """The names of the budgets of a pod."""
    return tuple(sorted(one.meta.name for one in budgets if one.selects(pod)))


def _held_anywhere(unit: ApplySet) -> Iterator[HeldNode]:
    """Yield, if there is no inventory, the workloads whose budgets allow no eviction, with any room elsewhere."""
    budgets = unit.cluster.disruption_budgets
    ready = [one for one in unit.subjects if _has_pods(one) and not one.workload.custom] if budgets else []
    ready = [one for one in ready if any(budget.selects(one.pod) for budget in budgets)]
    if not ready:
        return
    generous = on_generous_nodes(unit).cluster
    blocked, before = _blocked(ready, unit, generous, every=True), _blocked_before(unit, ready, generous)
    for subject in ready:
        found = [one for one in blocked.get(subject.workload.key, ()) if one not in before]
        mine = [one for one in found if one.refused or one.allowed == 0]
        if mine:
            # of nodes that stand for any others nothing is told
            shown = replace(mine[0], node="", elsewhere=mine[0].pods, known=False)
            yield HeldNode(subject, (shown,), certain=True)


def _always_blocked(ready: Sequence[WorkloadCheck], unit: ApplySet) -> dict[str, list[drain.Drained]]:
    """Return the drains that stay blocked with nodes beyond the inventory, by workload: all of its drains or none."""
    if not cluster_beyond(unit).known:
        return {}
    return _blocked(ready, unit, cluster_beyond(unit).cluster, every=True)


def _blocked_before(unit: ApplySet, ready: Sequence[WorkloadCheck], cluster: Cluster) -> set[drain.Drained]:
    """The drains of unchanged workloads that were already blocked before this change."""
    same = {one.workload.key for one in ready if is_left_alone(unit, one)}
    if not same:
        return set()
    there = [old for one in unit.subjects if (old := unit.before_of(one)) is not None and _has_pods(old)]
    before = replace(cluster, disruption_budgets=unit.cluster_before.disruption_budgets)
    return {one for owner, drains in _blocked(there, unit, before).items() if owner in same for one in drains}


def _blocked(
    ready: Sequence[WorkloadCheck], unit: ApplySet, cluster: Cluster, *, every: bool = False
) -> dict[str, list[drain.Drained]]:
    """The blocked drains by workload; with `every`, only of workloads whose drains are all blocked."""
    from kubelint_gpu.simulation.questions import drain

    found: dict[str, list[drain.Drained]] = {}
    daemons = [one.workload for one in unit.subjects if one.controller.node_bound and one.admitted]
    for one in drain.drain([*(subject.workload for subject in ready), *daemons], cluster):
        found.setdefault(one.owner, []).append(one)
    kept = {owner: [one for one in drains if one.blocked] for owner, drains in found.items()}
    return {owner: some for owner, some in kept.items() if some and (len(some) == len(found[owner]) or not every)}


def _has_pods(subject: WorkloadCheck) -> bool:
    """Whether it always has pods, and a scheduler places them."""
    controller = subject.controller
    if controller.node_bound or controller.runs_to_completion or not subject.workload.replicas:
        return False
    return subject.places_pods
