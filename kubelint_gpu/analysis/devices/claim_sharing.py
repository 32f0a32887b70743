"""Claims that all pods of one or several workloads share: their devices bind the pods to one node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.unserved_claims import certainty, device_trial
from kubelint_gpu.analysis.devices.written_claims import CLAIM, PodClaimReference, claim_of, claim_references
from kubelint_gpu.budget import TOLD
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, assume, fit
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.simulation.prepare.workload_change import without_claims
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial


class SharedClaim(Value):
    """A shared claim that keeps pods from running that could run without it.

    Attributes:
        reference: the workload's reference to it.
        wanted: how many pods the workload has, as far as counted; for a DaemonSet one for each node.
        placed: how many of them run at most; 0 if pods of others are counted with them.
        per_node: whether the workload has a pod on each node.
        others: the other workloads whose pods are counted, if each alone finds room.
    """

    reference: PodClaimReference
    wanted: int
    placed: int
    per_node: bool
    certainty: Certainty
    others: tuple[str, ...] = ()


def shared_claims(unit: ApplySet) -> Iterator[SharedClaim]:
    """Yield the named claims of a unit that leave pods of their workloads without a node."""
    if not any(one.kind == CLAIM for one in claim_references(unit)):
        return
    trial = device_trial(unit)
    if trial is None:
        return
    found = certainty(unit)
    together: dict[tuple[str, str], list[PodClaimReference]] = {}
    users = Counter((one.namespace, one.name) for one in claim_references(unit) if one.kind == CLAIM)
    for reference in claim_references(unit):
        subject = reference.subject
        wanted = min(subject.workload.replicas, TOLD.sharing_pods)
        several = wanted > 1 or users[reference.namespace, reference.name] > 1
        per_node = subject.controller.node_bound
        if not (per_node or (subject.places_pods and wanted and several)) or not _binds(unit, trial, reference):
            continue
        pod = lone(subject.pod, trial.snapshot)
        if per_node:
            nodes = len(fit(without_claims(pod), trial.snapshot).fits)
            if nodes > 1 and fit(pod, trial.snapshot).fits:
                yield SharedClaim(reference, nodes, 1, True, found)
            continue
        best = _held_back([pod] * wanted, trial.snapshot)
        if best:
            yield SharedClaim(reference, wanted, best, False, found)
        elif best is None:
            together.setdefault((reference.namespace, reference.name), []).append(reference)
    for references in together.values():
        total = sum(one.subject.workload.replicas for one in references)
        if len(references) == 1 or total > TOLD.sharing_pods:
            continue
        pods = [
            lone(one.subject.pod, trial.snapshot) for one in references for _ in range(one.subject.workload.replicas)
        ]
        for reference in references if _held_back(pods, trial.snapshot) else ():
            others = tuple(one.subject.manifest.object for one in references if one is not reference)
            yield SharedClaim(reference, total, 0, False, found, others)


def _binds(unit: ApplySet, trial: ClaimTrial, reference: PodClaimReference) -> bool:
    """Whether a pod refers to a named claim that can be allocated, to devices of one node."""
    spec = claim_of(unit, reference) if reference.kind == CLAIM else None
    if spec is None:
        return False
    trial.renewed()
    return bool(trial.asked(spec).fits) and trial.is_local(spec)


def _held_back(pods: Sequence[Pod], snapshot: Snapshot) -> int | None:
    """Return how many pods with one claim run at most, if more would run without it; else None."""
    best = _most(pods, snapshot)
    return best if best < len(pods) and best < _placed([without_claims(pod) for pod in pods], snapshot) else None


def _most(pods: Sequence[Pod], snapshot: Snapshot) -> int:
    """How many pods run at most, for any node of the first pod."""
    best = 0
    for name in fit(pods[0], snapshot).fits[: TOLD.sharing_nodes]:
        best = max(best, 1 + _placed(pods[1:], assume(_named(pods[0], 0), snapshot, name)))
        if best >= len(pods):
            break
    return best


def _placed(pods: Sequence[Pod], snapshot: Snapshot) -> int:
    """Return how many of the pods find a node, placed one after the other."""
    for number, pod in enumerate(pods):
        nodes = fit(pod, snapshot).fits
        if not nodes:
            return number
        snapshot = assume(_named(pod, number + 1), snapshot, nodes[0])
    return len(pods)


def _named(pod: Pod, number: int) -> Pod:
    return replace(pod, meta=replace(pod.meta, name=f"{pod.meta.name}-{number}", uid=f"{pod.meta.uid}-{number}"))
