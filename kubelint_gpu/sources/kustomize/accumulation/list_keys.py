"""How lists of built-in kinds are merged by strategic merge patches: by a key of their elements, or not at all.

Source: the `patchMergeKey` tags of k8s.io/api, as kustomize's copy of the OpenAPI schema has them.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Pointer

_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "resourceClaims": "name",
    "webhooks": "name",
}


def merge_key(api_version: str, kind: str, where: Pointer) -> str | None:
    """The key by which elements of the list at a pointer are told apart; None where the list is replaced whole."""
    group = api_version.rpartition("/")[0]
    if "." in group and (not group.endswith(".k8s.io") or group.endswith("x-k8s.io")):
        return None
    names = [step for step in where if isinstance(step, str)]
    if not names:
        return None
    if names[-1] == "ports":
        return "port" if kind == "Service" else "containerPort"
    if names[-1] == "claims" and names[-2:-1] == ["resources"]:
        return "name"
    return _KEYS.get(names[-1])


def element_of(elements: list[Any], key: str, value: Any) -> int | None:
    """The index of the element whose key has a value."""
    for index, element in enumerate(elements):
        if isinstance(element, dict) and key in element and element[key] == value:
            return index
    return None
