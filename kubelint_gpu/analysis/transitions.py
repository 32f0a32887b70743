"""The change of a workload when its manifest is applied: from which state to which."""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.analysis.gang_members import waits_for_all
from kubelint_gpu.analysis.predecessors import (
    acting,
    ever_fitted,
    is_made,
    is_resumed,
    is_same_template,
    makes_none,
    with_shown_replicas,
)
from kubelint_gpu.kube.admission.defaults import without_resources
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Toleration
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler.plugins import node_unschedulable
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.revisions import run_as, shown_before
from kubelint_gpu.simulation.prepare.workload_change import nowhere, own_pods, pods_of_others
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

_CORDON = node_unschedulable.NAME


def transition_of(unit: ApplySet, subject: WorkloadCheck) -> Transition:
    """From the old workload, if it is known and could run; otherwise from itself, with another template hash.

    The old state is known if manifests are compared, or if its pods show it. If both templates are known and equal,
    nothing rolls out. In a captured cluster, the pods show the old number of replicas.
    """
    now, old = acting(unit, subject), unit.before_of(subject)
    if old is not None and subject.manifest.object in unit.kept:
        kept = with_shown_replicas(unit, old)
        return Transition(kept, kept, rolls=False, known=True)
    new = now.workload
    if is_made(unit, subject):
        if controller_of(new).paused:
            # not even its first ReplicaSet is made
            new = replace(new, replicas=0)
        return Transition(new, new, existing=False)
    if old is None:
        own = pods_by_owner(unit.cluster.pods).own(subject.controller)
        shown = shown_before(new, own)
        if shown is None:
            # nobody has applied it, and its pods run: what is applied now is what they are of
            stays = subject.manifest.object in unit.made and run_as(new, own)
            return Transition(new, new, rolls=not stays, known=stays)
        return Transition(new, shown, rolls=shown.spec is not new.spec, known=True)
    if not (ever_fitted(unit, old, subject) or own_pods(new, unit.cluster.pods)):
        return Transition(new, new)
    if not subject.controller.replaces_lost:
        # nobody makes its pod again: what changes changes in that pod
        return Transition(new, new, rolls=False, known=True)
    renumbered = old.controller.first_ordinal != subject.controller.first_ordinal
    rolls = now is subject and (renumbered or is_resumed(old, subject) or not is_same_template(old, subject))
    return Transition(new, with_shown_replicas(unit, old), rolls=rolls, known=True)


def pinned(transition: Transition, nodes: Mapping[str, Node]) -> Transition:
    """The transition in which pods that name their node find room there exactly if its kubelet admits them."""
    new = as_admitted(transition.new, nodes)
    old = new if transition.old is transition.new else as_admitted(transition.old, nodes)
    return transition if new is transition.new and old is transition.old else replace(transition, new=new, old=old)


@once
def transitions_in(unit: ApplySet) -> dict[WorkloadKey, Transition]:
    """The transitions of workloads that find nodes; workloads beside these manifests stay as they are."""
    if not unit.has_nodes:
        return {}
    # of what is applied twice the last one stays, and has the place of the first
    applied = {(one.manifest.identity or one.key, one.manifest.part): one for one in unit.subjects}.values()
    # beside what is not certain itself nothing would be certain of the others
    sure = (one for one in applied if not one.workload.approximate)
    rolled = {subject.key: transition_of(unit, subject) for subject in sure if is_placed(unit, subject)}
    stay = (subject for subject in _standing(unit) if is_placed(unit, subject))
    found = rolled | {subject.key: _as_it_stands(unit, subject) for subject in stay}
    whole = {subject.key for subject in unit.subjects if subject.key in found and waits_for_all(unit, subject)}
    nodes = {node.name: node for node in unit.cluster.nodes}
    return _with_adopted({key: replace(pinned(one, nodes), whole=key in whole) for key, one in found.items()})


@once
def unplaced_in(unit: ApplySet) -> dict[WorkloadKey, Transition]:
    """The transitions of workloads whose new pods find no node, so that they give up old pods as far as they may.

    New workloads without nodes are included if a quota counts their pods.
    """
    found = {}
    counted = {quota.meta.namespace for quota in unit.cluster.quotas}
    for subject in unit.subjects if unit.has_nodes else ():
        old = unit.before_of(subject)
        if is_placed(unit, subject) or subject.workload.approximate or subject.controller.node_bound:
            continue
        now = transition_of(unit, subject) if old is None or is_placed(unit, old) else None
        if now is not None and (
            now.rolls and now.known if now.existing else subject.workload.meta.namespace in counted
        ):
            spec = replace(nowhere(now.new.spec), priority_class_name="")
            found[subject.key] = replace(now, new=replace(now.new, spec=spec))
    return found


@once
def may_be_placed(unit: ApplySet) -> bool:
    """Whether pods of `unplaced_in` may find nodes after all: a gate is lifted, or an undeclared object exists."""
    declared = bool(unit.cluster.priority_classes)
    refused = {one.key for one in unit.subjects if declared and not (one.known_class or one.awaits_class)}
    refused |= {one.key for one in unit.subjects if one.refusal is not None}
    return bool(unplaced_in(unit).keys() - refused)


def _with_adopted(found: dict[WorkloadKey, Transition]) -> dict[WorkloadKey, Transition]:
    """The transitions, with bare pods that a controller adopts counted as its own."""
    bare = {key: one.new.pod(one.new.meta.name) for key, one in found.items() if one.new.kind == "Pod" and one.existing}
    taken: set[WorkloadKey] = set()
    for key, one in found.items() if bare else ():
        if one.new.kind == "Pod":
            continue
        controller = controller_of(one.new)
        mine = [name for name, pod in bare.items() if name not in taken and controller.adopts(pod)]
        if mine and not (one.existing or controller.node_bound):
            old = replace(one.new, spec=bare[mine[0]].spec, replicas=len(mine))
            found[key] = replace(one, old=old, existing=True, known=True, rolls=False)
        elif mine and one.known:
            found[key] = replace(one, old=replace(one.old, replicas=one.old.replicas + len(mine)))
        taken.update(mine)
    return {key: one for key, one in found.items() if key not in taken}


def without_leaving(unit: ApplySet, cluster: Cluster) -> Cluster:
    """The cluster without the pods of workloads that roll out or scale down: their new nodes are open."""
    known = [one for one in transitions_in(unit).values() if one.known]
    leaving = [one.new for one in known if one.rolls or one.new.replicas < one.old.replicas]
    return replace(cluster, pods=pods_of_others(leaving, cluster.pods)) if leaving and cluster.pods else cluster


def is_changed(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether anything about the workload changes now or may change; False if it is known to stay."""
    now = transitions_in(unit).get(subject.key)
    stays = now is not None and now.known and not now.rolls and now.old.replicas == now.new.replicas
    return not stays


def _as_it_stands(unit: ApplySet, subject: WorkloadCheck) -> Transition:
    workload = with_shown_replicas(unit, subject)
    return Transition(workload, workload, rolls=False)


def is_placed(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its pods are created and find a node."""
    now = acting(unit, subject)
    # what is refused of its pods concerns none that run
    made = now.known_class and (now.refusal is None or makes_none(unit, subject))
    return made and finds_nodes(unit, now)


def finds_nodes(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its pods find nodes by the scheduler, or by the node name in its template."""
    workload = subject.workload
    named = workload.spec.node_name and not names_node(workload, {one.name: one for one in unit.cluster.nodes})
    simulated = not (workload.custom and subject.controller.runs_to_completion)
    return simulated and not named and not unit.alone(subject).held


def _standing(unit: ApplySet) -> tuple[WorkloadCheck, ...]:
    """Return the workloads whose pods exist and stay: not in these manifests, or with an invalid change."""
    kept = [unit.kept[one.object] for one in unit.manifests if not one.readable and one.object in unit.kept]
    mine = {manifest.object for manifest in unit.manifests} - {one.object for one in kept if one is not None}
    whole: dict[str, WorkloadCheck] = {}
    for manifest in (*filter(None, kept), *unit.neighbours):
        workload = manifest.workload
        if workload is not None and manifest.known and not workload.partial and manifest.object not in mine:
            whole.setdefault(manifest.object, unit.judged(manifest, workload).marked("beside"))
    return tuple(whole.values())


_NAME = "metadata.name"


def names_node(workload: Workload, nodes: Mapping[str, Node]) -> bool:
    """Whether its template names one of the nodes."""
    return not workload.custom and workload.spec.node_name in nodes


def as_admitted(workload: Workload, nodes: Mapping[str, Node]) -> Workload:
    """The workload in a form for which the scheduler admits its pods exactly if the kubelet of the named node does.

    Fields that only the scheduler looks at are removed; so is an extended resource that the node does not know.
    A DaemonSet's controller checks taints and affinity itself before it creates a pod for the node.
    """
    spec = workload.spec
    if not names_node(workload, nodes):
        return workload
    only = Requirement(_NAME, "In", (spec.node_name,))
    terms = spec.node_affinity.terms if spec.node_affinity is not None else (NodeSelectorTerm(),)
    known = nodes[spec.node_name].allocatable
    everywhere = () if controller_of(workload).node_bound else (Toleration(operator="Exists", effect="NoSchedule"),)
    return replace(
        workload,
        spec=replace(
            without_resources(spec, lambda name: is_extended(name) and name not in known),
            node_name="",
            node_affinity=NodeSelector(tuple(replace(term, fields=(*term.fields, only)) for term in terms)),
            tolerations=(*spec.tolerations, *everywhere),
            pod_affinity=(),
            pod_anti_affinity=(),
            spread=(),
            preemption_policy="Never",
        ),
    )
