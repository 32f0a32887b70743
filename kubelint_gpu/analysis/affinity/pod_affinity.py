"""The pods that a pod must be near and that do not exist, and the nodes that take the pod otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.predecessors import ever_fitted
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER, Pod, PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.companions import attracts_itself, companions, own_terms
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import Term
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import ordinal_pods
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class UnmetAffinity(Value):
    """Required affinity that no pod meets, or only pods that cannot exist before this one.

    Attributes:
        term: the index of the first unmet term; with `together` the first of all.
        together: each term is met by some pod, but no pod meets all of them.
        namespaces: the namespaces of the term; empty for all.
        circle: the workloads whose pods meet it, but in turn wait for a pod like this one.
    """

    term: int
    together: bool
    namespaces: tuple[str, ...] = ()
    circle: tuple[Workload, ...] = ()


def unmet_affinity(unit: ApplySet, subject: WorkloadCheck) -> UnmetAffinity | None:
    """Required affinity that neither the manifests nor the inventory meet; None if all is met."""
    affinity = subject.workload.spec.pod_affinity
    if not affinity or not unit.has_nodes or not subject.places_pods:
        return None
    pod = subject.pod
    if attracts_itself(pod, unit.empty):
        return None
    terms = _wanted(unit, subject)
    others = [*unit.cluster.pods, *_pods_beside(unit, subject)]
    met = companions(terms, others)
    if met:
        waiting = [one for one in _in_circles(unit) if one is not subject and companions(terms, [one.pod])]
        if subject not in _in_circles(unit) or not waiting:
            return None
        return UnmetAffinity(0, together=False, circle=tuple(one.workload for one in waiting))
    for number, term in enumerate(terms):
        if not companions([term], others):
            return UnmetAffinity(number, together=False, namespaces=tuple(sorted(term.namespaces or ())))
    return UnmetAffinity(0, together=True)


def _wanted(unit: ApplySet, subject: WorkloadCheck) -> list[Term]:
    affinity = subject.pod.spec.pod_affinity
    return own_terms(subject.pod, affinity, unit.empty, anywhere=not subject.manifest.namespace)


@once
def _in_circles(unit: ApplySet) -> tuple[WorkloadCheck, ...]:
    """The workloads whose pods must be near pods of each other, so that none of them can be the first."""
    waiting = [
        one
        for one in unit.subjects
        if one.workload.spec.pod_affinity and one.places_pods and not attracts_itself(one.pod, unit.empty)
    ]
    held = {one.manifest for one in waiting}
    # until they are replaced, pods of a template as it was are there, too
    before = [old.workload for one in waiting if (old := unit.before_of(one)) is not None and ever_fitted(unit, old)]
    rest = [one.workload for one in (*unit.templates, *unit.neighbours) if one not in held]
    there = [*unit.cluster.pods, *(pod for one in (*before, *rest) for pod in pods_of(one))]
    coming = waiting
    while coming:
        coming = [one for one in waiting if companions(_wanted(unit, one), there)]
        there = [one.pod for one in coming]
        waiting = [one for one in waiting if one not in coming]
    return tuple(one for one in waiting if any(companions(_wanted(unit, one), [other.pod]) for other in waiting))


def _pods_beside(unit: ApplySet, subject: WorkloadCheck) -> list[Pod]:
    every = (one.workload for one in (*unit.templates, *unit.neighbours) if one is not subject.manifest)
    return [pod for workload in every for pod in pods_of(workload)]


def pods_of(workload: Workload | None) -> Iterator[Pod]:
    """Yield a pod of a workload; one for each ordinal if these have their own labels."""
    if workload is not None:
        controller = controller_of(workload)
        pod = controller.pod("")
        yield from ordinal_pods(workload, pod) if controller.has_ordinals else (pod,)


def untied(spec: PodSpec) -> PodSpec:
    """The spec without fields that depend on other pods or on topology keys."""
    return replace(spec, pod_affinity=(), pod_anti_affinity=(), spread=())


def takers(unit: ApplySet, subject: WorkloadCheck) -> tuple[Node, ...]:
    """The nodes that take a pod if topology keys are ignored, including those that pools may add."""
    pod = replace(subject.pod, spec=untied(subject.pod.spec))
    found: list[Node] = []
    for snapshot in (unit.empty, unit.grown):
        if snapshot is None or pod.spec.scheduler_name != DEFAULT_SCHEDULER:
            continue
        nodes = map(snapshot.node, fit(pod, snapshot).fits)
        found += [info.node for info in nodes if info is not None]
    return tuple(found)


def stays(subject: WorkloadCheck) -> bool:
    """Whether its replicas all run at once and permanently, unlike those of Jobs."""
    return subject.places_pods and subject.workload.replicas > 1 and not subject.controller.runs_to_completion
