"""Claims that all pods of a workload share: their devices hold them on one node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubelint_gpu.analysis.devices.unserved_claims import certainty, device_trial
from kubelint_gpu.analysis.devices.written_claims import CLAIM, PodClaimReference, claim_of, claim_references
from kubelint_gpu.budget import TOLD
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, assume, fit
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet


class SharedClaim(NamedTuple):
    """A claim whose devices keep pods from running that could run without it.

    Attributes:
        reference: where a workload names it.
        wanted: how many pods the workload has, as far as they were counted; of a DaemonSet one for each node.
        placed: how many of them run at most.
        per_node: whether the workload has a pod on each node.
    """

    reference: PodClaimReference
    wanted: int
    placed: int
    per_node: bool
    certainty: Certainty


def shared_claims(unit: ApplySet) -> Iterator[SharedClaim]:
    """The named claims of a unit that leave pods of their workloads without a node."""
    if not any(one.kind == CLAIM for one in claim_references(unit)):
        return
    trial = device_trial(unit)
    if trial is None:
        return
    for reference in claim_references(unit):
        subject = reference.subject
        spec = claim_of(unit, reference) if reference.kind == CLAIM else None
        per_node = subject.controller.node_bound
        wanted = min(subject.workload.replicas, TOLD.sharing_pods)
        if spec is None or not (per_node or (subject.places_pods and wanted > 1)):
            continue
        trial.renewed()
        if not trial.asked(spec).fits or not trial.is_local(spec):
            continue
        found = certainty(unit)
        pod = lone(subject.pod, trial.snapshot)
        bare = replace(pod, spec=replace(pod.spec, resource_claims=()))
        if per_node:
            nodes = len(fit(bare, trial.snapshot).fits)
            placed = min(1, len(fit(pod, trial.snapshot).fits))
            if placed and nodes > 1:
                yield SharedClaim(reference, nodes, placed, True, found)
            continue
        best = _most(pod, trial.snapshot, wanted)
        if 0 < best < wanted and best < _placed(bare, trial.snapshot, wanted):
            yield SharedClaim(reference, wanted, best, False, found)


def _most(pod: Pod, snapshot: Snapshot, wanted: int) -> int:
    """How many pods run at most, whichever node the first of them takes."""
    best = 0
    for name in fit(pod, snapshot).fits[: TOLD.sharing_nodes]:
        best = max(best, 1 + _placed(_named(pod, 1), assume(_named(pod, 0), snapshot, name), wanted - 1))
        if best >= wanted:
            break
    return best


def _placed(pod: Pod, snapshot: Snapshot, wanted: int) -> int:
    for number in range(wanted):
        nodes = fit(pod, snapshot).fits
        if not nodes:
            return number
        snapshot = assume(_named(pod, number + 2), snapshot, nodes[0])
    return wanted


def _named(pod: Pod, number: int) -> Pod:
    return replace(pod, meta=replace(pod.meta, name=f"{pod.meta.name}-{number}", uid=f"{pod.meta.uid}-{number}"))
