"""Affinity between pods: what it looks for in vain, what it leaves no room for, and what excludes each other."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.pod_affinity import Crowding, crowding, unmet_affinity
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import replace_scalar
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.messages.wording import counted, listed, some, workload_name
from kubelint_gpu.scheduler.companions import HOSTNAME, attracts_itself, can_share, companions, own_terms, repels
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@rule("KLG403")
def pod_affinity_matches_nothing(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod that must be near another one that nobody has heard of."""
    for subject in unit.subjects:
        found = unmet_affinity(unit, subject)
        if found is None:
            continue
        manifest = subject.manifest
        route = _term(subject, "podAffinity", found.term)
        selector = subject.workload.spec.pod_affinity[found.term].selector
        if found.together:
            text = "each required pod affinity term is met by some pod, and no single pod meets them all"
        elif selector is None:
            text = "a required pod affinity term without labelSelector matches no pod"
        else:
            where = _namespaces(found.namespaces)
            text = f"the pod must be near one with {_shown(selector)}{where}, which nobody declares"
        yield Diagnostic(
            "KLG403",
            manifest.place(_below(subject, route, "labelSelector"), "key" if selector is None else "value"),
            text,
            manifest,
            cause=f"{found.term}/{selector}",
            certainty="certain" if unit.complete and unit.cluster.pods else "possible",
            related=tuple(
                Related(other.manifest.place((*other.workload.template_pointer, "metadata", "labels"), "key"), said)
                for other, said in _nearly(unit, subject, selector)
            ),
            help=("list the running pods in the inventory, or check both manifests together",)
            if not unit.cluster.pods
            else (),
        )


@rule("KLG404")
def anti_affinity_exceeds_domains(unit: ApplySet) -> Iterator[Diagnostic]:
    """More replicas than places where they may be kept apart."""
    for subject in unit.subjects:
        found = crowding(unit, subject)
        if found is None:
            continue
        manifest, wanted = subject.manifest, subject.workload.replicas
        route = _term(subject, "podAntiAffinity", found.term)
        most = len(found.domains)
        yield Diagnostic(
            "KLG404",
            manifest.place((*route, "topologyKey")),
            f"{counted(wanted, 'replica')} must be kept apart by {found.key}, and only {_places(found)}: "
            f"{counted(wanted - most, 'replica')} would wait",
            manifest,
            cause=f"anti-affinity/{found.key}",
            certainty="certain" if unit.complete else "possible",
            scheduler=found.message,
            related=(Related(subject.replicas_place, f"{counted(wanted, 'replica')} wanted"),),
            proposals=_fewer(subject, most) if subject.scaled is None else (),
        )


@rule("KLG410")
def affinity_cross_conflict(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod that must be near another, which will not have it, or cannot be where it is."""
    pods = [(subject, subject.pod) for subject in unit.subjects]
    for subject, pod in pods:
        affinity = pod.spec.pod_affinity
        if not affinity or not subject.places_pods or attracts_itself(pod, unit.empty):
            continue
        terms = own_terms(pod, affinity, unit.empty)
        if companions(terms, unit.cluster.pods):
            continue
        targets = [(other, its) for other, its in pods if its is not pod and companions(terms, [its])]
        conflicts = [
            found for other, its in targets if (found := _conflict(unit, subject, pod, other, its)) is not None
        ]
        if not targets or len(conflicts) < len(targets):
            continue
        yield conflicts[0]


def _conflict(unit: ApplySet, subject: WorkloadCheck, pod: Pod, other: WorkloadCheck, its: Pod) -> Diagnostic | None:
    """Why a pod cannot be near another that it must be near to; None where it can."""
    for number, term in enumerate(pod.spec.pod_affinity):
        key = term.topology_key
        route = (*_term(subject, "podAffinity", number), "topologyKey")
        name = workload_name(other.workload)
        for one, whose, owner, aimed in ((other, its, its, pod), (subject, pod, pod, its)):
            resolved = own_terms(owner, whose.spec.pod_anti_affinity, unit.empty)
            for place, anti in enumerate(resolved):
                if not repels(anti, owner, aimed, key):
                    continue
                against = "the pod itself" if one is subject else name
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
                        Related(
                            one.manifest.place((*_term(one, "podAntiAffinity", place), "topologyKey")),
                            f"{one.workload.meta.name} keeps apart by {anti.key}",
                        ),
                    ),
                )
        if not can_share(key, pod.spec, its.spec):
            binding = [*field_pointers.selectors(other.manifest)]
            return Diagnostic(
                "KLG410",
                subject.manifest.place(route),
                f"the pod must share {key} with {name}, and no node of any cluster could take both: their selectors "
                "and node affinities exclude each other",
                subject.manifest,
                cause=f"{other.workload.key}/{key}",
                related=tuple(
                    Related(one.manifest.place(where), f"{one.workload.meta.name} is bound by this")
                    for one, wheres in ((subject, [*field_pointers.selectors(subject.manifest)]), (other, binding))
                    for where in wheres
                ),
            )
    return None


def _term(subject: WorkloadCheck, kind: str, number: int) -> Pointer:
    return (*field_pointers.pod_spec(subject.manifest), "affinity", kind, _REQUIRED, number)


def _below(subject: WorkloadCheck, route: Pointer, key: str) -> Pointer:
    return (*route, key) if subject.manifest.present((*route, key)) else route


def _shown(selector: LabelSelector) -> str:
    named = [
        f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else str(one)
        for one in selector.requirements
    ]
    return listed(named) if named else "any labels"


def _namespaces(names: tuple[str, ...]) -> str:
    return f" in {some(names, 'namespace')}" if names else ""


def _places(found: Crowding) -> str:
    number = len(found.domains)
    verb = "takes" if number == 1 else "take"
    if found.key == HOSTNAME:
        return f"{counted(number, 'node')} {verb} them"
    return f"the nodes of {counted(number, 'domain')} take them ({', '.join(found.domains)})"


def _nearly(
    unit: ApplySet, subject: WorkloadCheck, selector: LabelSelector | None
) -> Iterator[tuple[WorkloadCheck, str]]:
    """Workloads of the unit that have one of the labels, with another value, or all of them in another namespace."""
    if selector is None:
        return
    for other in unit.subjects:
        labels = other.workload.template.labels
        if other is subject or not labels:
            continue
        if selector.requirements and selector.matches(labels):
            yield other, f"{other.workload.meta.name} has the labels, in namespace {other.workload.meta.namespace}"
            continue
        for one in selector.requirements:
            if one.operator == "In" and one.key in labels and labels[one.key] not in one.values:
                yield other, f"{other.workload.meta.name} has {one.key}={labels[one.key]}"
                break


def _fewer(subject: WorkloadCheck, most: int) -> tuple[FixCandidate, ...]:
    manifest = subject.manifest
    if not most or not manifest.present(field_pointers.REPLICAS):
        return ()
    return (
        FixCandidate(
            f"set replicas: {most}",
            "unsafe",
            lambda: [replace_scalar(manifest.item, field_pointers.REPLICAS, str(most))],
        ),
    )
