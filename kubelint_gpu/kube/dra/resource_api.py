"""Constants of the API resource.k8s.io, and differences between its versions."""

from __future__ import annotations

from typing import Any

MOST_REQUESTS = MOST_CONSTRAINTS = MOST_CONFIGS = MOST_SELECTORS = 32
MOST_ALTERNATIVES = 8
MOST_DEVICES = 32
"""The most devices that the allocation of one claim can hold (AllocationResultsMaxSize)."""
MOST_CONSUMERS = 256
"""The most pods for which a claim can be reserved (ResourceClaimReservedForMaxSize)."""
MOST_DEVICES_OF_SLICE, MOST_DEVICES_OF_BETAS = 128, 64
"""The most devices of a slice, and of one of which a device has taints, counters or attributes with lists."""
MOST_COUNTER_SETS = 8
"""The most counter sets of a slice."""
BETAS_SINCE = 36
"""The first minor release that has shared counters, taints, binding conditions and consumable capacity by default."""
ALL_EFFECTS_SINCE = 35
"""The first minor release whose taints and tolerations may have the effect None."""
OLD_POOLS_UNTIL = 34
"""The last minor release that gives out devices of pools of which slices are missing, and fails at invalid ones."""
SOURCE_UNTIL = 30
"""The last minor release in which the entries of a pod's `resourceClaims` have `source`."""
LONGEST_EXPRESSION = LONGEST_PARAMETERS = 10 * 1024


def is_flat(value: dict[str, Any]) -> bool:
    """Whether an object has the shape of v1beta1: requests without `exactly`, devices with `basic`."""
    version = value.get("apiVersion")
    return isinstance(version, str) and version.rpartition("/")[2] in ("v1beta1", "v1alpha3")
