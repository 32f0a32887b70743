"""The devices of nodes that claims may ask for, as a person counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubelint_gpu.inventory.declarations.inventory import Inventory
    from kubelint_gpu.kube.dra.device import Device, DeviceID
    from kubelint_gpu.kube.dra.resource_slice import ResourceSlice
    from kubelint_gpu.kube.objects.node import Node

_KINDS = ("ResourceSlice", "ResourceClaim")
_NAMES = ("productName", "model")
_PROFILE = "profile"


class DeviceCount(NamedTuple):
    """Devices of a node that are called alike, and how many of them a claim has."""

    label: str
    number: int
    held: int


def node_devices(inventory: Inventory, nodes: Iterable[Node]) -> Mapping[str, tuple[DeviceCount, ...]]:
    """The devices that are reached from each node alone, or from several; nothing without a ResourceSlice.

    Of devices that are parts of another one, which take of its counters, only the whole one counts.
    """
    if next(inventory.of_kind("ResourceSlice"), None) is None:
        return {}
    cluster = read_cluster([one.value for kind in _KINDS for one in inventory.of_kind(kind)])
    allocations = [one.allocation for one in cluster.resource_claims if one.allocation is not None]
    held = frozenset(device.id for one in allocations for device in one.devices if not device.admin)
    newest: dict[tuple[str, str], int] = {}
    for one in cluster.resource_slices:
        key = (one.driver, one.pool)
        newest[key] = max(newest.get(key, 0), one.generation)
    current = [one for one in cluster.resource_slices if one.generation == newest[one.driver, one.pool]]
    by_node = grouped((one.node_name, one) for one in current)
    others = by_node.pop("", [])
    return {node.name: _counts(node, [*by_node.get(node.name, ()), *others], held) for node in nodes}


def _counts(node: Node, slices: list[ResourceSlice], held: frozenset[DeviceID]) -> tuple[DeviceCount, ...]:
    """Those that are no part of another one: of a counter set, those that take the most counters."""
    numbers: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    most: dict[tuple[str, str, str], int] = {}
    devices = [(one, device) for one in slices for device in one.devices]
    for one, used in ((part, used) for part, device in devices for used in device.consumes):
        counters = (one.driver, one.pool, used.counter_set)
        most[counters] = max(most.get(counters, 0), len(used.counters))
    for one, device in devices:
        whole = all(len(used.counters) == most[one.driver, one.pool, used.counter_set] for used in device.consumes)
        if whole and _reaches(one, device, node):
            label = _label(device, one.driver)
            numbers[label] += 1
            taken[label] += (one.driver, one.pool, device.name) in held
    return tuple(DeviceCount(label, number, taken[label]) for label, number in sorted(numbers.items()))


def _reaches(one: ResourceSlice, device: Device, node: Node) -> bool:
    where = device if one.per_device else one
    if where.node_name:
        return where.node_name == node.name
    selector = where.node_selector
    return where.all_nodes or (selector is not None and selector.matches(node.labels, node.name))


def _label(device: Device, driver: str) -> str:
    """What the driver calls the model, a profile of it, or the driver itself."""
    found = {name: device.attributes.get(name) or device.attributes.get(f"{driver}/{name}") for name in _NAMES}
    name = next((str(one.value) for one in found.values() if one is not None), driver)
    profile = device.attributes.get(_PROFILE)
    return f"{name} {profile.value}" if profile is not None else name
