"""Values that the API server would refuse, in fields that decide scheduling and rollouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from kubelint_gpu.analysis.refused_fields import refusals, unknown_fields
from kubelint_gpu.builders.admission_refusals import admission_refusals
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, replace_scalar
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.engine.remedies import renamed, rewritten
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.objects.quota import counted_as
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.errors import InvalidObject, field_path
from kubelint_gpu.messages.did_you_mean_label import nearest_value
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest

_LONGEST = 72
_FILLED_IN = "check the filled-in manifest, for example by piping it to kubelint-gpu check -"
_LEFT = (
    "this is what the kustomization renders to: none of its patches and replacements fills it in; "
    "if another program does, check what that one prints"
)


@rule("KLG003")
def invalid_value(unit: ApplySet) -> Iterator[Diagnostic]:
    """A value of the wrong type or out of range; a placeholder is not wrong, only unknown, and is told once."""
    minor = unit.minor_release
    yield from admission_refusals(unit)
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
            if not problem.placeholder:
                yield _refused(manifest, problem)
        yield from _uncounted(manifest)
        if unknown:
            first = unknown[0]
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            yield Diagnostic(
                "KLG003",
                _place(manifest, first),
                f'{_field(first.pointer)} is "{first.value}"{more}, which something fills in later: '
                "nothing that rests on it is checked here",
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
        f"{_field(problem.pointer)}: {problem.detail}",
        manifest,
        cause=field_path(problem.pointer),
        help=(f"did you mean {near}?",) if near else (),
        proposals=proposals,
    )


def _quoted(manifest: Manifest, pointer: Pointer) -> list[Edit]:
    """The number or boolean as a string of what is written."""
    span = manifest.item.locate(pointer)
    text = manifest.item.document.source.text[span.start : span.end]
    return [replace_scalar(manifest.item, pointer, json.dumps(text))]


def _uncounted(manifest: Manifest) -> Iterator[Diagnostic]:
    """Keys of a ResourceQuota that the API server accepts and nothing ever counts."""
    written = field_pointers.at(manifest, ("spec", "hard")) if _is_quota(manifest) else None
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
            proposals=(FixCandidate(f"write {right}", "unsafe", partial(_renamed, manifest, key, right)),)
            if right not in hard
            else (),
        )


def _is_quota(manifest: Manifest) -> bool:
    return manifest.kind == "ResourceQuota" and not api_group(manifest.item.value)


def _renamed(manifest: Manifest, key: str, right: str) -> list[Edit]:
    return renamed(manifest, [("spec", "hard", key)], right)


def _field(pointer: Pointer) -> str:
    """A field as the API server calls it; of a long path the end, as the place is shown with it."""
    start = 0
    while start < len(pointer) - 1 and (len(field_path(pointer[start:])) > _LONGEST or isinstance(pointer[start], int)):
        start += 1
    return field_path(pointer[start:])


def _place(manifest: Manifest, problem: InvalidObject) -> Place:
    """The value that is wrong; of one that spans lines, its key."""
    compound = isinstance(field_pointers.at(manifest, problem.pointer), (dict, list))
    return manifest.place(problem.pointer, "key" if compound else "value")
