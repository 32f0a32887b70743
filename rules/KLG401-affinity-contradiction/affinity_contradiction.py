"""Selectors and affinity that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.declared_lines import source_of
from kubelint_gpu.kube.objects.label_algebra import Contradiction, unsatisfiable
from kubelint_gpu.messages.did_you_mean_label import nearest_value
from kubelint_gpu.messages.wording import listed, requirement_name


@rule("KLG401", of_workloads=True)
def affinity_contradiction(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield requirements that no node of any cluster can meet together."""
    for subject in unit.subjects:
        reasons = unsatisfiable(subject.workload.spec)
        if reasons is None:
            continue
        manifest = subject.manifest
        if not reasons:
            affinity = subject.workload.spec.node_affinity
            # that there is no term at all the API server refuses, and the rule for values says it
            if affinity is not None and affinity.terms:
                yield _dead(subject)
            continue
        first = reasons[0]
        others = f"; this is so in each of {len(reasons)} terms" if len(reasons) > 1 else ""
        last = first.bounds[-1]
        yield Diagnostic(
            "KLG401",
            manifest.place(source_of(manifest, last.pointer)),
            f"no node can match {_contradiction_text(first)}{others}",
            manifest,
            cause="/".join(str(bound.requirement) for bound in first.bounds),
            certainty="possible" if any(reason.plain for reason in reasons) else "certain",
            related=tuple(
                Related(manifest.place(source_of(manifest, bound.pointer)), f"this requires {requirement_name(bound)}")
                for bound in dict.fromkeys(bound for reason in reasons for bound in reason.bounds)
            ),
            help=_meant(unit, first),
        )


def _meant(unit: ApplySet, reason: Contradiction) -> tuple[str, ...]:
    """Return the existing value closest to one that no node has, if that causes the contradiction."""
    for bound in reason.bounds if unit.has_nodes else ():
        key = bound.requirement.key
        known = sorted({node.name if bound.field else node.labels.get(key, "") for node in unit.possible_nodes} - {""})
        if bound.requirement.operator == "In" and not set(bound.requirement.values) & set(known):
            near, wanted = nearest_value(bound.requirement.values, known)
            if near:
                return (f"did you mean {near} for {wanted}?",)
    return ()


def _dead(subject: WorkloadCheck) -> Diagnostic:
    """Return the finding that no term of a required affinity matches: each is empty or unreadable."""
    manifest = subject.manifest
    affinity = subject.workload.spec.node_affinity
    for term in affinity.terms if affinity is not None else ():
        for requirement in () if term.parses else (*term.expressions, *term.fields):
            if requirement.operator in ("Gt", "Lt") and not requirement.values[0].lstrip("+-").isdecimal():
                why = f'the scheduler cannot compare {requirement}, "{requirement.values[0]}" is no integer'
                return _no_term(manifest, f"{why}, and the term with it matches nothing")
        if not term.parses:
            return _no_term(manifest, "the scheduler cannot read its node selector terms")
    return _no_term(manifest, "an empty node selector term matches nothing, and there is no other")


def _no_term(manifest: Manifest, why: str) -> Diagnostic:
    place = field_pointers.selector_place(manifest, field_pointers.terms(manifest))
    return Diagnostic("KLG401", place, f"no node can match: {why}", manifest, cause="no term")


def _contradiction_text(reason: Contradiction) -> str:
    named = [requirement_name(bound) for bound in reason.bounds]
    if len(named) == 1:
        return f"{named[0]}: nothing satisfies it"
    first, *others = {bound.requirement.key for bound in reason.bounds}
    both = "both" if len(named) == 2 else "all"
    if others:
        return f"{both} of {listed(named)}"
    return f"{both} conditions on {first}; they are {listed([one.removeprefix(first).lstrip(' =') for one in named])}"
