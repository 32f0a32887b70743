"""GPU requests and limits that the API server or the scheduler refuses, or that differ."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Manifest, Pointer, Related, field_pointers, rule
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.validation.resource_validation import (
    NO_LIMIT,
    NOT_WHOLE,
    UNEQUAL,
    RequestProblem,
    request_problems,
)
from kubelint_gpu.kube.values.errors import field_path

_ORDER = (NOT_WHOLE, NO_LIMIT, UNEQUAL)


@rule("KLG501")
def gpu_request_invalid(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield amounts of an extended resource that API validation refuses."""
    for manifest in unit.templates:
        if manifest.workload is None or manifest.workload.partial:
            continue
        base = field_pointers.pod_spec(manifest)
        said: set[tuple[Pointer, str]] = set()
        found = sorted(
            request_problems(field_pointers.at(manifest, base)), key=lambda problem: _ORDER.index(problem.kind)
        )
        for problem in found:
            container = (problem.pointer[:-2], problem.resource)
            if container in said:
                continue
            said.add(container)
            route = (*base, *problem.pointer)
            yield Diagnostic(
                "KLG501",
                manifest.place(route),
                f"{_problem_text(problem)}: the API server {_answer(manifest, manifest.workload)}",
                manifest,
                cause=field_path(problem.pointer),
                related=tuple(_limit(manifest, problem, route)),
                help=(*_help(problem), f"the API server says: {field_path(route)}: {problem.detail}"),
                proposals=tuple(_proposals(manifest, problem, route)),
            )


def _problem_text(problem: RequestProblem) -> str:
    resource, value = problem.resource, problem.value
    if problem.kind == NOT_WHOLE:
        return f"{value} is not a whole number of {resource}"
    if problem.kind == NO_LIMIT:
        return f"{resource} is requested without a limit"
    return f"the request of {value} {resource} is not equal to the limit of {problem.other}"


def _answer(manifest: Manifest, workload: Workload) -> str:
    if workload.custom:
        return f"accepts the {manifest.kind} and refuses its pods"
    return "refuses each pod of it" if manifest.kind == "StatefulSet" else f"refuses the {manifest.kind}"


def _limit(manifest: Manifest, problem: RequestProblem, route: Pointer) -> Iterator[Related]:
    if problem.kind == UNEQUAL:
        yield Related(manifest.place((*route[:-2], "limits", problem.resource)), f"the limit is {problem.other}")


def _help(problem: RequestProblem) -> tuple[str, ...]:
    if problem.kind == NOT_WHOLE:
        return ("ask for 1, or for a share that the nodes advertise: a MIG device, a time-sliced GPU",)
    return ()


def _proposals(manifest: Manifest, problem: RequestProblem, route: Pointer) -> Iterator[FixCandidate]:
    item, resource = manifest.item, problem.resource
    if problem.kind == NO_LIMIT:
        limits = (*route[:-2], "limits")
        yield FixCandidate(
            f"set the limit to {problem.value}, too",
            "safe",
            lambda: [editing.set_key(item, limits, resource, problem.value)],
            of_amounts=True,
        )
    if problem.kind == UNEQUAL:
        text = f'"{problem.other}"' if isinstance(problem.other, str) else str(problem.other)
        yield FixCandidate(
            f"request {problem.other}, as the limit says",
            "unsafe",
            lambda: [editing.replace_scalar(item, route, text)],
            of_amounts=True,
        )
