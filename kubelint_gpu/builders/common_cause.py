"""What findings about several workloads have in common: the nodes that are full, the quota that is used up."""

from __future__ import annotations

from collections.abc import Collection

from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.findings.finding import ASKED, WHO, Shared
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.wording import bare, listed, some
from kubelint_gpu.simulation.search.trace import Waiting


def of_shortage(
    unit: ApplySet, subject: WorkloadCheck, wanted: int, resource: str, nodes: Collection[str], refusal: str
) -> Shared | None:
    """That so many replicas do not all run: what they ask for of the nodes that take them, or a quota."""
    if refusal:
        told = ("not all pods of ", WHO, f" can run: quota {refusal} refuses them")
        return Shared(f"quota {refusal}", told)
    each = pod_requests(subject.workload.spec).get(resource, 0)
    names = sorted(nodes)
    found = [info for info in map(unit.empty.node, names) if info is not None]
    total = sum(info.node.allocatable.get(resource, 0) for info in found)
    if not each or not total:
        return None
    have = f"which {'has' if len(names) == 1 else 'have'} {bare(resource, total)}"
    nature = "not all of their pods can run; this is missing capacity, not a rollout deadlock"
    asked = (WHO, " ask for ", ASKED, f" {resource} of {some(names)}, {have}: {nature}")
    return Shared(f"{resource} of {' '.join(names)}", asked, wanted * each)


def of_standstill(waiting: Waiting, begins: str, ends: str) -> Shared | None:
    """That rollouts do not end: all of their new pods wait for the same nodes, or are refused by the same quota."""
    begin = (f"{begins}the rollouts of ", WHO, f" {ends}: their new pods ")
    refusal = waiting.refusal
    if refusal is not None:
        return Shared(
            f"quota {refusal.quota} {begins}{ends}",
            (*begin, f"are refused by quota {refusal.quota}, which counts the old ones until they are gone"),
        )
    lacks = every(waiting.lacks)
    names = sorted({lack.node for lack in lacks})
    if not names:
        return None
    kinds = sorted({lack.resource or lack.held for lack in lacks})
    what = listed([kind if "/" in kind or kind in ("cpu", "memory") else f"a {kind}" for kind in kinds if kind])
    kept = "where nothing is left, and the old pods are kept until the new ones are available"
    told = (*begin, f"wait for {what or 'room'} on {some(names)}, {kept}")
    return Shared(f"{what} of {' '.join(names)} {begins}{ends}", told)
