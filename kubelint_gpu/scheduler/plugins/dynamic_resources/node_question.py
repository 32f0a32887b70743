"""What an attempt asks the allocator about a node."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_layout import Interest, Layout
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Usage
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.values import NamedTuple


class Asking(NamedTuple):
    """What a pod asks of nodes that serve the same of its extended resources by devices.

    Attributes:
        claims: those that need devices.
        interest: what of devices they look at.
        number: equal for claims that ask for the same.
        seen: by node, what it reaches and how that looks to them.
    """

    claims: tuple[ResourceClaim, ...]
    interest: Interest
    number: int
    seen: dict[str, tuple[View, Layout]]


class NodeQuestion(NamedTuple):
    """What is asked of one node: for these claims, with what it reaches and what of that is taken.

    `key` is all that the answer rests on; names of claims, pools and devices are filled in where an error names them.
    """

    claims: tuple[ResourceClaim, ...]
    view: View
    likeness: tuple[int, ...]
    usage: Usage | None
    key: Hashable
