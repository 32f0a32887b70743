"""Pod templates in custom resources of unknown kinds, found by their shape.

A pod spec is a mapping whose `containers` are mappings with a name, and with an image or resources. It is the spec of a
pod template if it is under `spec`, beside nothing but `metadata` or under a key that ends in `template`. Outside of
these, a mapping with `resources` that name an extended resource describes a pod with one container.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.workload import api_group, is_workload
from kubelint_gpu.kube.values.errors import Pointer

WITHOUT_PODS = (".k8s.io", "kyverno.io", "gatekeeper.sh")
"""Ends of API groups whose objects have no pods, though they may show what pods ask for."""
GIT_OPS = {
    ("argoproj.io", "Application"): "Argo CD",
    ("argoproj.io", "ApplicationSet"): "Argo CD",
    ("helm.toolkit.fluxcd.io", "HelmRelease"): "Flux",
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): "Flux",
}
"""Kinds of objects that name what is rendered and applied elsewhere, and who does that: their values are no pods."""
_FOR_OTHERS = ("Class", "Config", "Profile", "Runtime", "Template")
_TEMPLATE = {"metadata", "spec"}


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
                whole = (
                    where[-1] == "spec" and isinstance(above, dict) and len(where) > 1 and _is_template(where, above)
                )
                yield (where[:-1], "template") if whole else (where, "spec")
                continue
            if where and _asks(found.get("resources")):
                yield where, "inline"
                continue
            left += [((*where, key), below, found) for key, below in reversed(found.items()) if isinstance(key, str)]
        elif isinstance(found, list):
            left += [((*where, place), below, found) for place, below in reversed(list(enumerate(found)))]


def _is_template(where: Pointer, above: dict[str, Any]) -> bool:
    return above.keys() <= _TEMPLATE or str(where[-2]).lower().endswith("template")


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
