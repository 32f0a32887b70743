"""Pods without a GPU on GPU nodes that no taint protects."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.node_misfit import asked, is_gpu, wants_gpu
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.inventory.gpus.gpu_models import has_accelerators, is_accelerator
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.messages.wording import counted, some
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.placement import filling

_MOST_NODES = 8


@rule("KLG208", of_workloads=True)
def cpu_pod_on_gpu_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods without a GPU that take resources from GPU pods on a node without a taint."""
    if not unit.has_nodes or not any(is_accelerator(name) for name in unit.supply.advertised):
        return
    mine = [one for one in unit.subjects if one.places_pods and one.placed_here and one.admitted and not wants_gpu(one)]
    users = list(_users(unit)) if mine else []
    for subject in mine if users else ():
        found = unit.alone(subject)
        fits = found.fit.fits if found.fit is not None else ()
        nodes = [info for name in fits if (info := unit.empty.node(name)) is not None]
        open_nodes = [info for info in nodes if has_accelerators(info.node.allocatable) and not info.taints]
        if not open_nodes or all(has_accelerators(info.node.allocatable) for info in nodes):
            continue
        loss = _loss(unit, subject, users, open_nodes[:_MOST_NODES])
        if loss is None:
            continue
        node, user, before, after = loss
        manifest = subject.manifest
        yield Diagnostic(
            "KLG208",
            manifest.place(field_pointers.pod_spec(manifest), "key"),
            f"its pods need no GPU and may go to {some([info.name for info in open_nodes])}, which no taint protects; "
            f"one of them on {node.name} leaves room for {after or 'none'} of {counted(before, 'pod')} of {user}",
            manifest,
            cause="no taint",
            related=told_at(unit, "Node", node.name, f"{node.name} has no taint"),
            help=("taint the GPU nodes, or keep the pod away from nodes with the label nvidia.com/gpu.present",),
        )


def _users(unit: ApplySet) -> Iterator[tuple[Pod, str]]:
    """Yield the different pods that need GPUs, of these manifests and of the cluster."""
    for subject in unit.subjects:
        if subject.places_pods and any(is_gpu(name) for name in asked(subject)):
            yield subject.pod, f"{subject.workload.kind} {subject.workload.meta.name}"
    yield from unit.running.derived("users of GPUs", _running_users)


def _running_users(snapshot: Snapshot) -> tuple[tuple[Pod, str], ...]:
    """Return one pod for each different GPU request that runs in the cluster."""
    found: dict[FrozenMap[str, int], tuple[Pod, str]] = {}
    for pod in snapshot.pods:
        requests = pod_requests(pod.spec)
        if requests not in found and any(is_gpu(name) for name in requests if requests[name]):
            found[requests] = pod, f"the kind of {pod.meta.name}"
    return tuple(found.values())


def _loss(
    unit: ApplySet, subject: WorkloadCheck, users: list[tuple[Pod, str]], nodes: list[NodeInfo]
) -> tuple[NodeInfo, str, int, int] | None:
    """Return the first node and GPU pod that loses room to one pod of the subject, with the counts before and after."""
    mine = subject.pod
    for node in nodes:
        taken = node.with_pod(mine)
        for user, name in users:
            if (user.spec.priority or 0) > (mine.spec.priority or 0):
                continue
            before = filling.room_for(user, node, unit.empty)
            after = filling.room_for(user, taken, unit.empty) if before else 0
            if after < before:
                return node, name, before, after
    return None
