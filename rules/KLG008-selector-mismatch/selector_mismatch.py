"""Selectors that do not select what they are meant for."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, set_key
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_SELECTOR: Pointer = ("spec", "selector")


@rule("KLG008")
def selector_mismatch(unit: ApplySet) -> Iterator[Diagnostic]:
    """A selector that does not match its own template, or that matches another workload's pods, too."""
    owners = [subject for subject in unit.subjects if subject.workload.selector is not None]
    for subject in owners:
        selector = subject.workload.selector
        if selector is None or not selector.requirements:
            continue
        labels = subject.workload.template.labels
        missed = [one for one in selector.requirements if not one.matches(labels)]
        if missed:
            yield _own(subject, missed)
    yield from _overlaps(owners)


def _own(subject: WorkloadCheck, missed: list[Requirement]) -> Diagnostic:
    manifest = subject.manifest
    labels: Pointer = (*subject.workload.template_pointer, "metadata", "labels")
    one = missed[0]
    has = subject.workload.template.labels.get(one.key)
    text = _shown(one)
    pods = f"{one.key}={has}" if has is not None else f"no label {one.key}"
    return Diagnostic(
        "KLG008",
        manifest.place((*labels, one.key)),
        f"the selector wants {text} and the pods have {pods}: the API server refuses it",
        manifest,
        cause=f"own/{one.key}",
        related=(Related(_place_of(manifest, one), f"the selector wants {text}"),),
        proposals=_copies(subject, labels, missed),
    )


def _copies(subject: WorkloadCheck, labels: Pointer, missed: list[Requirement]) -> tuple[FixCandidate, ...]:
    manifest = subject.manifest
    if any(one.operator != "In" or len(one.values) != 1 for one in missed):
        return ()

    def edits() -> list[Edit]:
        if manifest.present(labels):
            return [set_key(manifest.item, labels, one.key, one.values[0]) for one in missed]
        wanted = {one.key: one.values[0] for one in missed}
        return [set_key(manifest.item, labels[:-2], "metadata", {"labels": wanted})]

    return (FixCandidate(f"set {listed([_shown(one) for one in missed])} in the pod template", "unsafe", edits),)


def _overlaps(owners: list[WorkloadCheck]) -> Iterator[Diagnostic]:
    for one, whose in _pairs(owners):
        selector = one.workload.selector
        manifest = one.manifest
        shown = [_shown(found) for found in selector.requirements] if selector is not None else []
        yield Diagnostic(
            "KLG008",
            manifest.place(_SELECTOR, "key"),
            f"the selector matches the pods of {whose.workload.kind} {whose.workload.meta.name}, too: {listed(shown)}",
            manifest,
            cause=f"overlap/{whose.workload.key}",
            severity="warning",
            related=(
                Related(
                    whose.manifest.place((*whose.workload.template_pointer, "metadata", "labels"), "key"),
                    f"{whose.workload.meta.name} gives its pods these labels",
                ),
            ),
        )


def _pairs(owners: list[WorkloadCheck]) -> Iterator[tuple[WorkloadCheck, WorkloadCheck]]:
    """Different objects of one namespace of which the first selects the pods of the second, in the order of the text.

    Of two that select each other's pods the earlier one is first. Each is compared only with those that have a label
    of its selector.
    """
    having: dict[tuple[str, str, str], list[int]] = {}
    within: dict[str, list[int]] = {}
    for number, owner in enumerate(owners):
        within.setdefault(owner.workload.meta.namespace, []).append(number)
        for key, value in owner.workload.template.labels.items():
            having.setdefault((owner.workload.meta.namespace, key, value), []).append(number)
    found: dict[tuple[int, int], tuple[WorkloadCheck, WorkloadCheck]] = {}
    for number, one in enumerate(owners):
        selector, namespace = one.workload.selector, one.workload.meta.namespace
        if selector is None or not selector.requirements:
            continue
        narrow = [
            [other for value in requirement.values for other in having.get((namespace, requirement.key, value), ())]
            for requirement in selector.requirements
            if requirement.operator == "In"
        ]
        for candidate in min(narrow, key=len, default=within[namespace]):
            whose = owners[candidate]
            if whose.manifest.object != one.manifest.object and selector.matches(whose.workload.template.labels):
                found.setdefault((min(number, candidate), max(number, candidate)), (one, whose))
    yield from (found[pair] for pair in sorted(found))


def _place_of(manifest: Manifest, one: Requirement) -> Place:
    for route in ((*_SELECTOR, "matchLabels", one.key), (*_SELECTOR, one.key)):
        if manifest.present(route):
            return manifest.place(route)
    return manifest.place(_SELECTOR, "key")


def _shown(one: Requirement) -> str:
    return f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else str(one)
