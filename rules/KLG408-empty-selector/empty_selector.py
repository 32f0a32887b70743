"""Selectors and terms without a condition, which match everything or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.pod_affinity import unmet_affinity
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Pointer, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.objects.label_algebra import unsatisfiable
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.selectors import LabelSelector

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_KINDS = (("podAffinity", False), ("podAntiAffinity", True))
_NOBODY = {
    "podAffinity": "the pod is never scheduled",
    "podAntiAffinity": "nothing is kept apart",
    "topologySpreadConstraints": "nothing is spread",
}
_EVERYBODY = {"podAffinity": "any pod will do", "podAntiAffinity": "the pod shares its domain with no other pod at all"}


@rule("KLG408", of_workloads=True)
def empty_selector(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield node selector terms, pod selectors and spread selectors without a condition."""
    for subject in unit.subjects:
        spec = subject.workload.spec
        yield from _node_terms(subject, spec)
        unmet = unmet_affinity(unit, subject) is not None
        for pointer, selector, kind in _selectors(spec):
            if selector is not None and selector.requirements:
                continue
            if selector is None and kind == "podAffinity" and unmet:
                continue
            yield _draft(subject, pointer, "labelSelector", _effect(selector, kind))


def _node_terms(subject: WorkloadCheck, spec: PodSpec) -> Iterator[Diagnostic]:
    """Yield terms that match nothing beside others that match; if no other matches, KLG401 reports it."""
    where: Pointer = ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    if spec.node_affinity is not None and unsatisfiable(spec) is None:
        for number, term in enumerate(spec.node_affinity.terms):
            if not term.expressions and not term.fields:
                yield _draft(subject, (*where, number), "", "an empty node selector term matches no node")
            elif not term.parses:
                text = "the scheduler cannot parse this term, since Gt and Lt compare integers: it matches no node"
                yield _draft(subject, (*where, number), "", text)
    for number, preferred in enumerate(spec.preferred_nodes):
        if not preferred.term.expressions and not preferred.term.fields:
            pointer = ("affinity", "nodeAffinity", _PREFERRED, number)
            yield _draft(subject, pointer, "preference", "an empty preference prefers no node to another")


def _selectors(spec: PodSpec) -> Iterator[tuple[Pointer, LabelSelector | None, str]]:
    for kind, anti in _KINDS:
        required = spec.pod_anti_affinity if anti else spec.pod_affinity
        for number, term in enumerate(required):
            yield ("affinity", kind, _REQUIRED, number), term.selector, kind
        preferred = [one.term for one in spec.preferred_pods if one.anti == anti]
        for number, term in enumerate(preferred):
            yield ("affinity", kind, _PREFERRED, number, "podAffinityTerm"), term.selector, f"preferred {kind}"
    for number, constraint in enumerate(spec.spread):
        yield ("topologySpreadConstraints", number), constraint.selector, "topologySpreadConstraints"


def _effect(selector: LabelSelector | None, kind: str) -> str:
    if selector is None:
        return f"without labelSelector it matches no pod: {_NOBODY.get(kind, 'the preference has no effect')}"
    if kind == "topologySpreadConstraints":
        return "an empty labelSelector counts no pod for a topology spread constraint: nothing is spread"
    return f"an empty labelSelector matches every pod of the namespace: {_EVERYBODY.get(kind, 'any pod counts')}"


def _draft(subject: WorkloadCheck, pointer: Pointer, key: str, message: str) -> Diagnostic:
    manifest = subject.manifest
    route = (*field_pointers.pod_spec(manifest), *pointer)
    written = bool(key) and manifest.present((*route, key))
    return Diagnostic(
        "KLG408",
        manifest.place((*route, key), "key") if written else manifest.place(route),
        message,
        manifest,
        cause="/".join(str(part) for part in (*pointer, key)),
    )
