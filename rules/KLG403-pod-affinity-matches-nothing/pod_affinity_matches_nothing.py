"""Affinity to pods that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.pod_affinity import unmet_affinity
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.messages.wording import listed, some, workload_names


@rule("KLG403", of_workloads=True)
def pod_affinity_matches_nothing(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods with a required affinity to pods that are neither declared nor running."""
    for subject in unit.subjects:
        found = unmet_affinity(unit, subject)
        if found is None:
            continue
        manifest = subject.manifest
        route = field_pointers.pod_affinity_term(subject.manifest, "podAffinity", found.term)
        selector = subject.workload.spec.pod_affinity[found.term].selector
        if found.together:
            text = "each required pod affinity term is met by some pod, and no single pod meets them all"
        elif selector is None:
            text = "a required pod affinity term without labelSelector matches no pod"
        elif found.circle:
            names = workload_names(found.circle)
            text = (
                f"the pod must be near one with {_shown(selector)}, as those of {names}, which must be near one of "
                "these in turn: none of them can be the first"
            )
        else:
            where = f" in {some(found.namespaces, 'namespace')}" if found.namespaces else ""
            text = f"the pod must be near one with {_shown(selector)}{where}, and no such pod is declared"
        term = (*route, "labelSelector")
        yield Diagnostic(
            "KLG403",
            manifest.place(term if manifest.present(term) else route, "key" if selector is None else "value"),
            text,
            manifest,
            cause=f"{found.term}/{selector}",
            certainty="certain" if unit.complete and (unit.cluster.pods or found.circle) else "possible",
            related=tuple(
                Related(other.manifest.place((*other.workload.template_pointer, "metadata", "labels"), "key"), said)
                for other, said in _nearly(unit, subject, selector)
            ),
            help=("list the running pods in the inventory, or check both manifests together",)
            if not (unit.cluster.pods or found.circle)
            else (),
        )


def _shown(selector: LabelSelector) -> str:
    named = [
        f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else str(one)
        for one in selector.requirements
    ]
    return listed(named) if named else "any labels"


def _nearly(
    unit: ApplySet, subject: WorkloadCheck, selector: LabelSelector | None
) -> Iterator[tuple[WorkloadCheck, str]]:
    """Yield workloads of the unit with one of the labels but another value, or all of them in another namespace."""
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
