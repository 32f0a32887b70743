"""Pod templates in custom resources: found by their shape, or converted from containers in a form of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.workload import api_group, is_workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.plain import at, mapping, sequence
from kubelint_gpu.patterns import pattern

WITHOUT_PODS = (".k8s.io", "kyverno.io", "gatekeeper.sh")
"""Ends of API groups whose objects have no pods, though they may show what pods ask for."""
GIT_OPS = {
    ("argoproj.io", "Application"): "Argo CD",
    ("argoproj.io", "ApplicationSet"): "Argo CD",
    ("helm.toolkit.fluxcd.io", "HelmRelease"): "Flux",
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): "Flux",
}
"""Kinds of objects that name what is rendered and applied elsewhere, and who does that: their values are no pods."""
_NO_REQUESTS = pattern(
    r"(?:Class|Config|Policy|Pool|Profile|Project|Queue|Quota)$|(?<!Virtual)Machine(?!L)|Node|InstanceGroup"
)
"""Kinds that limit or describe what other objects ask for, or that make nodes."""
_COUNT = pattern(
    r"(?:^|[._-]|num)gpus?(?:[._-]?(?:amount|count|devices|limit|num))?(?:\.(?:value|count|quantity))?$", re.IGNORECASE
)
_HARDWARE = pattern(
    r"(?:instance|machine|accelerator|gpu)[_-]?type(?:\.name)?$|resourceprofile$|preset\.name$|\.devicename$",
    re.IGNORECASE,
)
"""Ends of fields that name what the pods run on, or a model that its operator gives GPUs."""
_WITH_GPUS = pattern(
    r"gpu|nvidia|^standard_n[cdv]\d|^(?:p[2-6]|g[3-7]|gn\d)[a-z]*\.|^(?:a[2-4]|g[24])-|^(?:[abhlv]\d{2,3}s?|[lt]4)(?![a-z0-9.])",
    re.IGNORECASE,
)
"""Names of GPUs and of machines that have some, as the large clouds call them."""
_AMOUNT = pattern(r"[1-9][0-9]{0,5}", re.ASCII)
_IN_TEXT = pattern(r"""(?<![a-z0-9.-])([a-z0-9.-]+/[A-Za-z0-9._-]+)\\?["']?[ \t]*:[ \t]*\\?["']?[1-9]""", re.ASCII)
_LONGEST = 100_000
_FOR_OTHERS = ("Class", "Config", "Profile", "Runtime", "Template")
_TEMPLATE = {"metadata", "spec"}

_GPU = "nvidia.com/gpu"
_ALL = [{"operator": "Exists"}]
_SCHEDULING = (
    "affinity",
    "nodeSelector",
    "priorityClassName",
    "resourceClaims",
    "runtimeClassName",
    "schedulerName",
    "tolerations",
    "topologySpreadConstraints",
)


def is_of_unknown_kind(value: dict[str, Any]) -> bool:
    """Whether an object is a custom resource that may have pods; does not check the table of known kinds."""
    group = api_group(value)
    return "." in group and not group.endswith(WITHOUT_PODS) and not is_workload(value)


def templates(value: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Yield the pointers of pod templates and pod specs, in the order of the file, each with its form.

    The form is `template`, `spec` or, if the fields of a pod are beside `resources`, `inline`. The content of a pod
    spec is not searched. An object whose kind ends in Template, Runtime or the like describes pods for other objects,
    which decide where these go, so it is skipped. So are templates that GitOps controllers render from their objects.
    """
    kind = str(value.get("kind"))
    if kind.endswith(_FOR_OTHERS) or (api_group(value), kind) in GIT_OPS:
        return
    left: list[tuple[Pointer, Any, Any]] = [((), value, None)]
    while left:
        where, found, above = left.pop()
        if isinstance(found, dict):
            if where and _is_pod_spec(found):
                whole = where[-1] == "spec" and isinstance(above, dict) and len(where) > 1
                whole = whole and (above.keys() <= _TEMPLATE or str(where[-2]).lower().endswith("template"))
                yield (where[:-1], "template") if whole else (where, "spec")
                continue
            if where and _asks(found.get("resources")):
                yield where, "inline"
                continue
            left += [((*where, key), below, found) for key, below in reversed(found.items()) if isinstance(key, str)]
        elif isinstance(found, list):
            left += [((*where, place), below, found) for place, below in reversed(list(enumerate(found)))]


def _is_pod_spec(found: dict[str, Any]) -> bool:
    containers = found.get("containers")
    if not isinstance(containers, list) or not containers:
        return False
    return all(
        isinstance(one, dict)
        and isinstance(one.get("name"), str)
        and (isinstance(one.get("image"), str) or isinstance(one.get("resources"), dict))
        for one in containers
    )


def _asks(resources: Any) -> bool:
    """Whether the resources of a container name an extended resource."""
    parts = [resources.get(part) for part in ("limits", "requests")] if isinstance(resources, dict) else []
    return any(is_extended(str(name)) for part in parts if isinstance(part, dict) for name in part)


def gpu_requests(value: dict[str, Any], is_gpu: Callable[[str], bool]) -> Iterator[tuple[Pointer, str]]:
    """Yield where fields at any depth request GPUs, in the order of the file, each with the resource or the field.

    A request is an amount of a resource in `limits` or `requests`, or of a field such as `gpus`, or stands in a text. A
    field can also name a machine or a device with GPUs, or a preset of `inference`, for which the text is yielded.
    """
    kind, top = str(value.get("kind")), "spec" if "spec" in value else None
    counts = _NO_REQUESTS().search(kind) is None and (api_group(value), kind) not in GIT_OPS
    left: list[tuple[Pointer, Any]] = [((), value)]
    while left:
        where, found = left.pop()
        if isinstance(found, dict):
            name = str(where[-1]).lower() if where else ""
            if name.endswith(("limits", "requests")) and (counts or "resources" in str(where[-2:-1]).lower()):
                names = [str(name) for name, amount in found.items() if amount not in (0, "0")]
                yield from (((*where, name), name) for name in names if "/" in name and is_gpu(name))
            left += [((*where, key), below) for key, below in reversed(found.items())]
        elif isinstance(found, list):
            left += [((*where, place), below) for place, below in reversed(list(enumerate(found)))]
        elif counts and where[0] not in ("metadata", "status") and top in (where[0], None):
            text, name = str(found)[:_LONGEST], ".".join(str(step) for step in where[-2:])
            if _AMOUNT().fullmatch(text) and _COUNT().search(name):
                yield where, str(where[-2 if _COUNT().search(str(where[-1])) is None else -1])
            named = isinstance(found, str) and _HARDWARE().search(name) is not None
            if named and (_WITH_GPUS().search(text) or where[-3:-2] in (("inference",), ("tuning",))):
                yield where, text
            yield from ((where, match[1]) for match in _IN_TEXT().finditer(text) if is_gpu(match[1]))


def composed(
    here: dict[str, Any], above: dict[str, Any], row: dict[str, Any], pointer: Pointer
) -> tuple[dict[str, Any], tuple[Pointer, ...]]:
    """The spec of a pod, and the pointers of its requests.

    Args:
        here: the mapping that describes the pod.
        above: the fields of all mappings above it, which replace missing fields of `here` if the row says `inherits`.
        row: `containers`: below `here`, each a container or a mapping with `resources`; empty for `here` itself.
            `scheduling`: the key below `here` with the fields of the pod's spec; empty for `here` itself. `resources`:
            the field of a container with its resources. `under`: the container whose resources these amounts override,
            one by one. `elsewhere`: another object decides where the pods go: they are assumed to tolerate everything.
            `lenient`: so are pods without tolerations.
        pointer: the pointer of `here`.
    """
    fields = mapping(here.get(row["scheduling"])) if row.get("scheduling") else here
    spec = {key: fields[key] for key in _SCHEDULING if key in fields}
    if row.get("inherits"):
        spec = {**{key: above[key] for key in _SCHEDULING if key in above}, **spec}
    if row.get("elsewhere"):
        spec = {"tolerations": _ALL}
    if row.get("lenient") and not spec.get("tolerations"):
        spec["tolerations"] = _ALL
    called, under = row.get("resources", "resources"), tuple(row.get("under", "").split("."))
    containers = list(sequence(fields.get("containers")))
    asks: list[Pointer] = []
    for path in row["containers"]:
        steps = tuple(path.split(".")) if path else ()
        container = at(here, steps)
        if isinstance(container, dict):
            asks.append((*pointer, *steps, called) if called in container else (*pointer, *steps))
            resources = _resources(mapping(container.get(called)))
            if isinstance(at(here, under), dict):
                asks.append((*pointer, *under, "resources"))
                own = _resources(mapping(at(here, (*under, "resources"))))
                resources = {key: {**mapping(own.get(key)), **resources.get(key, {})} for key in (*own, *resources)}
            containers.append(_container(container, f"{path.rpartition('.')[2] or 'main'}".lower(), resources))
    if isinstance(fields.get("initContainers"), list):
        spec["initContainers"] = fields["initContainers"]
    return {**spec, "containers": containers}, tuple(asks)


def _resources(written: dict[str, Any]) -> dict[str, Any]:
    if written and not {"limits", "requests", "claims"} & set(written):
        # amounts without a word on whether they are limits or requests
        written = {"limits": written}
    return {part: _amounts(mapping(written.get(part))) for part in ("limits", "requests") if mapping(written.get(part))}


def _container(value: dict[str, Any], name: str, resources: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "image": "image"}
    gpu = mapping(value.get("gpu"))
    if "quantity" in gpu:
        # SparkApplication: the name of the resource, and how many of it
        resources.setdefault("limits", {})[str(gpu.get("name", _GPU))] = gpu["quantity"]
    if resources:
        found["resources"] = resources
    if isinstance(value.get("ports"), list):
        found["ports"] = value["ports"]
    return found


def _amounts(written: dict[str, Any]) -> dict[str, Any]:
    """Amounts by their full names: `gpu` is short for NVIDIA's, or for the value of `gpuType`."""
    gpu = str(written.get("gpuType") or _GPU)
    plain = {gpu if key == "gpu" else key: value for key, value in written.items() if key not in ("custom", "gpuType")}
    return {**plain, **mapping(written.get("custom"))}
