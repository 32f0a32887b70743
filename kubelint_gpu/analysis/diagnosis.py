"""Why no node takes a pod: one cause, the most specific one, which one rule reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.analysis.affinity.topology_keys import unlabelled
from kubelint_gpu.analysis.node_misfit import (
    MIG,
    asked,
    excluding_gpu_label,
    keeps_out,
    matching,
    oversized,
    tainted,
    unadvertised,
)
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.objects.label_algebra import unsatisfiable
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Status
from kubelint_gpu.scheduler.companions import fit_lone
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.relations import facts_of, held
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once_each
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

# how near a node came: one that lacks room is nearer than one that is not for such pods
_NEAR = {Held.PORT.value: 4, Held.RESOURCE.value: 5, Held.VOLUME.value: 6, Held.DEVICE.value: 7}


class Diagnosis(Value):
    """The cause.

    Attributes:
        code: the rule that reports it.
        reason: in the scheduler's words.
        nodes: the nodes that miss by least, nearest first.
        resource: the resource that the nearest node lacks; empty if it lacks none.
        needed: the request for it, in the scheduler's units.
        allocatable: the nearest node's amount of it.
        certainty: possible if the cluster may have undeclared nodes.
        by_volume: whether the nearest node lacks only the volumes.
        missed: whether a DaemonSet for some kind of nodes chooses none although such nodes exist, because of this
            change.
    """

    code: str
    reason: str
    nodes: tuple[str, ...] = ()
    resource: str = ""
    needed: int = 0
    allocatable: int = 0
    certainty: Certainty = "certain"
    by_volume: bool = False
    missed: bool = False


def of_cause(unit: ApplySet, code: str) -> Iterator[tuple[WorkloadCheck, Diagnosis]]:
    """The workloads that no node takes for the cause that this rule reports."""
    return (one for one in diagnose(unit) if one[1].code == code)


@once_each
def diagnose(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Diagnosis]]:
    """Every workload that no node takes, with the cause; computed once for the unit."""
    if not unit.has_nodes or not unit.possible_nodes:
        return
    for subject in unit.subjects:
        if unsatisfiable(subject.workload.spec) is not None:
            continue
        if subject.controller.node_bound:
            cause = _of_daemons(unit, subject)
            if cause is not None:
                yield subject, cause
            continue
        if not subject.places_pods or unit.fits_somewhere(subject):
            continue
        found = unit.alone(subject)
        if found.held or found.fit is None or unit.may_grow_for(subject):
            continue
        certainty: Certainty = "certain" if unit.is_closed_to(subject) and subject.workload.replicas else "possible"
        alone, before = found.fit, found.fit.prefilter
        if before is not None and held(before.plugin) == Held.VOLUME.value:
            alone = fit_lone(subject.pod, unit.empty_with_claims_of(subject.workload))
            if alone.prefilter is not None:
                yield subject, Diagnosis("KLG201", ", ".join(before.reasons), certainty=certainty, by_volume=True)
        if alone.prefilter is not None or alone.error is not None or alone.hopeful:
            # devices and the like: their own rules speak of them
            continue
        if unlabelled(unit, subject):
            # the rule for topology keys speaks of it
            continue
        grown = unit.on_growth(subject)
        rejections = alone.rejections or (grown.rejections if grown is not None else {})
        yield subject, _cause(unit, subject, rejections, certainty)


def _of_daemons(unit: ApplySet, subject: WorkloadCheck) -> Diagnosis | None:
    """Why a DaemonSet creates no pod, or why all its pods stay Pending; free resources do not matter to it."""
    certainty: Certainty = "certain" if unit.is_closed else "possible"
    found = keeps_out(unit, subject)
    if found is not None:
        code, reason = ("KLG202", "untolerated taints") if found.nodes else ("KLG402", "no node")
        before = unit.before_of(subject)
        missed = found.missed and (before is None or keeps_out(unit, before) is None)
        return Diagnosis(code, reason, found.nodes, certainty=certainty, missed=missed)
    spec, custom = subject.workload.choosing, subject.workload.custom
    makes = not (spec.node_name or custom) and daemon_nodes.daemon_nodes(spec, unit.cluster.nodes)
    return _unknown(unit, subject, certainty) if makes else None


def _cause(unit: ApplySet, subject: WorkloadCheck, rejections: Mapping[str, Status], certainty: Certainty) -> Diagnosis:
    if not matching(subject, unit.possible_nodes):
        return Diagnosis("KLG402", "no node has the labels", certainty=certainty)
    unknown = _unknown(unit, subject, certainty)
    if unknown is not None:
        return unknown
    too_much = oversized(unit, subject)
    if too_much is not None:
        resource, needed, largest, enough = too_much
        has = largest[0].allocatable[resource] if largest else 0
        named = tuple(node.name for node in largest or enough)
        if not enough:
            return Diagnosis("KLG503", "too much for any node", named, resource, needed, has, certainty)
        if excluding_gpu_label(subject, enough) is not None:
            return Diagnosis("KLG507", "other nodes have enough", named, resource, needed, has, certainty)
    shunned = tainted(unit, subject)
    if shunned is not None:
        return Diagnosis("KLG202", "untolerated taints", shunned.nodes, certainty=certainty)
    return _nearest(unit, subject, rejections, certainty)


def _unknown(unit: ApplySet, subject: WorkloadCheck, certainty: Certainty) -> Diagnosis | None:
    name = unadvertised(unit, subject)
    code = "KLG506" if name.startswith(MIG) else "KLG502"
    return Diagnosis(code, f"no node advertises {name}", resource=name, certainty=certainty) if name else None


def _nearest(
    unit: ApplySet, subject: WorkloadCheck, rejections: Mapping[str, Status], certainty: Certainty
) -> Diagnosis:
    if not rejections:
        return Diagnosis("KLG201", "no node that a pool could add takes it", certainty=certainty)
    request, nodes = pod_requests(subject.workload.spec), {node.name: node for node in unit.possible_nodes}

    def distance(name: str) -> tuple[int, int, float, str]:
        status: Status = rejections[name]
        short = 0.0
        for resource in status.short:
            wanted = request.get(resource, 0)
            short += 1 - nodes[name].allocatable.get(resource, 0) / wanted if wanted else 1
        near = _NEAR.get(held(status.plugin), facts_of(status.plugin).near)
        return -near, len(status.reasons), short, name

    ranked = sorted(rejections, key=distance)
    nearest = ranked[0]
    status = rejections[nearest]
    same = tuple(
        name
        for name in ranked
        if rejections[name].plugin == status.plugin and status.reasons[0] in rejections[name].reasons
    )
    if held(status.plugin) == Held.DEVICE.value:
        served = [] if subject.workload.spec.resource_claims else [*asked(subject)]
        code, resource = ("KLG502", served[0]) if served else ("KLG703", "")
        return Diagnosis(code, status.reasons[0], same, resource, certainty=certainty)
    if not status.short:
        by_volume = held(status.plugin) == Held.VOLUME.value
        reason = status.reasons[0]
        clause = reason.of_one if isinstance(reason, NodeReason) else reason
        return Diagnosis("KLG201", clause, same, certainty=certainty, by_volume=by_volume)
    resource = status.short[0]
    has = nodes[nearest].allocatable.get(resource, 0)
    return Diagnosis(
        "KLG201",
        status.reasons[0],
        same,
        resource,
        1 if resource == "pods" else request.get(resource, 0),
        has,
        certainty,
    )
