"""Pods with a fixed `nodeName`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.kubelet_refusal import aftermath
from kubelint_gpu.builders.node_pins import node_labels
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Related,
    Severity,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.kube.objects.storage import with_default_class
from kubelint_gpu.messages.wait import every, held_by
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins.volume_binding import unsuited
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.documents.editing import Edit
    from kubelint_gpu.scheduler import kubelet_admission


_NAME = "nodeName"
_DELAYED = "WaitForFirstConsumer of its StorageClass"
_MOST = 100


@rule("KLG207", of_workloads=True)
def node_name_set(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield templates with `nodeName`, whose pods bypass the scheduler."""
    for subject in unit.subjects:
        manifest, name = subject.manifest, subject.workload.spec.node_name
        route = (*field_pointers.pod_spec(manifest), _NAME)
        if not name or not manifest.present(route) or manifest.present(("status", "phase")):
            continue
        found = _admission(unit, subject, name)
        yield Diagnostic(
            "KLG207",
            manifest.place(route),
            f"{_NAME} {name} bypasses the scheduler: {found.told}",
            manifest,
            cause=name,
            severity=found.severity,
            scheduler=None,
            related=found.related,
            help=tuple(filter(None, (found.said and f"the kubelet says: {found.said}", found.then))),
            proposals=tuple(_selectors(unit, subject, name)),
        )


class _Answer(Value):
    """The fate of the pods: a phrase, the kubelet's words, the consequence, the node's place, and the severity."""

    told: str
    said: str = ""
    then: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity | None = None


def _admission(unit: ApplySet, subject: WorkloadCheck, name: str) -> _Answer:
    if not unit.has_nodes:
        return _Answer("its pods fail instead of waiting where the node is full or gone")
    declared, node = unit.world.declared("Node", name), unit.empty.node(name)
    daemons = subject.controller.node_bound
    if declared is None or node is None:
        if daemons:
            return _Answer("the inventory has no such node, and no pod is made for any other")
        return _Answer("the inventory has no such node, and its pods wait for a kubelet that is not there")
    related = (Related(unit.world.place(declared), f"{name} is declared here"),)
    if daemons and not daemon_nodes.daemon_nodes(subject.workload.choosing, (node.node,)):
        why = "its controller looks at taints, nodeSelector and affinity itself, and makes no pod for this node"
        return _Answer(why, related=related)
    started, answer = _started(unit, subject, name)
    wanted = min(max(subject.workload.replicas, 1), _MOST)
    then = aftermath(subject.manifest)
    why = f"{answer.reason}: too few {answer.devices}" if answer.devices else answer.reason
    if answer.reason and not started:
        pods = "its pod" if wanted == 1 else "its pods"
        return _Answer(f"the kubelet of {name} refuses {pods} ({why})", answer.message, then, related)
    if answer.reason:
        few = f"{started} of {counted(wanted, 'pod')}"
        told = f"the kubelet of {name} starts only {few} and fails the rest ({why})"
        return _Answer(told, answer.message, then, related)
    for claim in () if daemons else _unchosen(unit, subject):
        waits = f"claim {claim} waits for a scheduler to choose the node ({_DELAYED})"
        # a claim that was there before may have its volume since a scheduler placed another pod
        old = f"PersistentVolumeClaim/{subject.workload.meta.namespace}/{claim}" in unit.before
        told = f"{waits}, so it is never bound and the pod never starts"
        return _Answer(told, related=related, severity=None if old else "error")
    if answer.dropped:
        gone = listed(answer.dropped)
        return _Answer(f"{name} does not know {gone}, and its kubelet starts the pod without it", related=related)
    beside = _beside(unit, subject, name)
    if beside:
        return _Answer(beside, then=then, related=related)
    counts = "affinity to pods and priorities do not count" if daemons else ""
    counts = counts or "taints, cordons, affinity and priorities do not count"
    return _Answer(f"{counts}, and a pod that does not fit fails instead of waiting", related=related)


def _unchosen(unit: ApplySet, subject: WorkloadCheck) -> Iterator[str]:
    """Yield claims that get no volume, because no scheduler chooses a node for them."""
    classes = {one.name: one for one in unit.cluster.storage_classes}
    placed = [key for one in unit.subjects if one.places_pods for key in claim_keys(one.workload)]
    mine = claim_keys(subject.workload).difference(placed)
    for claim in (one for one in unit.cluster.claims if one.key in mine and not one.volume_name):
        found = classes.get(with_default_class(claim, classes.values()).class_name)
        kept = any(one.claim is not None and not unsuited(one, claim) for one in unit.cluster.volumes)
        if found is not None and found.wait_for_first_consumer and claim.selected_node is None and not kept:
            yield claim.meta.name


def _beside(unit: ApplySet, subject: WorkloadCheck, name: str) -> str:
    """Return that other workloads applied with it leave too little for its pods; empty if they do not."""
    found = judgements_in(unit).get(subject.key)
    if found is None or found.verdict is not None or not found.room.is_short or subject.controller.runs_to_completion:
        return ""
    lacks = every(found.room.waiting.lacks) if found.room.waiting is not None else []
    holders = held_by(lacks, subject.workload.key, standing=True)
    held = f", because of {holders}" if holders else ""
    few = f"starts only {found.room.placed} of {counted(found.room.wanted, 'pod')} and fails the rest"
    few = few if found.room.placed else f"fails {'its pod' if found.room.wanted == 1 else 'its pods'}"
    return f"where what is applied with it comes first, the kubelet of {name} {few}{held}"


def _started(unit: ApplySet, subject: WorkloadCheck, name: str) -> tuple[int, kubelet_admission.KubeletAdmission]:
    """Return how many of its pods the kubelet starts beside running pods, and its answer to the next or last one."""
    from kubelint_gpu.scheduler import kubelet_admission

    snapshot, pod = unit.running, subject.pod
    said = kubelet_admission.KubeletAdmission()
    for number in range(min(max(subject.workload.replicas, 1), _MOST)):
        node = snapshot.node(name)
        if node is None:
            return number, said
        said = kubelet_admission.kubelet_admission(pod, node, snapshot)
        if said.reason:
            return number, said
        key = f"{pod.meta.name}-{number}"
        snapshot = snapshot.place(replace(pod, meta=replace(pod.meta, name=key, uid=key)), name)
    return min(max(subject.workload.replicas, 1), _MOST), said


def _selectors(unit: ApplySet, subject: WorkloadCheck, name: str) -> Iterator[FixCandidate]:
    labels = [(HOSTNAME, name)]
    node = unit.empty.node(name) if unit.has_nodes else None
    if node is not None:
        labels = [*list(node_labels(subject, node.node))[:1], (HOSTNAME, node.node.labels.get(HOSTNAME, name))]
    for key, value in labels:
        yield FixCandidate(
            f"let the scheduler choose, with nodeSelector {key}: {value}",
            "unsafe",
            lambda key=key, value=value: _selected(subject, key, value),  # type: ignore[misc]
            must_prove=unit.has_nodes,
        )


def _selected(subject: WorkloadCheck, key: str, value: str) -> list[Edit]:
    from kubelint_gpu.documents import moves

    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    return [moves.replace_key(manifest.item, (*base, _NAME), (*base, "nodeSelector"), key, value)]
