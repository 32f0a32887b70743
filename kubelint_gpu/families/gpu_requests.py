"""How a pod asks for GPUs: amounts that the API server refuses, and GPUs that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.analysis.node_misfit import wants_gpu
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import replace_scalar, set_key
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.admission.extended_requests import NO_LIMIT, NOT_WHOLE, UNEQUAL, RequestProblem, request_problems
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest

_ORDER = (NOT_WHOLE, NO_LIMIT, UNEQUAL)
_VISIBLE = ("NVIDIA_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES")
_NOTHING = ("", "none", "void")
_DEVICES = ("/dev/nvidia", "/dev/kfd")
_RUNTIMES = ("nvidia", "habana")
# agents that watch or manage GPUs rightly see all of them
_INFRASTRUCTURE = ("kube-system", "gpu-operator", "nvidia-gpu-operator", "nvidia-device-plugin", "gmp-public")


@rule("KLG501")
def gpu_request_invalid(unit: ApplySet) -> Iterator[Diagnostic]:
    """An amount of an extended resource that API validation refuses."""
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
                f"{_told(problem)}: the API server {_answer(manifest, manifest.workload)}",
                manifest,
                cause=field_path(problem.pointer),
                related=tuple(_limit(manifest, problem, route)),
                help=(*_help(problem), f"the API server says: {field_path(route)}: {problem.detail}"),
                proposals=tuple(_proposals(manifest, problem, route)),
            )


def _told(problem: RequestProblem) -> str:
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
            f"set the limit to {problem.value}, too", "safe", lambda: [set_key(item, limits, resource, problem.value)]
        )
    if problem.kind == UNEQUAL:
        text = f'"{problem.other}"' if isinstance(problem.other, str) else str(problem.other)
        yield FixCandidate(
            f"request {problem.other}, as the limit says", "unsafe", lambda: [replace_scalar(item, route, text)]
        )


@rule("KLG504")
def gpu_without_request(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod that sees GPUs without asking for any: the scheduler knows nothing of it."""
    for subject in unit.subjects:
        if subject.controller.node_bound or subject.workload.meta.namespace in _INFRASTRUCTURE:
            continue
        if wants_gpu(subject):
            continue
        manifest = subject.manifest
        signs = list(_signs(manifest))
        if not signs:
            continue
        (route, said), *others = signs
        yield Diagnostic(
            "KLG504",
            manifest.place(route),
            f"{said} gives its pod GPUs that it does not ask for: the scheduler takes them for free and gives them "
            "to other pods as well",
            manifest,
            cause="/".join(str(step) for step in route),
            related=tuple(Related(manifest.place(other), f"{also} does, too") for other, also in others),
            help=("ask for nvidia.com/gpu under limits, or set NVIDIA_VISIBLE_DEVICES to void",),
        )


def _signs(manifest: Manifest) -> Iterator[tuple[Pointer, str]]:
    """What gives the pod GPUs, each with how it is called; nothing where it says that it wants none."""
    base = field_pointers.pod_spec(manifest)
    found = list(_environment(manifest, base))
    if any(value.strip().lower() in _NOTHING for _, _, value in found):
        return
    yield from ((route, f"{name}={value}") for route, name, value in found)
    runtime = field_pointers.at(manifest, (*base, "runtimeClassName"))
    if isinstance(runtime, str) and runtime.startswith(_RUNTIMES):
        yield (*base, "runtimeClassName"), f"runtimeClassName {runtime}"
    volumes = field_pointers.at(manifest, (*base, "volumes"))
    for index, volume in enumerate(volumes if isinstance(volumes, list) else ()):
        route = (*base, "volumes", index, "hostPath", "path")
        path = field_pointers.at(manifest, route) if isinstance(volume, dict) else None
        if isinstance(path, str) and path.startswith(_DEVICES):
            yield route, f"the device {path} of the host"


def _environment(manifest: Manifest, base: Pointer) -> Iterator[tuple[Pointer, str, str]]:
    for key in ("containers", "initContainers"):
        for index, container in enumerate(_list(field_pointers.at(manifest, (*base, key)))):
            variables = container.get("env") if isinstance(container, dict) else None
            for number, variable in enumerate(_list(variables)):
                name = variable.get("name") if isinstance(variable, dict) else None
                value = variable.get("value") if isinstance(variable, dict) else None
                if name in _VISIBLE and isinstance(value, str):
                    yield (*base, key, index, "env", number, "value"), str(name), value


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
