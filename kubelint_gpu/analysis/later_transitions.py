"""The next rollout of a workload, after everything that begins now has ended."""

from __future__ import annotations

from kubelint_gpu.analysis.predecessors import acting
from kubelint_gpu.analysis.transitions import _CORDON, transitions_in
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.prepare.workload_change import created_pod, own_pods
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def next_transition_of(unit: ApplySet, subject: WorkloadCheck) -> Transition | None:
    """The next rollout of a workload, with its template and replicas after everything that begins now has ended.

    None if there is no later rollout either, or if this commit neither rolls it out nor changes its next rollout.
    """
    old, now = unit.before_of(subject), transitions_in(unit).get(subject.key)
    if now is None or not now.existing or not subject.controller.rolls or acting(unit, subject) is not subject:
        return None
    fresh = subject.manifest.object in unit.made
    if not now.rolls and not (now.known and (fresh if old is None else _pace(old) != _pace(subject))):
        return None
    return Transition(now.new, now.new)


def is_another_later(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a workload holds different resources after this change, or rolls out differently."""
    now = transitions_in(unit).get(subject.key)
    if now is None:
        return False
    if not now.existing or (now.known and not now.rolls and subject.manifest.object in unit.made):
        return True
    old = unit.before_of(subject)
    if now.known:
        return _held(now.old) != _held(now.new) or (old is not None and _pace(old) != _pace(subject))
    return is_exchanged(unit, subject)


def is_exchanged(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether the workload's pods after the rollout differ in resources from those of the inventory.

    Pods that stay until somebody deletes them, or below a partition, are assumed to have the new template, too.
    """
    now = transitions_in(unit).get(subject.key)
    if now is None or not now.rolls or not subject.controller.rolls or acting(unit, subject) is not subject:
        return False
    pods = [pod for pod in own_pods(now.new, unit.cluster.pods) if not pod.meta.terminating]
    if not pods or now.known:
        back = all(is_of(pod, now.old) is False and is_of(pod, now.new) is not False for pod in pods)
        return not back and _held(now.old) != _held(now.new)
    made, found = created_pod(now.new, "new"), unit.alone(subject).fit
    if any(_uses(pod) != _uses(made) for pod in pods):
        return True
    # a node that is cordoned takes pods again some day
    nodes = {pod.spec.node_name for pod in pods}
    return found is not None and not subject.controller.node_bound and found.rejects(nodes, but_for=_CORDON)


def _held(workload: Workload) -> object:
    """The parts of a template that matter to the scheduler."""
    return workload.spec, workload.template.labels


def _uses(pod: Pod) -> object:
    return takes(pod), host_ports(pod.spec)


def replaced_transition_of(unit: ApplySet, subject: WorkloadCheck) -> Transition | None:
    """The change of a workload as if its template reached all its pods; None if nothing holds it back.

    With OnDelete somebody deletes all old pods; a partition is lowered to 0. None if the template stays.
    """
    now = transitions_in(unit).get(subject.key)
    if now is None or not now.known or not (now.rolls or acting(unit, subject) is not subject):
        return None
    new = controller_of(subject.workload).replaced_by_hand
    return replace(now, new=new, known=False, rolls=True) if new is not None else None


def _pace(subject: WorkloadCheck) -> object:
    """Return the fields that decide how a template rolls out, except for the times for which a controller waits."""
    return subject.workload.replicas, subject.controller.pace
