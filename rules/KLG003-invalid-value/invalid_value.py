"""Values that the API server would refuse, in fields that decide scheduling and rollouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from kubelint_gpu.analysis.devices.claim_shapes import is_told
from kubelint_gpu.analysis.fields.refused_fields import refusals, unknown_fields
from kubelint_gpu.builders.refused_admission import (
    claim_out_of_bounds,
    pods_out_of_bounds,
    priority_refused,
    refused_pods,
)
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Place,
    Pointer,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.engine.put_off import when_admitted
from kubelint_gpu.engine.remedies import renamed, rewritten
from kubelint_gpu.evidence.declared_lines import class_of, told_at
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.quota import counted_as
from kubelint_gpu.kube.objects.runtime_class import runtime_class_refusal
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.errors import InvalidObject, field_path, short_path
from kubelint_gpu.messages.did_you_mean_label import nearest_value

_FILLED_IN = "check the filled-in manifest, for example by piping it to kubelint-gpu check -"
_LEFT = (
    "this is what the kustomization renders to: none of its patches and replacements fills it in; "
    "if another program does, check what that one prints"
)


@rule("KLG003")
def invalid_value(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield values of the wrong type or out of range; a placeholder is only unknown, and is reported once."""
    minor = unit.minor_release
    yield from _admission_refusals(unit)
    for manifest, unfit in zip(unit.templates, unknown_fields(unit), strict=True):
        unknown: list[InvalidObject] = []
        said: set[Pointer] = set()
        for problem in manifest.problems:
            if problem.pointer in said:
                # what follows from a value of the wrong type is no second problem
                continue
            said.add(problem.pointer)
            if problem.placeholder:
                unknown.append(problem)
                continue
            yield _refused(manifest, problem)
        for problem in refusals(manifest, unfit, minor):
            if problem.placeholder and problem.pointer not in said:
                unknown.append(problem)
            elif not problem.placeholder and not is_told(unit, manifest, problem.pointer):
                yield _refused(manifest, problem)
        yield from _uncounted(manifest)
        if unknown:
            first = unknown[0]
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            yield Diagnostic(
                "KLG003",
                _place(manifest, first),
                f'{short_path(first.pointer)} is "{first.value}"{more}, which something fills in later: '
                "all else is judged with the least that it may demand",
                manifest,
                cause="placeholder",
                severity="note",
                certainty="possible",
                help=(_FILLED_IN if manifest.origin is None else _LEFT,),
            )


def _refused(manifest: Manifest, problem: InvalidObject) -> Diagnostic:
    near = nearest_value([problem.value], problem.allowed)[0] if isinstance(problem.value, str) else ""
    proposals: tuple[FixCandidate, ...] = ()
    if near:
        proposals = rewritten(manifest, problem.pointer, [near])
    elif problem.is_text and isinstance(problem.value, int | float):
        proposals = (FixCandidate("quote it", "unsafe", partial(_quoted, manifest, problem.pointer)),)
    return Diagnostic(
        "KLG003",
        _place(manifest, problem),
        f"{short_path(problem.pointer)}: {problem.detail}",
        manifest,
        cause=field_path(problem.pointer),
        help=(f"did you mean {near}?",) if near else (),
        proposals=proposals,
    )


def _quoted(manifest: Manifest, pointer: Pointer) -> list[editing.Edit]:
    """Return the edit that quotes the number or boolean."""
    span = manifest.item.locate(pointer)
    text = manifest.item.document.source.text[span.start : span.end]
    return [editing.replace_scalar(manifest.item, pointer, json.dumps(text))]


def _uncounted(manifest: Manifest) -> Iterator[Diagnostic]:
    """Yield keys of a ResourceQuota that the API server accepts but never counts."""
    written = (
        field_pointers.at(manifest, ("spec", "hard"))
        if manifest.kind == "ResourceQuota" and not api_group(manifest.item.value)
        else None
    )
    hard = written if isinstance(written, dict) else {}
    for key in hard:
        right = counted_as(key)
        if right is None:
            continue
        yield Diagnostic(
            "KLG003",
            manifest.place(("spec", "hard", key), "key"),
            f"{key} is accepted and limits nothing: a quota counts extended resources as {right}",
            manifest,
            cause=f"uncounted/{key}",
            severity="warning",
            help=(f"write {right}",),
            proposals=(
                FixCandidate(f"write {right}", "unsafe", partial(renamed, manifest, [("spec", "hard", key)], right)),
            )
            if right not in hard
            else (),
        )


def _place(manifest: Manifest, problem: InvalidObject) -> Place:
    """Return the place of the invalid value; for a value of several lines, of its key."""
    compound = isinstance(field_pointers.at(manifest, problem.pointer), (dict, list))
    return manifest.place(problem.pointer, "key" if compound else "value")


def _admission_refusals(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield why no pod of a workload is ever created, judged by the manifests and the inventory."""
    for subject in unit.subjects:
        written = subject.manifest.workload
        if written is None or subject.manifest.present(("status", "phase")) or subject.manifest.problems:
            # what runs was admitted, and of an amount that is filled in later nobody knows
            continue
        yield from (when_admitted(unit, subject, one) for one in pods_out_of_bounds(unit, subject.manifest, written))
        yield from refused_pods(unit, subject)
        yield from priority_refused(unit, subject.manifest, written.spec)
        yield from _runtime_class(unit, subject, written.spec)
    for manifest in unit.manifests:
        if manifest.kind == "PersistentVolumeClaim":
            yield from claim_out_of_bounds(unit, manifest)


def _runtime_class(unit: ApplySet, subject: WorkloadCheck, spec: PodSpec) -> Iterator[Diagnostic]:
    import difflib

    manifest, name, found = subject.manifest, spec.runtime_class_name, class_of(unit, subject)
    sure = found is not None or _all_classes_known(unit)
    refusal = runtime_class_refusal(spec, unit.cluster.runtime_classes)
    known = sorted(one.name for one in unit.cluster.runtime_classes)
    near = difflib.get_close_matches(name, known, 1, 0.6 if sure else 0.8) if name and found is None else []
    if refusal is None or (name and not sure and not near):
        return
    route = (*field_pointers.pod_spec(manifest), *refusal.field)
    yield Diagnostic(
        "KLG003",
        manifest.place(route, "key" if refusal.field == ("overhead",) else "value"),
        f"admission refuses the pods: {refusal.text}",
        manifest,
        cause="/".join(refusal.field),
        certainty="certain" if sure or not name else "possible",
        related=told_at(unit, "RuntimeClass", name, f"RuntimeClass {name} is here") if found is not None else (),
        help=(f"did you mean {near[0]}?",) if near else (),
        proposals=rewritten(manifest, route, near, "use RuntimeClass {}"),
    )


def _all_classes_known(unit: ApplySet) -> bool:
    """Whether the declared RuntimeClasses, of which there are some, are all that the cluster has."""
    inventory = unit.world.inventory
    return inventory is not None and unit.complete and next(inventory.of_kind("RuntimeClass"), None) is not None
