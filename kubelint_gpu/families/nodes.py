"""Nodes that a pod had better not take: unhealthy ones, and GPU nodes for a pod without a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.analysis.node_misfit import asked, is_gpu, wants_gpu
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, append, set_key
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.inventory import UNHEALTHY
from kubelint_gpu.inventory.gpus.accelerators import is_accelerator
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.messages.wording import counted, some
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.placement.capacity import room_for
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_AFFINITY: Pointer = ("affinity", "nodeAffinity")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_TERMS = "nodeSelectorTerms"
_EXPRESSIONS = "matchExpressions"
_MOST_NODES = 8


@rule("KLG204")
def unhealthy_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """A node that the inventory says must be avoided may get its pods."""
    inventory = unit.world.inventory
    if inventory is None or not unit.has_nodes or not inventory.unhealthy:
        return
    for subject in unit.subjects:
        if not subject.places_pods or not subject.placed_here:
            continue
        found = unit.alone(subject)
        fits = found.fit.fits if found.fit is not None else ()
        bad = [name for name in fits if name in inventory.unhealthy]
        rest = len(fits) - len(bad)
        if rest and not any(is_gpu(name) for name in asked(subject)):
            # what is wrong with a GPU node is mostly its GPU
            bad = [name for name in bad if (info := unit.empty.node(name)) is not None and not _has_gpus(info)]
        if not bad:
            continue
        manifest = subject.manifest
        base = field_pointers.pod_spec(manifest)
        yield Diagnostic(
            "KLG204",
            manifest.place(next(iter(field_pointers.selectors(manifest)), base), "key"),
            f"its pods {'may' if rest else 'can only'} land on {some(bad)}, which the inventory calls unhealthy"
            f"{_reason(unit, bad)}",
            manifest,
            cause="unhealthy",
            related=tuple(_declared(unit, bad)),
            help=(f"to keep all pods away, taint {'it' if len(bad) == 1 else 'them'}: kubectl cordon {' '.join(bad)}",),
            proposals=(_avoiding(unit, subject, bad),) if rest else (),
        )


def _reason(unit: ApplySet, names: list[str]) -> str:
    reasons = []
    for name in names:
        info = unit.empty.node(name)
        reason = info.node.meta.annotations.get(UNHEALTHY, "") if info is not None else ""
        if reason and reason != "declared unhealthy" and reason not in reasons:
            reasons.append(reason.strip().rstrip("."))
    return f" ({', '.join(reasons)})" if reasons else ""


def _declared(unit: ApplySet, names: list[str]) -> Iterator[Related]:
    said = set()
    for name in names[:3]:
        declared = unit.world.declared("Node", name)
        if declared is not None and unit.world.place(declared) not in said:
            said.add(unit.world.place(declared))
            yield Related(unit.world.place(declared), f"{name} is declared unhealthy")


def _avoiding(unit: ApplySet, subject: WorkloadCheck, names: list[str]) -> FixCandidate:
    infos = [unit.empty.node(name) for name in names]
    hosts = [info.node.labels.get(HOSTNAME, info.name) for info in infos if info is not None]
    return FixCandidate(f"require that {HOSTNAME} is not {some(hosts)}", "unsafe", lambda: _without(subject, hosts))


def _without(subject: WorkloadCheck, hosts: list[str]) -> list[Edit]:
    """Node affinity that leaves some hosts out, in each term that is there."""
    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    expression = {"key": HOSTNAME, "operator": "NotIn", "values": hosts}
    terms_at = (*base, *_AFFINITY, _REQUIRED, _TERMS)
    terms = field_pointers.at(manifest, terms_at)
    if not isinstance(terms, list):
        value: dict[str, Any] = {_TERMS: [{_EXPRESSIONS: [expression]}]}
        return [set_key(manifest.item, (*base, *_AFFINITY), _REQUIRED, value)]
    edits = []
    for number, term in enumerate(terms):
        known = term.get(_EXPRESSIONS) if isinstance(term, dict) else None
        edits.append(
            append(manifest.item, (*terms_at, number, _EXPRESSIONS), [expression])
            if isinstance(known, list) and known
            else set_key(manifest.item, (*terms_at, number), _EXPRESSIONS, [expression])
        )
    return edits


@rule("KLG208")
def cpu_pod_on_gpu_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod without a GPU that takes from a node without a taint what a GPU pod needs there."""
    if not unit.has_nodes or not any(is_accelerator(name) for name in unit.advertised):
        return
    mine = [
        one for one in unit.subjects if one.places_pods and one.placed_here and one.known_class and not wants_gpu(one)
    ]
    users = list(_users(unit)) if mine else []
    for subject in mine if users else ():
        found = unit.alone(subject)
        fits = found.fit.fits if found.fit is not None else ()
        nodes = [info for name in fits if (info := unit.empty.node(name)) is not None]
        open_nodes = [info for info in nodes if _has_gpus(info) and not info.taints]
        if not open_nodes or all(_has_gpus(info) for info in nodes):
            continue
        loss = _loss(unit, subject, users, open_nodes[:_MOST_NODES])
        if loss is None:
            continue
        node, user, before, after = loss
        manifest = subject.manifest
        declared = unit.world.declared("Node", node.name)
        yield Diagnostic(
            "KLG208",
            manifest.place(field_pointers.pod_spec(manifest), "key"),
            f"its pods need no GPU and may go to {some([info.name for info in open_nodes])}, which no taint protects; "
            f"one of them on {node.name} leaves room for {after or 'none'} of {counted(before, 'pod')} of {user}",
            manifest,
            cause="no taint",
            related=() if declared is None else (Related(unit.world.place(declared), f"{node.name} has no taint"),),
            help=("taint the GPU nodes, or keep the pod away from nodes with the label nvidia.com/gpu.present",),
        )


def _users(unit: ApplySet) -> Iterator[tuple[Pod, str]]:
    """The different pods that need GPUs: of these manifests, and of what runs."""
    for subject in unit.subjects:
        if subject.places_pods and any(is_gpu(name) for name in asked(subject)):
            yield subject.pod, f"{subject.workload.kind} {subject.workload.meta.name}"
    yield from unit.running.derived("users of GPUs", _running_users)


def _running_users(snapshot: Snapshot) -> tuple[tuple[Pod, str], ...]:
    """One pod of each different request for GPUs that runs in the cluster."""
    found: dict[FrozenMap[str, int], tuple[Pod, str]] = {}
    for pod in snapshot.pods:
        requests = pod_requests(pod.spec)
        if requests not in found and any(is_gpu(name) for name in requests if requests[name]):
            found[requests] = pod, f"the kind of {pod.meta.name}"
    return tuple(found.values())


def _has_gpus(info: NodeInfo) -> bool:
    return any(amount and is_accelerator(name) for name, amount in info.node.allocatable.items())


def _loss(
    unit: ApplySet, subject: WorkloadCheck, users: list[tuple[Pod, str]], nodes: list[NodeInfo]
) -> tuple[NodeInfo, str, int, int] | None:
    """The first node and GPU pod whose room one pod of the subject takes, with the numbers before and after."""
    mine = subject.pod
    for node in nodes:
        taken = node.with_pod(mine)
        for user, name in users:
            if (user.spec.priority or 0) > (mine.spec.priority or 0):
                continue
            before = room_for(user, node, unit.empty)
            after = room_for(user, taken, unit.empty) if before else 0
            if after < before:
                return node, name, before, after
    return None
