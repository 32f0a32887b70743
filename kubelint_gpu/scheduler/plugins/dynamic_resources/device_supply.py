"""Bounds on the devices of a pod, as plain values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.values import Value


class DeviceSupply(Value):
    """Devices of which each pod takes `each`, and no others: the free devices by node; `number` identifies the set."""

    number: int
    each: int
    free: Mapping[str, int]


class DeviceRoom(Value):
    """Bounds on the devices of a pod.

    Attributes:
        most: the most devices that its claims take.
        prices: by node, how many devices others must hold at least so that the pod finds too few.
        alike: whether it takes one group of devices, all groups are equal, and stay so.
        parts: the key of the physical device of each device; devices with equal keys count once.
        supply: what it takes and what is free, if the number of its devices is known.
        pinned: whether all pods that share its claim go to one of several nodes: the one that allocates the claim.
    """

    most: int = 0
    prices: Mapping[str, int] = EMPTY
    alike: bool = True
    parts: Mapping[DeviceID, Hashable] = EMPTY
    supply: DeviceSupply | None = None
    pinned: bool = False

    def serves(self, pods: int) -> bool:
        """Whether it is known which nodes have devices for a claim that so many pods share."""
        return bool(self.prices) and not (self.pinned and pods > MOST_CONSUMERS)
