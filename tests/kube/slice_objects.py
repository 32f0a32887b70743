"""Resource slices and a device."""

from __future__ import annotations

BODY = {
    "attributes": {
        "model": {"string": "A"},
        "numa": {"int": 1},
        "fast": {"bool": True},
        "driver": {"version": "1.0.0"},
    },
    "capacity": {"memory": {"value": "40Gi"}},
    "consumesCounters": [{"counterSet": "gpu-0", "counters": {"slices": {"value": "3"}}}],
    "taints": [{"key": "k", "value": "v", "effect": "NoExecute"}],
    "bindsToNode": True,
    "bindingConditions": ["ready"],
    "bindingFailureConditions": ["failed"],
    "allowMultipleAllocations": True,
}


def resource_slice(devices, version="v1", **spec):
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": "d.e",
            "pool": {"name": "p", "generation": 2, "resourceSliceCount": 3},
            **spec,
            "devices": devices,
        },
    }
