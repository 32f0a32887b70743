"""Affinity and anti-affinity of two workloads that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.analysis.affinity.exclusive_topology import Torn, torn
from kubelint_gpu.analysis.affinity.out_of_reach import OutOfReach, out_of_reach
from kubelint_gpu.analysis.node_misfit import title
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.taints import untolerated
from kubelint_gpu.messages.wording import owner_name, said, some, workload_name
from kubelint_gpu.scheduler.companions import HOSTNAME, attracts_itself, can_share, companions, own_terms, repels


@rule("KLG410", of_workloads=True)
def affinity_cross_conflict(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that must be near another pod which rejects them, or which runs where they cannot run."""
    for leader, group in torn(unit):
        yield _torn(unit, leader, group)
    pods = [(subject, subject.pod) for subject in unit.subjects]
    for subject, pod in pods:
        affinity = pod.spec.pod_affinity
        if not affinity or not subject.places_pods or attracts_itself(pod, unit.empty):
            continue
        terms = own_terms(pod, affinity, unit.empty)
        far = out_of_reach(unit, subject)
        if companions(terms, unit.cluster.pods):
            if far is not None:
                yield _far(unit, subject, far)
            continue
        targets = [(other, its) for other, its in pods if its is not pod and companions(terms, [its])]
        conflicts = [
            found for other, its in targets if (found := _conflict(unit, subject, pod, other, its)) is not None
        ]
        if targets and len(conflicts) == len(targets):
            yield conflicts[0]
        elif far is not None:
            yield _far(unit, subject, far)


def _far(unit: ApplySet, subject: WorkloadCheck, far: OutOfReach) -> Diagnostic:
    """Return the finding that no node takes the pod near any of the pods that it must be near to."""
    route = field_pointers.pod_affinity_term(subject.manifest, "podAffinity", far.term)
    key = subject.workload.spec.pod_affinity[far.term].topology_key
    names = some([owner_name(name) for name in far.others], "workload")
    on = some([title(unit, name) for name in far.nodes])
    whose = [one for one in unit.subjects if one.workload.key in far.others]
    told = f"the pod must share {key} with {names}, which no node takes"
    if far.nodes:
        beside = f"{'beside' if key == HOSTNAME else 'near'} {names}{f': {said(far.why, on)}' if far.why else ''}"
        told = f"no node takes the pod {beside}; they must share {key}, and can only be on {on}"
    near = [node for node in unit.possible_nodes if node.name in far.nodes]
    taints = [
        *dict.fromkeys(str(one) for node in near for one in untolerated(node.taints, subject.pod.spec.tolerations))
    ]
    return Diagnostic(
        "KLG410",
        subject.manifest.place((*route, "topologyKey")),
        told,
        subject.manifest,
        cause=f"{'/'.join(far.others)}/{key}",
        certainty="certain" if unit.complete else "possible",
        scheduler=scheduler_message(unit, subject),
        related=_bound((*whose, subject)),
        help=(f"let the pod tolerate {some(taints, 'taint')}, or take the affinity out",) if taints else (),
    )


def _torn(unit: ApplySet, leader: WorkloadCheck, found: Torn) -> Diagnostic:
    """Return the finding that a group's leader and workers must share a domain, but no domain takes both."""
    both = [one for one in unit.subjects if one.manifest.item is leader.manifest.item]
    first, others = (some(names, "value") for names in (found.leader, found.workers))
    excluded = ", or set subGroupPolicyType: LeaderExcluded" if found.by_subgroup else ""
    return Diagnostic(
        "KLG410",
        leader.manifest.place(found.route),
        f"no group ever has its leader and its workers in one {found.key}; a leader runs only in "
        f"{first}, a worker in {others}",
        leader.manifest,
        cause=f"group/{found.key}",
        certainty="certain" if unit.complete else "possible",
        related=_bound(both),
        help=(f"let the leader run where its workers can run{excluded}",),
    )


def _bound(subjects: Iterable[WorkloadCheck]) -> tuple[Related, ...]:
    return tuple(
        Related(one.manifest.place(bound), f"{one.workload.meta.name} is bound by this")
        for one in subjects
        for bound in field_pointers.selectors(one.manifest)
    )


def _conflict(unit: ApplySet, subject: WorkloadCheck, pod: Pod, other: WorkloadCheck, its: Pod) -> Diagnostic | None:
    """Return why a pod cannot be near another pod that it must be near to; None if it can."""
    for number, term in enumerate(pod.spec.pod_affinity):
        key = term.topology_key
        route = (*field_pointers.pod_affinity_term(subject.manifest, "podAffinity", number), "topologyKey")
        name = workload_name(other.workload)
        for one, whose, owner, aimed in ((other, its, its, pod), (subject, pod, pod, its)):
            resolved = own_terms(owner, whose.spec.pod_anti_affinity, unit.empty)
            for place, anti in enumerate(resolved):
                if not repels(anti, owner, aimed, key):
                    continue
                against = "the pod itself" if one is subject else name
                apart = (*field_pointers.pod_affinity_term(one.manifest, "podAntiAffinity", place), "topologyKey")
                keeps = "keeps away from it" if one is subject else "keeps it away"
                return Diagnostic(
                    "KLG410",
                    subject.manifest.place(route),
                    f"the pod must share {key} with {name}, and the required anti-affinity of {against} {keeps} by "
                    f"{anti.key}: it can never be scheduled",
                    subject.manifest,
                    cause=f"{other.workload.key}/{key}",
                    certainty="certain" if anti.key == key else "possible",
                    related=(
                        Related(one.manifest.place(apart), f"{one.workload.meta.name} keeps apart by {anti.key}"),
                    ),
                )
        if not can_share(key, pod.spec, its.spec):
            return Diagnostic(
                "KLG410",
                subject.manifest.place(route),
                f"the pod must share {key} with {name}, and no node of any cluster could take both: their selectors "
                "and node affinities exclude each other",
                subject.manifest,
                cause=f"{other.workload.key}/{key}",
                related=_bound((subject, other)),
            )
    return None
