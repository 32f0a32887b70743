"""Rollouts that never end in any cluster, as the manifests alone show: over a quota, a claim for one pod, a host port.

They are judged on nodes that are as generous to the pods as any could be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.scenarios import Scenario
from kubelint_gpu.kube.objects.label_algebra import alternatives
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.scheduler.plugins import node_ports, volume_restrictions
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import MOST_NODES, further_nodes
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once

if TYPE_CHECKING:
    from kubelint_gpu.workspace.apply_set import ApplySet
    from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

_HOSTNAME = "kubernetes.io/hostname"
_CLAIM = "persistentVolumeClaim"
_WHATEVER = frozenset((volume_restrictions.NAME,))
_IF_COUNTED = frozenset((node_ports.NAME,))


@once
def stuck_anywhere(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The rollouts that never end whatever nodes there are; none with an inventory."""
    if unit.world.inventory is not None:
        return {}
    wanted = [subject for subject in unit.subjects if _may_wait(unit, subject)]
    if not wanted:
        return {}
    placed = [one for one in unit.subjects if one.places_pods and one.placed_here and not one.workload.custom]
    users = [(one.workload.meta.namespace, one.workload.spec) for one in placed]
    enough = sum(2 * one.workload.replicas + 1 for one in placed)
    cluster = with_bound_claims(unit.cluster, users)
    nodes = further_nodes([created_pod(one.workload, "new") for one in placed], cluster, enough).nodes
    rolled = {one.key: Transition(one.workload, one.workload) for one in placed}
    scenario = Scenario(rolled, replace(unit.cluster, nodes=nodes, pods=()), (), unit.budget)
    certain = _WHATEVER | _IF_COUNTED if enough <= MOST_NODES else _WHATEVER
    return {
        key: one
        for key, one in scenario.judgements([subject.key for subject in wanted]).items()
        if one.verdict is Verdict.STUCK and _is_over(one, certain)
    }


def _may_wait(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its new pods may wait for what no further node brings."""
    workload = subject.workload
    if not subject.controller.has_replica_sets or not workload.replicas or subject.controller.paused:
        return False
    if not subject.places_pods or workload.custom:
        return False
    return any(one.covers(subject.pod) for one in unit.cluster.quotas) or any(_exclusive(unit, subject))


def _exclusive(unit: ApplySet, subject: WorkloadCheck) -> Iterator[bool]:
    spec, namespace = subject.workload.spec, subject.workload.meta.namespace
    alone = {
        claim.meta.name
        for claim in unit.cluster.claims
        if claim.meta.namespace == namespace and READ_WRITE_ONCE_POD in claim.access_modes
    }
    yield any(one.kind == _CLAIM and one.source.get("claimName") in alone for one in spec.volumes)
    ports = any(container.host_ports for container in (*spec.containers, *spec.init_containers))
    pinned = all(
        any(bound.field or bound.requirement.key == _HOSTNAME for bound in bounds) for bounds in alternatives(spec)
    )
    yield ports and pinned


def _is_over(judgement: Judgement, certain: frozenset[str]) -> bool:
    """Whether what it waits for at the end is of a kind that no node brings."""
    mine = [one for one in (judgement.trace.waiting if judgement.trace else ()) if one.owner == judgement.workload.key]
    waits = mine or ([judgement.waiting] if judgement.waiting is not None else [])
    if not waits:
        return False
    return all(one.refusal or (one.lacks and all(lack.plugin in certain for lack in one.lacks)) for one in waits)
