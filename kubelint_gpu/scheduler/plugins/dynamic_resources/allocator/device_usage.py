"""Which devices are already allocated: by all claims, and as a node sees it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from kubelint_gpu.kube.dra.claim import Allocation
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.values import Value


class Holdings(Value):
    """The allocations of all claims.

    Attributes:
        claims: the allocation of each allocated claim, by `namespace/name`.
        exclusive: the devices that one claim has entirely.
        shared: the devices that claims share.
        consumed: the consumed capacity of shared devices.
        pools: driver and name of the pools with allocated devices.
    """

    claims: Mapping[str, Allocation]
    exclusive: frozenset[DeviceID]
    shared: frozenset[DeviceID]
    consumed: Mapping[DeviceID, Mapping[str, Amount]]
    pools: frozenset[tuple[str, str]]

    def is_allocated(self, device: DeviceID) -> bool:
        """Whether any claim has the device or a share of it."""
        return device in self.exclusive or device in self.shared


class Usage(Value):
    """The allocated devices of a view, by their positions.

    Attributes:
        exclusive: whether one claim has the whole device.
        consumed: the consumed capacity of a device; None if it has no shares.
        is_allocated: whether any claim has a device, inside the view or not.
        key: equal for equal usage.
    """

    exclusive: tuple[bool, ...]
    consumed: tuple[Mapping[str, Amount] | None, ...]
    is_allocated: Callable[[DeviceID], bool]
    key: Hashable


def usage_of(view: View, held: Holdings) -> Usage:
    """Return the allocated devices among those that a node reaches."""
    elsewhere = tuple([identity for identity in view.elsewhere if held.is_allocated(identity)])
    if not any((pool.driver, pool.name) in held.pools for pool in view.pools):
        count = len(view.slots)
        return Usage((False,) * count, (None,) * count, held.is_allocated, elsewhere)
    exclusive = tuple([slot.id in held.exclusive for slot in view.slots])
    consumed = tuple([held.consumed.get(slot.id) for slot in view.slots]) if held.consumed else (None,) * len(exclusive)
    shares = [
        (place, frozenset((one or {}).items()))
        for place, (slot, one) in enumerate(zip(view.slots, consumed, strict=True))
        if one is not None or slot.id in held.shared
    ]
    taken = [place for place, one in enumerate(exclusive) if one]
    return Usage(exclusive, consumed, held.is_allocated, (elsewhere, tuple(taken), tuple(shares)))
