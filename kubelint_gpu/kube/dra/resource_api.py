"""What the API resource.k8s.io declares: its numbers, and what differs between its versions."""

from __future__ import annotations

from typing import Any

MOST_REQUESTS = MOST_CONSTRAINTS = MOST_CONFIGS = MOST_SELECTORS = 32
MOST_ALTERNATIVES = 8
MOST_TOLERATIONS = 16
MOST_DEVICES = 32
"""The most devices that the allocation of one claim can hold (AllocationResultsMaxSize)."""
MOST_CONSUMERS = 256
"""The most pods for which a claim can be reserved (ResourceClaimReservedForMaxSize)."""
MOST_DEVICES_OF_SLICE = 128
LONGEST_ATTRIBUTE = 64
"""The most bytes of a value of an attribute (DeviceAttributeMaxValueLength)."""
SOURCE_UNTIL = 30
"""The last minor release in which the entries of a pod's `resourceClaims` have `source`."""
LONGEST_EXPRESSION = LONGEST_PARAMETERS = 10 * 1024


def is_flat(value: dict[str, Any]) -> bool:
    """Whether an object has the shape of v1beta1: requests without `exactly`, devices with `basic`."""
    version = value.get("apiVersion")
    return isinstance(version, str) and version.rpartition("/")[2] in ("v1beta1", "v1alpha3")
