"""A workload before this change: whether any of its pods ran, and whether its template changes."""

from __future__ import annotations

from kubelint_gpu.documents import value_at
from kubelint_gpu.kube.kinds.custom_workload import custom_workloads
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.companions import fit_lone
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.prepare.standing_pods import as_before
from kubelint_gpu.simulation.prepare.workload_change import is_waiting, own_pods, own_waiting, running_pods
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_COUNTS = ("replicas", "minReplicas", "maxReplicas", "scaleTarget", "scaleMetric")
"""The fields beside the spec of an operator's pods that say how many there are."""


def is_same_template(old: WorkloadCheck, new: WorkloadCheck) -> bool:
    """Whether the templates are equal for controllers, which also compare fields that no scheduler looks at."""
    return _templates(old) == _templates(new)


def _templates(subject: WorkloadCheck) -> object:
    """The template of a workload, or all templates that are replaced together with it."""
    value = subject.manifest.item.value
    parts = [one for one, _ in custom_workloads(value)] if subject.controller.waits_for else [subject.workload]
    return [_template(value, one) for one in parts]


def _template(value: object, workload: Workload) -> object:
    from kubelint_gpu.kube.updates import normal_form

    template = value_at(value, workload.template_pointer if workload.is_template else workload.spec_pointer)
    if not isinstance(template, dict):
        return template
    if not workload.is_template:
        # a revision of its own has its number of pods, too; a Deployment is scaled
        counts = () if getattr(workload.strategy, "revised", False) else _COUNTS
        return {key: field for key, field in template.items() if key not in counts}
    return normal_form.normal(template.get("metadata")), normal_form.normal_pod_spec(template.get("spec"))


def is_made(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether no pod of it runs before: it was not applied, fitted on no node, or is gated."""
    there = (*own_pods(subject.workload, unit.cluster.pods), *own_waiting(subject.workload, unit.cluster.pods))
    if any(f"Pod/{pod.key}" not in _bare_pods(unit) or subject.workload.kind == "Pod" for pod in there):
        return False
    old, job = unit.before_of(subject), job_of(subject.workload)
    if old is None:
        # nobody makes a bare pod again: one that is applied and is on no node is new
        bare = not (subject.controller.replaces_lost or subject.workload.spec.node_name)
        absent = unit.world.shows_all and not subject.workload.custom
        return bare or absent or subject.manifest.object in unit.made
    if job is not None and job.scheduled:
        # each run has pods of its own
        return True
    gated = any(pod.spec.scheduling_gates for pod in pods_by_owner(unit.cluster.pods).own(old.controller))
    return is_same_template(old, subject) if gated else not ever_fitted(unit, old, subject)


@once
def _bare_pods(unit: ApplySet) -> frozenset[str]:
    return frozenset(one.object for one in unit.manifests if one.kind == "Pod")


def with_shown_replicas(unit: ApplySet, old: WorkloadCheck) -> Workload:
    """The workload with the replicas that a captured cluster shows, if these are fewer: it was scaled by hand.

    An autoscaler scales its workload all the time, but never up from 0 replicas.
    """
    workload, controller = old.workload, old.controller
    if workload.custom or controller.runs_to_completion or controller.node_bound or not controller.replaces_lost:
        return workload
    if not unit.world.shows_pods_of(workload.meta.namespace):
        return workload
    own = pods_by_owner(unit.cluster.pods).own(controller)
    there = sum(not (pod.finished or pod.meta.terminating) for pod in own)
    fewer = there < workload.replicas and (old.scaled is None or not there)
    return replace(workload, replicas=there) if fewer else workload


def makes_none(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether this change creates no pod of a workload: all its pods exist, and keep their template.

    Its former state is what was applied last, or else what the inventory shows.
    """
    old, controller, wanted = unit.before_of(subject), subject.controller, subject.workload.replicas
    if controller.runs_to_completion or own_waiting(subject.workload, unit.cluster.pods):
        return False
    if controller.node_bound:
        return old is not None and _keeps_template(old, subject) and is_same_template(old, subject)
    there = [pod for pod in own_pods(subject.workload, unit.cluster.pods) if not pod.meta.terminating]
    if old is None:
        return (controller.on_delete or _is_below_partition(subject)) and 0 < wanted <= len(there)
    if wanted and not _keeps_template(old, subject):
        return False
    return wanted <= (len(there) if there else with_shown_replicas(unit, old).replicas)


def contradicts_nodes(unit: ApplySet, subject: WorkloadCheck, placed: int, wanted: int) -> bool:
    """Whether unchanged pods may run on nodes that take no new ones, because not all pods of before fit now.

    This is so if their nodes are unknown, and only `placed` of the `wanted` pods fit: either the nodes have changed
    since, or some pods wait. For running pods without a controller, the former state is unknown.
    """
    old = unit.before_of(subject)
    if old is None:
        return makes_none(unit, subject) or 0 < wanted - placed <= _standing_elsewhere(unit, subject)
    if not _keeps_template(old, subject) or pods_by_owner(unit.cluster.pods).own(subject.controller):
        return False
    if subject.controller.node_bound:
        return True
    there = with_shown_replicas(unit, old).replicas
    return placed < there and wanted <= there + placed


def needs_new_pods(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether its replicas lack room only if its pods are created anew: the running ones have places."""
    short = judgement.room.is_short and unit.before_of(subject) is None
    return short and contradicts_nodes(unit, subject, judgement.room.alone, judgement.room.wanted)


def _standing_elsewhere(unit: ApplySet, subject: WorkloadCheck) -> int:
    """Return how many of its pods, which may keep their template, run on nodes that would not take them today."""
    there = [pod for pod in own_pods(subject.workload, unit.cluster.pods) if not pod.meta.terminating]
    takers = fit_lone(subject.pod, unit.empty).takers if there else ()
    return sum(pod.spec.node_name not in takers for pod in there)


def _keeps_template(old: WorkloadCheck, subject: WorkloadCheck) -> bool:
    """Whether existing pods keep their template."""
    if subject.controller.on_delete or _is_below_partition(subject):
        return True
    return is_same_template(old, subject) and not is_resumed(old, subject)


def is_resumed(old: WorkloadCheck, new: WorkloadCheck) -> bool:
    """Whether a template that a pause or a partition held back now reaches more pods."""
    return old.controller.withheld > new.controller.withheld


def makes_only_old(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether this change creates no pod of the new template, as far as its controller decides that."""
    if subject.controller.node_bound:
        return subject.controller.on_delete
    return acting(unit, subject) is not subject


def is_left_alone(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a change leaves the manifest of a workload exactly as it was."""
    old = unit.before_of(subject)
    return old is not None and old.manifest.item.value == subject.manifest.item.value


def acting(unit: ApplySet, subject: WorkloadCheck) -> WorkloadCheck:
    """The workload from which its controller creates pods now.

    This is the old template if it is paused, if all ordinals are below its partition, or if it creates none because it
    keeps waiting pods.
    """
    old = unit.before_of(subject)
    keeps = _is_below_partition(subject) or _keeps_waiting(unit, subject)
    if old is None or not (subject.controller.paused or (keeps and not is_same_template(old, subject))):
        return subject
    workload = replace(old.workload, replicas=subject.workload.replicas, strategy=subject.workload.strategy)
    return replace(old, manifest=subject.manifest, workload=workload, scaled=None, mark=subject.mark).marked("kept")


def _keeps_waiting(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its controller replaces no pod, some are known to wait, and no more are created before these run."""
    controller = subject.controller
    if not controller.on_delete or controller.node_bound:
        return False
    mine = pods_by_owner(unit.cluster.pods).own(controller)
    waiting = sum(is_waiting(pod, gated=True) for pod in mine)
    there = waiting + len(running_pods(controller, mine))
    return waiting > 0 and (controller.ordered or there >= subject.workload.replicas)


def _is_below_partition(subject: WorkloadCheck) -> bool:
    """Whether its partition keeps the new template from all ordinals; OnDelete ignores the partition."""
    controller = subject.controller
    return controller.has_ordinals and not controller.on_delete and controller.partition >= subject.workload.replicas


def ever_fitted(unit: ApplySet, subject: WorkloadCheck, now: WorkloadCheck | None = None) -> bool:
    """Whether some node takes its pods when nothing else runs; also for a workload of before.

    For pods that its controller keeps, with the workload as it is `now`, also nodes count that were cordoned since.
    """
    snapshot, workload, cluster = unit.empty, subject.workload, unit.cluster
    if any(volume.kind == "persistentVolumeClaim" for volume in workload.spec.volumes):
        # where it ran, its claims were bound
        snapshot = unit.empty_with_claims_of(workload)
        cluster = snapshot.cluster
    if not subject.admitted or not subject.places_pods or fit_lone(subject.pod, snapshot).hopeful:
        return subject.admitted
    keeper = (subject if now is None else now).controller
    keeps = keeper.has_ordinals and (keeper.on_delete or keeper.partition)
    return bool(keeps) and fit_lone(subject.pod, as_before(subject.pod, cluster)).hopeful


def shows_template(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether the inventory shows for all running pods whether they have this template; it may omit images."""
    own = pods_by_owner(unit.cluster.pods).own(subject.controller)
    return all(is_of(pod, subject.workload) is not None for pod in own)
