"""Pods that seem to use a GPU without requesting one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.analysis.node_misfit import wants_gpu
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, field_pointers, rule

_VISIBLE = ("NVIDIA_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES")
_NOTHING = ("", "none", "void")
_DEVICES = ("/dev/nvidia", "/dev/kfd")
_RUNTIMES = ("nvidia", "habana")
# agents that watch or manage GPUs rightly see all of them
_INFRASTRUCTURE = ("kube-system", "gpu-operator", "nvidia-gpu-operator", "nvidia-device-plugin", "gmp-public")


@rule("KLG504", of_workloads=True)
def gpu_without_request(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that see GPUs without requesting any, so that the scheduler does not count them."""
    for subject in unit.subjects:
        if subject.workload.kind == "DaemonSet" or subject.workload.meta.namespace in _INFRASTRUCTURE:
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
    """Yield the fields that give the pod GPUs, each with its name; nothing if the pod rejects GPUs."""
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
