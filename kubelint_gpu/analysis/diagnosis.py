"""Why a pod that no node takes is not taken: one cause, said by one rule, the most telling one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.analysis.node_misfit import MIG, excluding_gpu_label, matching, oversized, tainted, unadvertised
from kubelint_gpu.analysis.spread import unlabelled
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.objects.label_algebra import unsatisfiable
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Status
from kubelint_gpu.scheduler.plugins import (
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    taint_toleration,
)
from kubelint_gpu.values import dataclass
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_RESOURCES = node_resources_fit.NAME
# how near a node came: the further down the list of filters, the nearer
_NEAR = {
    node_unschedulable.NAME: 1,
    node_name.NAME: 1,
    taint_toleration.NAME: 2,
    node_affinity.NAME: 0,
    node_ports.NAME: 4,
    _RESOURCES: 5,
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause.

    Attributes:
        code: the rule that tells it.
        reason: in the scheduler's words.
        nodes: the nodes that miss by least, nearest first.
        resource: the resource that the nearest lacks, empty where it lacks none.
        needed: what is asked of it, in the scheduler's units.
        allocatable: what the nearest has of it.
        certainty: possible where the cluster may have more nodes than are declared.
    """

    code: str
    reason: str
    nodes: tuple[str, ...] = ()
    resource: str = ""
    needed: int = 0
    allocatable: int = 0
    certainty: Certainty = "certain"


@once
def diagnose(unit: ApplySet) -> tuple[tuple[WorkloadCheck, Diagnosis], ...]:
    """Every workload that no node takes, with the cause; worked out once for the unit."""
    return tuple(_diagnosed(unit))


def _diagnosed(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Diagnosis]]:
    for subject in unit.subjects:
        if not subject.places_pods:
            continue
        if unsatisfiable(subject.workload.spec) is not None:
            continue
        if not unit.has_nodes or not unit.possible_nodes or unit.fits_somewhere(subject):
            continue
        found = unit.alone(subject)
        if found.held or found.fit is None or unit.may_grow_for(subject):
            continue
        certainty: Certainty = "certain" if unit.complete and subject.workload.replicas else "possible"
        if found.fit.prefilter is not None:
            # volumes and the like: their own rules speak of them
            continue
        if unlabelled(unit, subject):
            # the rule for topology keys speaks of it
            continue
        yield subject, _cause(unit, subject, found.fit.rejections, certainty)


def _cause(unit: ApplySet, subject: WorkloadCheck, rejections: Mapping[str, Status], certainty: Certainty) -> Diagnosis:
    if not matching(subject, unit.possible_nodes):
        return Diagnosis("KLG402", "no node has the labels", certainty=certainty)
    unknown = unadvertised(unit, subject)
    if unknown:
        code = "KLG506" if unknown.startswith(MIG) else "KLG502"
        return Diagnosis(code, f"no node advertises {unknown}", resource=unknown, certainty=certainty)
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


def _nearest(
    unit: ApplySet, subject: WorkloadCheck, rejections: Mapping[str, Status], certainty: Certainty
) -> Diagnosis:
    if not rejections:
        return Diagnosis("KLG201", "no node that a pool could add takes it", certainty=certainty)
    request = pod_requests(subject.workload.spec)

    def distance(name: str) -> tuple[int, int, float, str]:
        status: Status = rejections[name]
        missing = [reason.removeprefix("Insufficient ") for reason in status.reasons]
        allocatable = unit.empty.node(name)
        short = 0.0
        if status.plugin == _RESOURCES and allocatable is not None:
            for resource in missing:
                wanted = request.get(resource, 0)
                short += 1 - allocatable.node.allocatable.get(resource, 0) / wanted if wanted else 1
        return -_NEAR.get(status.plugin, 3), len(status.reasons), short, name

    ranked = sorted(rejections, key=distance)
    nearest = ranked[0]
    status = rejections[nearest]
    same = tuple(
        name
        for name in ranked
        if rejections[name].plugin == status.plugin and status.reasons[0] in rejections[name].reasons
    )
    if status.plugin != _RESOURCES:
        return Diagnosis("KLG201", _state(status), same, certainty=certainty)
    resource = "pods" if status.reasons[0] == "Too many pods" else status.reasons[0].removeprefix("Insufficient ")
    info = unit.empty.node(nearest)
    has = info.node.allocatable.get(resource, 0) if info is not None else 0
    return Diagnosis(
        "KLG201",
        status.reasons[0],
        same,
        resource,
        1 if resource == "pods" else request.get(resource, 0),
        has,
        certainty,
    )


def _state(status: Status) -> str:
    """What is wrong with the node, as a clause about it."""
    about = status.reasons[0].removeprefix("node(s) ") if status.reasons else ""
    if about == "were unschedulable":
        return "it is cordoned"
    return f"it {about}" if about.startswith(("had ", "didn't ")) else about
