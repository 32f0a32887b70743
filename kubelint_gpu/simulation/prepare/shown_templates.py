"""Of which template a running pod is, as far as the pod shows it."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, anonymous, created_pod
from kubelint_gpu.values import replace

_OF_REVISIONS = ("pod-template-hash", "controller-revision-hash", "pod-template-generation")


_LIFECYCLE = "node.kubernetes.io/"
"""Taints that admission has every pod tolerate for a while, and the DaemonSet controller its own for ever."""


def is_of(pod: Pod, workload: Workload) -> bool | None:
    """Whether a running pod is of the template of a workload: False where it shows another one.

    None where what it shows is the same, and its images are not known: an inventory need not tell them, and tells
    no annotations then.
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
    """What a pod tells of its template, without images and priority.

    Where its controller has `bound` it to a node, that is left out, too.
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
    """The change as the pods that run show it: a template that all of them have already is not rolled out again.

    What waits is of the template that is taken back, and deleted; a StatefulSet waits for it. One that was paused
    rolls out what its pods do not have yet.
    """
    if not change.known or not change.running or change.old is change.new:
        return change
    new, old = change.new, change.old
    if not change.rolls:
        was_paused = controller_of(old).paused and not change.controller.paused
        return replace(change, rolls=was_paused and any(is_of(pod, new) is False for pod in change.running))
    if change.waiting and change.controller.has_ordinals:
        return change
    reverted = all(is_of(pod, new) and is_of(pod, old) is False for pod in change.running)
    return replace(change, old=replace(new, replicas=old.replicas), rolls=False, waiting=()) if reverted else change


def _images(pod: Pod) -> list[str]:
    return [container.image for container in (*pod.spec.containers, *pod.spec.init_containers)]
