"""The pod of a Cluster of CloudNativePG, as its operator makes it for each instance.

Source: `CreateAffinitySection` and `CreateGeneratedAntiAffinity` of pkg/specs/pods.go, CloudNativePG 1.30.0.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.values.plain import mapping, sequence

_HOSTNAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_OF_SPEC = ("priorityClassName", "schedulerName", "topologySpreadConstraints")
_OF_AFFINITY = ("nodeSelector", "tolerations")


def pod_labels(cluster: str) -> dict[str, str]:
    """Return the labels of the pods of a Cluster by its name."""
    return {"cnpg.io/cluster": cluster, "cnpg.io/podRole": "instance"}


def pod_spec(cluster: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of an instance's pod from the name and the spec of its Cluster."""
    config = mapping(spec.get("affinity"))
    apart = mapping(config.get("additionalPodAntiAffinity"))
    if config.get("enablePodAntiAffinity") is not False and config.get("podAntiAffinityType") == "required":
        term = {
            "labelSelector": {"matchLabels": pod_labels(cluster)},
            "topologyKey": config.get("topologyKey") or _HOSTNAME,
        }
        apart = {**apart, _REQUIRED: [term, *sequence(apart.get(_REQUIRED))]}
    affinity = {
        "nodeAffinity": config.get("nodeAffinity"),
        "podAffinity": config.get("additionalPodAffinity"),
        "podAntiAffinity": apart,
    }
    return {
        **{key: spec[key] for key in _OF_SPEC if key in spec},
        **{key: config[key] for key in _OF_AFFINITY if key in config},
        "affinity": {key: value for key, value in affinity.items() if value},
        "containers": [{"name": "postgres", "image": "image", "resources": mapping(spec.get("resources"))}],
    }
