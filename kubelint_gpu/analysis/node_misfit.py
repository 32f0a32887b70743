"""Why no node takes a pod although its labels match: a resource that no node has, too much of one, or a taint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.gpu.gpu_labels import PRESENT, is_gpu_label
from kubelint_gpu.kube.gpu.resource_owners import owner_of
from kubelint_gpu.kube.objects.label_algebra import NumberBound, alternatives, satisfied
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.requests import is_served_by_devices, pod_requests
from kubelint_gpu.kube.objects.taints import Taint, Toleration, covered_by, is_lifecycle, uncovered
from kubelint_gpu.scheduler import Snapshot, attempt
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

MIG = "nvidia.com/mig-"
REMOVED = "alpha.kubernetes.io/nvidia-gpu"
# shares that another scheduler gives out by annotation
_SHARES = ("gpu-fraction", "gpu-memory", "alibabacloud.com/gpu-", "runai/", "kai.scheduler/", "hami.io/")
# kubeadm gives nodes of the control plane only the second since 1.24
_FORMER = {"node-role.kubernetes.io/master": "node-role.kubernetes.io/control-plane"}
_PLATFORM = ("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch")


class Tainted(Value):
    """Nodes that would take the pod if it tolerated some taints.

    Attributes:
        nodes: their names; a node that a pool would add has the name of its template.
        taints: the taints of all of them.
    """

    nodes: tuple[str, ...]
    taints: tuple[Taint, ...]


def asked(subject: WorkloadCheck) -> dict[str, int]:
    """The nonzero extended resources that its pod requests, sorted by name."""
    found = pod_requests(subject.workload.spec)
    return {
        name: found[name] for name in sorted(found) if found[name] and (is_served_by_devices(name) or name == REMOVED)
    }


def is_gpu(resource: str) -> bool:
    """Whether a resource counts GPUs or other accelerators."""
    return is_accelerator(resource) or "gpu" in resource.lower()


def wants_gpu(subject: WorkloadCheck) -> bool:
    """Whether its pod asks for GPUs in any way: a resource, a claim, or a share by annotation."""
    written = subject.manifest.workload
    spec = written.spec if written is not None else subject.workload.spec
    if spec.resource_claims or any(is_gpu(name) or owner_of(name) for name in extended_resources(spec)):
        return True
    annotations = (*subject.workload.template.annotations, *subject.workload.meta.annotations)
    return any(key.startswith(_SHARES) for key in annotations)


def unadvertised(unit: ApplySet, subject: WorkloadCheck) -> str:
    """The first resource of its pod that no node has and no pool may add; empty if there is none."""
    found = (name for name in asked(subject) if name not in unit.supply.advertised)
    return next((name for name in found if not unit.supply.serves(name, subject.pod)), "")


def oversized(unit: ApplySet, subject: WorkloadCheck) -> tuple[str, int, tuple[Node, ...], tuple[Node, ...]] | None:
    """A GPU resource that no node with matching labels has enough of; None if there is none.

    Returns the resource, the request, the matching nodes with the most of it, and the other nodes that have enough.
    """
    chosen = matching(subject, unit.possible_nodes)
    for resource, needed in asked(subject).items():
        if not is_gpu(resource):
            continue
        most = max((node.allocatable.get(resource, 0) for node in chosen), default=0)
        if most >= needed:
            continue
        largest = tuple(node for node in chosen if node.allocatable.get(resource, 0) == most)
        enough = tuple(node for node in unit.possible_nodes if node.allocatable.get(resource, 0) >= needed)
        if enough or most:
            return resource, needed, largest if most else (), enough
    return None


def matching(subject: WorkloadCheck, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes with the labels that the pod requires; equal nodes are checked once."""
    found = alternatives(subject.workload.spec)
    keys = sorted({bound.requirement.key for bounds in found for bound in bounds if not bound.field})
    named = any(bound.field for bounds in found for bound in bounds)
    known: dict[tuple[str | None, ...], bool] = {}
    chosen = []
    for node in nodes:
        like = (*(node.labels.get(key) for key in keys), node.name if named else "")
        if like not in known:
            known[like] = any(satisfied(bounds, node.labels, node.name) for bounds in found)
        if known[like]:
            chosen.append(node)
    return tuple(chosen)


def excluding_gpu_label(subject: WorkloadCheck, nodes: tuple[Node, ...]) -> NumberBound | None:
    """The requirement on a GPU label that keeps the pod off all of some nodes; None if there is none."""
    for bounds in alternatives(subject.workload.spec):
        for bound in bounds:
            if is_gpu_label(bound.requirement.key) and not any(
                bound.requirement.matches(node.labels) for node in nodes
            ):
                return bound
    return None


def tainted(unit: ApplySet, subject: WorkloadCheck) -> Tainted | None:
    """The nodes that only refuse the pod because of taints; None if there are none.

    Taints for conditions of a node (not ready, cordoned, being deleted) should not be tolerated and are ignored.
    """
    nodes: list[str] = []
    taints: dict[Taint, None] = {}
    covered = covered_by(subject.workload.spec.tolerations)
    for snapshot in _snapshots(unit):
        for name in _takers(subject, snapshot):
            info = snapshot.node(name)
            if info is None:
                continue
            nodes.append(name)
            taints.update(dict.fromkeys(uncovered(info.node.taints, covered)))
    return Tainted(tuple(nodes), tuple(taints)) if nodes else None


def _snapshots(unit: ApplySet) -> Iterator[Snapshot]:
    yield unit.empty
    if unit.grown is not None:
        yield unit.grown


def _takers(subject: WorkloadCheck, snapshot: Snapshot) -> tuple[str, ...]:
    """The nodes that take its pod if it tolerates every taint that a workload may tolerate."""
    taints = {taint for info in snapshot.nodes for taint in info.node.taints if taint.blocks}
    added = [
        Toleration(taint.key, "Equal", taint.value, taint.effect)
        for taint in sorted(taints, key=str)
        if not is_lifecycle(taint)
    ]
    if not added:
        return ()
    pod = subject.pod
    patient = replace(pod, spec=replace(pod.spec, tolerations=(*pod.spec.tolerations, *added)))
    found = attempt(patient, snapshot)
    return found.fit.fits if found.fit is not None else ()


def title(unit: ApplySet, name: str) -> str:
    """A node's name for messages: a node that a pool would add is `a new node of pool …`."""
    inventory = unit.world.inventory
    for pool in inventory.pools if inventory is not None else ():
        if pool.template.name == name:
            return f"a new node of pool {pool.name}"
    return name


class Unchosen(Value):
    """A DaemonSet that creates no pod.

    `nodes` have matching labels but untolerated taints. `missed` says that some node is of the kind that it is for, by
    the node's properties or by the labels that it asks for.
    """

    nodes: tuple[str, ...]
    missed: bool


def keeps_out(unit: ApplySet, subject: WorkloadCheck) -> Unchosen | None:
    """Why a DaemonSet creates no pod; None if it creates one, or is meant for another platform."""
    spec, nodes = subject.workload.choosing, unit.possible_nodes
    if spec.node_name or subject.workload.custom or daemon_nodes.daemon_nodes(spec, nodes):
        return None
    kept = _tainted(subject, nodes)
    if not kept:
        return None if _is_for_another_platform(unit, subject) else Unchosen((), _misses_its_nodes(spec, nodes))
    shunned = [node.name for node, taints in kept if not any(map(is_lifecycle, taints))]
    return Unchosen(tuple(shunned), _asks_for_nodes(spec)) if shunned else None


def left_out(unit: ApplySet, subject: WorkloadCheck) -> dict[tuple[Taint, ...], list[str]]:
    """Return the GPU nodes that a DaemonSet matches but does not tolerate, by taints; empty if it never runs."""
    found: dict[tuple[Taint, ...], list[str]] = {}
    spec, nodes = subject.workload.choosing, unit.possible_nodes
    if spec.node_name or subject.workload.custom or not _asks_for_nodes(spec):
        return found
    if not daemon_nodes.daemon_nodes(spec, nodes):
        return found
    for node, taints in _tainted(subject, nodes):
        if taints and not any(map(is_lifecycle, taints)) and any(map(is_gpu, node.allocatable)):
            found.setdefault(taints, []).append(title(unit, node.name))
    return found


def _tainted(subject: WorkloadCheck, nodes: Sequence[Node]) -> list[tuple[Node, tuple[Taint, ...]]]:
    """The nodes that match a DaemonSet's labels, each with the taints that it does not tolerate."""
    spec = subject.workload.choosing
    patient = covered_by(daemon_nodes.tolerations(spec))
    chosen = matching(replace(subject, workload=replace(subject.workload, spec=spec)), nodes)
    return [(node, tuple(uncovered(node.taints, patient))) for node in chosen]


def _asks_for_nodes(spec: PodSpec) -> bool:
    """Whether it requires a node label other than that of a platform."""
    asked = [bound.requirement for bounds in alternatives(spec) for bound in bounds if not bound.field]
    return any(one.operator in ("In", "Exists") and one.key not in _PLATFORM for one in asked)


def _misses_its_nodes(spec: PodSpec, nodes: Sequence[Node]) -> bool:
    """Whether it only misses nodes by a label that stands for something the inventory has.

    That is a label of a resource, or a former label of control plane nodes.
    """
    there = {name for node in nodes for name in (*node.allocatable, *(taint.key for taint in node.taints))}
    labels = {key for node in nodes for key in node.labels}
    known = {f"{name}{PRESENT}" for name in there if is_accelerator(name)}
    known.update(former for former, now in _FORMER.items() if now in labels)
    return any(bounds and {bound.requirement.key for bound in bounds} <= known for bounds in alternatives(spec))


def _is_for_another_platform(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether it requires an operating system or architecture that none of these nodes has."""

    def is_met(bound: NumberBound, node: Node) -> bool:
        return bound.allowed.has(node.name if bound.field else node.labels.get(bound.requirement.key))

    platforms = [
        bound
        for bounds in alternatives(subject.workload.spec)
        for bound in bounds
        if not bound.field and bound.requirement.key in _PLATFORM
    ]
    return any(not any(is_met(bound, node) for node in unit.possible_nodes) for bound in platforms)
