"""Numbers of the API resource.k8s.io, as its types declare them."""

from __future__ import annotations

MOST_REQUESTS = MOST_CONSTRAINTS = MOST_CONFIGS = MOST_SELECTORS = 32
MOST_ALTERNATIVES = 8
MOST_TOLERATIONS = 16
MOST_DEVICES = 32
"""The most devices that the allocation of one claim can hold (AllocationResultsMaxSize)."""
MOST_CONSUMERS = 256
"""The most pods for which a claim can be reserved (ResourceClaimReservedForMaxSize)."""
SOURCE_UNTIL = 30
"""The last minor release in which the entries of a pod's `resourceClaims` have `source`."""
LONGEST_EXPRESSION = LONGEST_PARAMETERS = 10 * 1024
