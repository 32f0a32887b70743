"""Volumes that only some nodes reach, so that their pods are tied to these nodes."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.storage import PersistentVolume, with_default_class
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.scheduler import attempt
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import makes_claim
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

ELSEWHERE = "make the volume where its pods can run: volumeBindingMode WaitForFirstConsumer of its StorageClass does"
THERE = "add a node that reaches the volume, or copy its data to the volume of a new claim: it stays where it was made"


def volume_ties(unit: ApplySet, subject: WorkloadCheck) -> dict[str, str]:
    """Return, for each claim of its pods, the volume and the nodes that reach it, if not all nodes do."""
    volumes = {one.meta.name: one for one in unit.cluster.volumes}
    keys, first = claim_keys(subject.workload), controller_of(subject.workload).first_ordinal
    found = {}
    for claim in unit.cluster.claims:
        volume = volumes.get(claim.volume_name) if claim.bound else None
        mine = claim.key in keys or (subject.workload.claims and makes_claim(subject.workload, claim.key, first))
        if mine and volume is not None and not all(volume.reachable_from(one.labels) for one in unit.possible_nodes):
            found[claim.meta.name] = f"has volume {volume.meta.name} that only nodes with {_nodes(volume)} reach"
    return found


def reunion(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Return how to bring its pods and their volumes together; nothing for a class that already waits for pods."""
    ties, space, classes = volume_ties(unit, subject), subject.workload.meta.namespace, unit.cluster.storage_classes
    claims = [one for one in unit.cluster.claims if one.meta.namespace == space and one.meta.name in ties]
    waiting = {one.name for one in classes if one.wait_for_first_consumer}
    volumes = [one for one in unit.cluster.volumes if one.meta.name in {claim.volume_name for claim in claims}]
    lost = any(not any(one.reachable_from(node.labels) for node in unit.possible_nodes) for one in volumes)
    waits = any(with_default_class(one, classes).class_name in waiting for one in claims)
    return THERE if lost or waits else ELSEWHERE


def fits_without_volumes(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a node would take its pod without volumes."""
    pod = replace(subject.pod, spec=replace(subject.pod.spec, volumes=()))
    tried = (attempt(pod, snapshot).fit for snapshot in (unit.empty, unit.grown) if snapshot is not None)
    return any(fit is not None and fit.fits for fit in tried)


def tie_lines(unit: ApplySet, subject: WorkloadCheck, most: int = 3) -> Iterator[Related]:
    """Yield the places where the pod names such claims, and where these are declared."""
    ties, namespace = volume_ties(unit, subject), subject.workload.meta.namespace
    for route in field_pointers.claims(subject.manifest):
        name = str(field_pointers.at(subject.manifest, route))
        if name in ties:
            yield Related(subject.manifest.place(route), f"the claim {ties[name]}")
    for name, told in list(ties.items())[:most]:
        yield from told_at(unit, "PersistentVolumeClaim", name, f"claim {name} {told}", namespace)


def _nodes(volume: PersistentVolume) -> str:
    selector = volume.node_affinity or NodeSelector()
    ways = []
    for term in selector.terms:
        asked = [(one.key, one.operator, one.values) for one in (*term.expressions, *term.fields)]
        told = [
            f"{key} {listed(values, 'or')}" if way == "In" else f"{key} {way} {values}" for key, way, values in asked
        ]
        ways.append(" and ".join(told))
    return " or ".join(ways)
