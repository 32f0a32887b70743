"""Pods that name their node."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.draining import held_drains
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.pins import Wider, by_label, node_labels, wider_selection
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, listed, some
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, remove_key, set_key
from kubelint_gpu.kube.gpu_labels import HOSTNAME
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.scheduler.kubelet_admission import Admission, kubelet_admission
from kubelint_gpu.values import replace

_NAME = "nodeName"
_MOST = 100
# files of the host that every node has
_EVERYWHERE = ("/dev", "/proc", "/sys", "/run", "/var/run", "/etc", "/usr", "/lib")


@rule("KLG203")
def hostname_pin(unit: Unit) -> Iterator[Draft]:
    """Bound to a node by its name where a label of the node would do."""
    held = {id(subject) for subject, _ in held_drains(unit)}
    for subject in unit.subjects:
        if not subject.places_pods or _has_reason(subject):
            continue
        found = wider_selection(unit, subject)
        if found is None or (not _more(found) and _claims(subject)):
            continue
        manifest = subject.manifest
        route: Pointer = (*routes.pod_spec(manifest), *found.pin.pointer)
        label = f"{found.key}: {found.value}"
        others = sorted(set(found.nodes) - set(found.pinned))
        if not others and _sticks(unit, subject):
            continue
        told = (
            f"{label} would also let it run on {some(others)} when {some(found.pinned)} is drained or fails"
            if others
            else f"{label} selects the same node and stays right when the node is replaced"
        )
        yield Draft(
            "KLG203",
            manifest.place(route),
            f"its pods are pinned to {some(found.pinned)} by name; {told}",
            manifest,
            cause=str(found.pin.requirement),
            severity="warning" if id(subject) in held or _sticks(unit, subject) else "note",
            related=tuple(_nodes(unit, found, others)),
            proposals=(by_label(subject, found),),
        )


def _more(found: Wider) -> bool:
    return len(found.nodes) > len(found.pinned)


def _has_reason(subject: Subject) -> bool:
    """Whether its pods use data of that host."""
    paths = [
        str(volume.source.get("path", "")) for volume in subject.workload.spec.volumes if volume.kind == "hostPath"
    ]
    return any(not path.startswith(_EVERYWHERE) for path in paths)


def _claims(subject: Subject) -> bool:
    return any(volume.kind == "persistentVolumeClaim" for volume in subject.workload.spec.volumes)


def _sticks(unit: Unit, subject: Subject) -> bool:
    """Whether its rollout hangs on the pin."""
    judgement = unit.judgements.get(id(subject))
    return judgement is not None and judgement.verdict in (Verdict.STUCK, Verdict.MAY_STICK)


def _nodes(unit: Unit, found: Wider, others: list[str]) -> Iterator[Related]:
    said = set()
    for name in (*found.pinned[:1], *others[:2]):
        declared = unit.world.declared("Node", name)
        if declared is None:
            continue
        place = unit.world.place(declared, ("metadata", "labels", found.key))
        if place not in said:
            said.add(place)
            yield Related(place, f"{name} has {found.key}: {found.value}")


@rule("KLG207")
def node_name_set(unit: Unit) -> Iterator[Draft]:
    """A node name in the template: nobody schedules the pods."""
    for subject in unit.subjects:
        manifest, name = subject.manifest, subject.workload.spec.node_name
        route = (*routes.pod_spec(manifest), _NAME)
        if not name or not manifest.present(route) or manifest.present(("status", "phase")):
            continue
        told, scheduler, related = _admission(unit, subject, name)
        yield Draft(
            "KLG207",
            manifest.place(route),
            f"{_NAME} {name} goes past the scheduler: {told}",
            manifest,
            cause=name,
            scheduler=None,
            related=related,
            help=(f"the kubelet says: {scheduler}",) if scheduler else (),
            proposals=tuple(_selectors(unit, subject, name)),
        )


def _admission(unit: Unit, subject: Subject, name: str) -> tuple[str, str, tuple[Related, ...]]:
    """What becomes of its pods on that node: in words, in the kubelet's words, and the node's place."""
    if not unit.has_nodes:
        return "its pods fail instead of waiting where the node is full or gone", "", ()
    declared = unit.world.declared("Node", name)
    if declared is None or unit.empty.node(name) is None:
        return "the inventory has no such node, and its pods wait for a kubelet that is not there", "", ()
    related = (Related(unit.world.place(declared), f"{name} is declared here"),)
    started, said = _started(unit, subject, name)
    wanted = min(max(subject.workload.replicas, 1), _MOST)
    if said.reason and not started:
        return f"the kubelet of {name} refuses its pods ({said.reason})", said.message, related
    if said.reason:
        few = f"{started} of {counted(wanted, 'pod')}"
        return f"the kubelet of {name} starts only {few} and fails the rest ({said.reason})", said.message, related
    if said.dropped:
        gone = listed(said.dropped)
        return f"{name} does not know {gone}, and its kubelet starts the pod without it", "", related
    return "taints, cordons, affinity and priorities do not count, and its pods fail where they could wait", "", related


def _started(unit: Unit, subject: Subject, name: str) -> tuple[int, Admission]:
    """How many of its pods the kubelet starts beside what runs there, and what it says of the next or the last."""
    snapshot, pod = unit.running, subject.pod
    said = Admission()
    for number in range(min(max(subject.workload.replicas, 1), _MOST)):
        node = snapshot.node(name)
        if node is None:
            return number, said
        said = kubelet_admission(pod, node, snapshot)
        if said.reason:
            return number, said
        key = f"{pod.meta.name}-{number}"
        snapshot = snapshot.place(replace(pod, meta=replace(pod.meta, name=key, uid=key)), name)
    return min(max(subject.workload.replicas, 1), _MOST), said


def _selectors(unit: Unit, subject: Subject, name: str) -> Iterator[Proposal]:
    labels = [(HOSTNAME, name)]
    node = unit.empty.node(name) if unit.has_nodes else None
    if node is not None:
        labels = [*list(node_labels(subject, node.node))[:1], (HOSTNAME, node.node.labels.get(HOSTNAME, name))]
    for key, value in labels:
        yield Proposal(
            f"let the scheduler choose, with nodeSelector {key}: {value}",
            "unsafe",
            lambda key=key, value=value: _selected(subject, key, value),  # type: ignore[misc]
            must_prove=unit.has_nodes,
        )


def _selected(subject: Subject, key: str, value: str) -> list[Edit]:
    manifest = subject.manifest
    base = routes.pod_spec(manifest)
    removed = remove_key(manifest.item, (*base, _NAME))
    return [removed, set_key(manifest.item, (*base, "nodeSelector"), key, value)]
