"""What bounds know of the devices of a pod, as plain values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.values import Value


class DeviceSupply(Value):
    """Devices of which each pod takes so many, and no others: by node, how many are free; `number` tells them apart."""

    number: int
    each: int
    free: Mapping[str, int]


class DeviceRoom(Value):
    """What bounds know of the devices of a pod.

    Attributes:
        most: the most devices that its claims take.
        prices: by node, how many devices others hold there at least where the pod finds too few.
        alike: whether it takes one group of devices of which any is as good as any other, now and later.
        parts: of what a device is a part: those with one value count as one device.
        supply: what it takes and what there is of that, where it is known how many devices it takes.
        pinned: whether all that share its claim go to one of several nodes: the one whose devices the claim gets.
    """

    most: int = 0
    prices: Mapping[str, int] = EMPTY
    alike: bool = True
    parts: Mapping[DeviceID, Hashable] = EMPTY
    supply: DeviceSupply | None = None
    pinned: bool = False

    def serves(self, pods: int) -> bool:
        """Whether it is known where a claim has devices, which so many pods may share."""
        return bool(self.prices) and not (self.pinned and pods > MOST_CONSUMERS)
