"""Required affinity and anti-affinity that no node can satisfy together, beside the existing pods."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.analysis.affinity.pod_affinity import pods_of, takers, untied
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.companions import attracts_itself, companions, own_terms
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import Term
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.simulation.prepare.workload_change import own_pods, pods_of_others
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class OutOfReach(Value):
    """Pods that a pod must be near, although they can only be near nodes that never take this pod.

    Attributes:
        term: the index of the required term.
        others: the keys of the workloads, or of the running pods, that meet it.
        nodes: the nodes where these can be.
        why: why the first of these nodes refuses the pod, in the scheduler's words; empty if it is in no domain, or
            takes the pod but is in another domain.
    """

    term: int
    others: tuple[str, ...]
    nodes: tuple[str, ...]
    why: str = ""


def out_of_reach(unit: ApplySet, subject: WorkloadCheck) -> OutOfReach | None:
    """The pods that a pod must be near and never can be: wherever these are, no node near them takes the pod."""
    spec = subject.workload.spec
    if not spec.pod_affinity or not unit.has_nodes or not subject.places_pods:
        return None
    if not subject.manifest.namespace and any(not one.namespaces for one in spec.pod_affinity):
        return None
    pod = subject.pod
    if attracts_itself(pod, unit.empty):
        return None
    terms = own_terms(pod, pod.spec.pod_affinity, unit.empty)
    mine, found = takers(unit, subject), _where(unit, subject, terms)
    if not mine or not found:
        # of what no node takes, and of what nobody has heard of, other rules speak
        return None
    labels = {node.name: node.labels for node in unit.possible_nodes}
    near = {name for names in found.values() for name in names}
    values = {term.key: {labels[name].get(term.key) for name in near if name in labels} - {None} for term in terms}
    if any(all(node.labels.get(term.key) in values[term.key] for term in terms) for node in mine):
        return None
    number = next(
        (
            place
            for place, term in enumerate(terms)
            if not any(node.labels.get(term.key) in values[term.key] for node in mine)
        ),
        0,
    )
    names = tuple(sorted(near))
    rejections = fit(replace(pod, spec=untied(pod.spec)), unit.empty).rejections
    status = next((rejections[name] for name in names if name in rejections), None)
    return OutOfReach(number, tuple(sorted(found)), names, status.reasons[0] if status is not None else "")


def _where(unit: ApplySet, subject: WorkloadCheck, terms: Sequence[Term]) -> dict[str, frozenset[str]]:
    """The possible nodes of pods that meet all terms, by the key of the workload or pod.

    Applied workloads can be on any node that takes their pods; all other pods stay where they run.
    """
    found: dict[str, frozenset[str]] = {}
    mine = [one for one in unit.subjects if one is not subject]
    others = [unit.judged(one, one.workload) for one in unit.neighbours if one.workload is not None and one.known]
    # until they are replaced, pods of a template as it was are there, too
    before = [old for one in mine if (old := unit.before_of(one)) is not None]
    for one in (*mine, *others, *before):
        key = one.workload.key
        if companions(terms, pods_of(one.workload)):
            found[key] = found.get(key, frozenset()) | _nodes_of(unit, one)
        running = companions(terms, own_pods(one.workload, unit.cluster.pods))
        if running:
            found[key] = found.get(key, frozenset()) | {pod.spec.node_name for pod in running}
    known = [one.workload for one in (subject, *mine, *others)]
    for pod in companions(terms, pods_of_others(known, unit.cluster.pods)):
        if pod.spec.node_name and not pod.finished:
            name = f"Pod/{pod.key}"
            found[name] = found.get(name, frozenset()) | {pod.spec.node_name}
    return found


def _nodes_of(unit: ApplySet, one: WorkloadCheck) -> frozenset[str]:
    """The nodes on which pods of a workload can be."""
    if one.workload.custom:
        # who makes these pods may bind them anywhere
        return frozenset(node.name for node in unit.possible_nodes)
    if one.controller.node_bound:
        return frozenset(daemon_nodes.daemon_nodes(one.workload.choosing, unit.possible_nodes))
    if one.workload.spec.node_name:
        return frozenset({one.workload.spec.node_name})
    return frozenset(node.name for node in takers(unit, one))
