"""Constraints on the devices of a claim: which attributes must match or be distinct.

Source: the constraints of the structured allocator, 0.34.1 and 0.36.3.
`distinctAttribute` remembers one device per request: of several devices of one request it compares only the last.
"""

from __future__ import annotations

from kubelint_gpu.kube.dra.claim import DeviceConstraint
from kubelint_gpu.kube.dra.device import Attribute, attribute_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot

SINGLE = ("string", "int", "bool", "version")


class Check:
    """`matchAttribute`: all devices have the same value; `distinctAttribute`: each has another value."""

    __slots__ = ("_attributes", "_compares", "_count", "_matches", "_name", "_requests")

    def __init__(self, constraint: DeviceConstraint, *, compares: bool) -> None:
        self._requests = frozenset(constraint.requests)
        self._matches = bool(constraint.match)
        self._name = constraint.match or constraint.distinct
        self._compares = compares or self._matches
        self._attributes: dict[str, Attribute] = {}
        self._count = 0

    def add(self, request: str, alternative: str, slot: Slot) -> bool:
        """Add a device if the constraint allows it; return whether it does."""
        if not _concerns(self._requests, request, alternative):
            return True
        found = attribute_of(slot.device, slot.id.driver, self._name)
        if found is None:
            return False
        others = self._attributes.values() if self._count and self._compares else ()
        if others and (found.kind not in SINGLE or (found in others) is not self._matches):
            return False
        if not self._matches:
            self._attributes[request] = found
        elif not self._count:
            self._attributes = {"": found}
        self._count += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Remove the device that was added last."""
        if _concerns(self._requests, request, alternative):
            self._attributes.pop(request, None)
            self._count -= 1


def check_of(constraint: DeviceConstraint, *, compares: bool) -> Check | None:
    """The check of a constraint; None if the scheduler does not know the constraint.

    `compares` says whether `distinctAttribute` compares the values of devices.
    The allocator of 1.34 checks `distinctAttribute` although its gate is off: the gate of device status, which is on,
    selects the experimental allocator, 0.34.1.
    """
    return Check(constraint, compares=compares) if constraint.match or constraint.distinct else None


def _concerns(requests: frozenset[str], request: str, alternative: str) -> bool:
    return not requests or request in requests or (bool(alternative) and f"{request}/{alternative}" in requests)
