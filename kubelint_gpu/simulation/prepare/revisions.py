"""The revisions of a workload's pods before any rollout, and which of them has the new template."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.pod_type_builder import Revision
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, anonymous, created_pod, identity
from kubelint_gpu.values import replace

_OF_REVISIONS = ("pod-template-hash", "controller-revision-hash", "pod-template-generation")


_LIFECYCLE = "node.kubernetes.io/"
"""Taints that admission has every pod tolerate for a while, and the DaemonSet controller its own for ever."""


def revisions(participant: WorkloadChange, total: int) -> list[Revision]:
    """The revisions of `total` pods, oldest first.

    Pods that are not known to run have the newest revision or, if no pod runs, the old template.
    """
    if participant.settled:
        kept, running = participant.kept, participant.staying
        old = anonymous(running[0]) if participant.under_way and running else created_pod(participant.old, "old")
        stays = [Revision(old, kept, running)] if kept else []
        rest = () if kept else running
        comes = [Revision(created_pod(participant.new, "new"), total - kept, rest)] if total > kept or not kept else []
        return [*stays, *comes]
    more = total - participant.before
    if more > 0 and participant.controller.on_delete and not participant.daemons:
        # what is made now is of the template that is written now
        return [*revisions(participant, participant.before), Revision(created_pod(participant.new, "new"), more)]
    if not participant.running:
        return [Revision(created_pod(participant.old, "old"), total)]
    groups: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.running, key=lambda pod: (pod.meta.created, pod.meta.name)):
        groups.setdefault(identity(pod), []).append(pod)
    counts = [len(pods) for pods in groups.values()]
    counts[-1] += total - sum(counts)
    return [Revision(anonymous(pods[0]), count, pods) for pods, count in zip(groups.values(), counts, strict=True)]


def revisions_with_waiting(participant: WorkloadChange) -> list[Revision]:
    """The revisions of a Deployment that rolls out, oldest first, each with its waiting pods."""
    waiting: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.waiting, key=lambda pod: (pod.meta.created, pod.meta.name)):
        waiting.setdefault(identity(pod), []).append(pod)
    wanted = max(0, participant.before - len(participant.waiting))
    found: list[Revision] = []
    if wanted or participant.running or not waiting:
        for one in revisions(participant, max(wanted, len(participant.running))):
            same = waiting.pop(identity(one.running[0]), []) if one.running else []
            found.append(replace(one, waiting=len(same)))
    # a template of which nothing runs was the last to come
    return found + [Revision(anonymous(pods[0]), 0, (), len(pods)) for pods in waiting.values()]


def current_revision(participant: WorkloadChange, found: Sequence[Revision]) -> int | None:
    """Which of a Deployment's revisions, oldest first, has the new template, so that its ReplicaSet grows again.

    The newest revision has the old template unless its pods show another. None if this is not known: an inventory may
    omit the images of pods, and then a change of images, or an older revision that differs in nothing else, is
    ambiguous.
    Behaviour: FindNewReplicaSet of pkg/controller/deployment/util/deployment_util.go, 1.34.
    """
    if participant.old is participant.new or not participant.rolls:
        return None
    if participant.under_way:
        there = (*participant.running, *participant.waiting)
        new = {identity(pod) for pod in there if is_of(pod, participant.new) is not False}
        return max((place for place, one in enumerate(found) if identity(one.pod) in new), default=None)
    same_images = _images(created_pod(participant.old, "")) == _images(created_pod(participant.new, ""))
    for place, one in enumerate(found):
        shown = is_of(one.running[0], participant.new) if one.running else False
        if shown is False:
            continue
        older = place < len(found) - 1
        if shown is None and older and not same_images:
            continue
        if (shown and older) or is_of(one.running[0], participant.old) is False:
            return place
        if older and shown_template(one.pod) != shown_template(found[-1].pod):
            return place
    return None


def may_have_template(one: WorkloadChange) -> bool:
    """Whether an older revision, or pods whose rollout was held back, may already have the new template."""
    if not (one.rolling and one.known):
        return False
    if _is_resumed(one):
        return all(is_of(pod, one.new) is not False for pod in one.running)
    if one.controller.has_ordinals:
        return False
    if one.daemons:
        return one.mixed and any(is_of(pod, one.new) is None for pod in one.running)
    if not one.running:
        return False
    found = revisions_with_waiting(one)
    older = [revision.running[0] for revision in found[:-1] if revision.running]
    return current_revision(one, found) is None and any(is_of(pod, one.new) is None for pod in older)


def _is_resumed(one: WorkloadChange) -> bool:
    """Whether a rollout that was held back is resumed, so that its pods may already have the new template."""
    if one.old is one.new or controller_of(one.old).withheld <= one.controller.withheld:
        return False
    return is_of(created_pod(one.old, ""), one.new) is True


def is_of(pod: Pod, workload: Workload) -> bool | None:
    """Whether a running pod has the template of a workload; False if it shows another one.

    None if its visible fields are equal but its images are unknown: an inventory may omit images and annotations.
    """
    wanted = created_pod(workload, "")
    images = list(zip(_images(pod), _images(wanted), strict=False))
    bound = controller_of(workload).node_bound
    if shown_template(anonymous(pod), bound=bound) != shown_template(anonymous(wanted), bound=bound):
        return False
    if any(was and was != now for was, now in images) or pod.spec.priority not in (None, wanted.spec.priority):
        return False
    if not all(was for was, _ in images):
        return None
    return wanted.meta.annotations.items() <= pod.meta.annotations.items()


def shown_template(pod: Pod, *, bound: bool = False) -> object:
    """The fields of a pod that show its template, without images and priority.

    If its controller has `bound` it to a node, the node is left out, too.
    """
    labels = {key: value for key, value in pod.meta.labels.items() if key not in _OF_REVISIONS}
    own = f"-{pod.meta.name}"
    spec = replace(
        pod.spec,
        containers=tuple(replace(one, image="") for one in pod.spec.containers),
        init_containers=tuple(replace(one, image="") for one in pod.spec.init_containers),
        # the claims of an ordinal are made from templates of their own
        volumes=tuple(one for one in pod.spec.volumes if not str(one.source.get("claimName", "")).endswith(own)),
        node_affinity=None if bound else pod.spec.node_affinity,
        tolerations=tuple(one for one in pod.spec.tolerations if not one.key.startswith(_LIFECYCLE)),
        priority=None,
        priority_class_name="",
        preemption_policy="",
    )
    return labels, spec


def as_shown(change: WorkloadChange) -> WorkloadChange:
    """The change as the running pods show it: a template that all of them have already is not rolled out again.

    Waiting pods of a withdrawn template are deleted; a StatefulSet waits for them. A workload that keeps its template
    rolls it out to pods that lack it: it was paused, or a rollout is under way.
    """
    if not change.known or not change.running or change.old is change.new:
        return change
    new, old = change.new, change.old
    if not change.rolls:
        others = [pod for pod in change.running if is_of(pod, new) is False]
        begun = controller_of(old).withheld or any(_is_surely_another(pod, change) for pod in others)
        under_way = bool(begun and others) and not change.controller.paused
        return replace(change, rolls=under_way, under_way=under_way)
    if change.waiting and change.controller.has_ordinals:
        return change
    resumed = _is_resumed(change)
    reverted = all(is_of(pod, new) and (resumed or is_of(pod, old) is False) for pod in change.running)
    return replace(change, old=replace(new, replicas=old.replicas), rolls=False, waiting=()) if reverted else change


def shown_before(new: Workload, pods: Sequence[Pod]) -> Workload | None:
    """The workload as it was applied last, as its own pods show: with the newest template that is not that of `new`.

    If all pods have one template, their number is the replicas. None if they run as `new` says.
    """
    controller = controller_of(new)
    active = [pod for pod in pods if not (pod.meta.terminating or pod.finished)]
    if controller.node_bound or controller.terminates or not controller.replaces_lost:
        return None
    revised = [pod for pod in active if any(revision_of(pod))]
    same = {revision_of(pod) for pod in revised if is_of(pod, new) is not False}
    others = [pod for pod in revised if revision_of(pod) not in same]
    mixed = bool(same and others)
    if not mixed and (len(revised) < len(active) or not active):
        return None
    wanted = new.replicas if mixed else len(active)
    if not others:
        runs = wanted == new.replicas and all(pod.spec.node_name for pod in active)
        return None if runs else replace(new, replicas=wanted)
    last = max(others, key=lambda pod: (pod.meta.created, not pod.spec.node_name))
    labels = FrozenMap({key: value for key, value in last.meta.labels.items() if key not in _OF_REVISIONS})
    template = replace(new.template, labels=labels, annotations=last.meta.annotations)
    return replace(new, spec=anonymous(last).spec, template=template, replicas=wanted, written=None)


def run_as(new: Workload, pods: Sequence[Pod]) -> bool:
    """Whether a workload has pods, and all of them show its template."""
    active = [pod for pod in pods if not (pod.meta.terminating or pod.finished)]
    return bool(active) and all(is_of(pod, new) for pod in active)


def _is_surely_another(pod: Pod, change: WorkloadChange) -> bool:
    """Whether a pod surely has another template, and was not only changed by admission.

    A pod with another revision shows the new template; or this one has other images, or lacks an annotation.
    """
    if change.daemons:
        return False
    new = (other for other in (*change.running, *change.waiting) if is_of(other, change.new) is not False)
    if any(revision_of(pod) != revision_of(other) for other in new):
        return True
    wanted, images = created_pod(change.new, ""), _images(pod)
    lacks = not wanted.meta.annotations.items() <= pod.meta.annotations.items()
    return all(images) and (lacks or not {*_images(wanted)} <= {*images})


def revision_of(pod: Pod) -> tuple[str | None, ...]:
    """The labels with which a controller marks a pod's template."""
    return tuple(pod.meta.labels.get(name) for name in _OF_REVISIONS)


def _images(pod: Pod) -> list[str]:
    return [container.image for container in (*pod.spec.containers, *pod.spec.init_containers)]
