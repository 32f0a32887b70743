"""The devices of nodes that claims may request, as a user counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.kubernetes_version import devices_minor
from kubelint_gpu.kube.dra.device import Consumption, Device, DeviceID
from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.resource_slice import DeviceTaintRule, PoolID, ResourceSlice


_NAMES = ("productName", "model")
_PROFILE = "profile"
_Set = tuple[str, str, str]


class DeviceCount(Value):
    """Devices of a node with the same label, and how many of them claims use at least in part.

    `units` are the devices, each with its parts; `parts` says for each kind of part how many of it one device can hold.
    """

    label: str
    units: tuple[tuple[DeviceID, ...], ...]
    held: int
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def number(self) -> int:
        """Return the number of devices."""
        return len(self.units)


def node_devices(
    cluster: Cluster, version: str | None, nodes: Iterable[Node], held: Collection[DeviceID] = ()
) -> Mapping[str, tuple[DeviceCount, ...]]:
    """Return the devices that nodes can use, by node; claims use those that are `held`.

    Of partitions of a device, which use its counters, only the whole device is counted.
    """
    slices = cluster.resource_slices
    if not slices:
        return {}
    from kubelint_gpu.kube.dra.resource_slice import ALL_FAIL, doubt, newest

    pools = newest(slices)
    doubts = {pool: doubt(slices, devices_minor(version)) for pool, slices in pools.items()}
    idle = frozenset(pool for pool, found in doubts.items() if found is not None and found[1] != ALL_FAIL)
    by_node = grouped((one.node_name, one) for slices in pools.values() for one in slices)
    others = by_node.pop("", [])
    rules = cluster.device_taint_rules if devices_minor(version) >= BETAS_SINCE else None
    return {
        node.name: _counts(node, [*by_node.get(node.name, ()), *others], frozenset(held), idle, rules) for node in nodes
    }


def _counts(
    node: Node,
    slices: list[ResourceSlice],
    held: frozenset[DeviceID],
    idle: frozenset[PoolID],
    rules: Sequence[DeviceTaintRule] | None,
) -> tuple[DeviceCount, ...]:
    """Return the counts of whole devices: for each counter set, those that use the most of it."""
    units: dict[str, list[tuple[DeviceID, ...]]] = {}
    taken: Counter[str] = Counter()
    parts: dict[str, tuple[tuple[str, int], ...]] = {}
    has = {(one.driver, one.pool, found.name): found.counters for one in slices for found in one.counters}
    users: dict[_Set, list[tuple[Device, Consumption]]] = {}
    devices = [(one, device) for one in slices for device in one.devices]
    for one, device in devices:
        for used in device.consumes:
            key = (one.driver, one.pool, used.counter_set)
            users.setdefault(key, []).append((device, used))
    most = {key: max(_share(used, has.get(key, {})) for _, used in found) for key, found in users.items()}
    for one, device in devices:
        keys = [(one.driver, one.pool, used.counter_set) for used in device.consumes]
        shares = [_share(used, has.get(key, {})) for key, used in zip(keys, device.consumes, strict=True)]
        if _reaches(one, device, node) and shares == [most[key] for key in keys]:
            unused = (one.driver, one.pool) in idle
            label = _label(device, one.driver) + (" in an unusable pool" if unused else _tainted(device, one, rules))
            names = [device.name, *(part.name for key in keys for part, _ in users[key])]
            unit = tuple([DeviceID(one.driver, one.pool, name) for name in dict.fromkeys(names)])
            units.setdefault(label, []).append(unit)
            taken[label] += unused or not held.isdisjoint(unit)
            smaller = [found for key in keys for found in users[key] if _share(found[1], has.get(key, {})) < most[key]]
            if smaller and label not in parts:
                parts[label] = _fitting([(_label(part, ""), used) for part, used in smaller], has.get(keys[0], {}))
    return tuple(
        [DeviceCount(label, tuple(of), taken[label], parts.get(label, ())) for label, of in sorted(units.items())]
    )


def _tainted(device: Device, one: ResourceSlice, rules: Sequence[DeviceTaintRule] | None) -> str:
    """Return the taints that keep claims from a device; `rules` is None if the release has no device taints."""
    if rules is None:
        return ""
    taints = [*device.taints, *(rule.taint for rule in rules if rule.covers(one.driver, one.pool, device.name))]
    told = sorted({str(taint) for taint in taints if taint.blocks})
    return f" tainted {' and '.join(told)}" if told else ""


def _share(used: Consumption, counters: Mapping[str, Amount]) -> float:
    """Return the share of a counter set that a device takes, summed up over its counters."""
    return sum([float(amount / counters[name]) for name, amount in used.counters.items() if counters.get(name)])


def _fitting(parts: list[tuple[str, Consumption]], counters: Mapping[str, Amount]) -> tuple[tuple[str, int], ...]:
    """Return how many parts of each kind fit at once if all are of this kind."""
    found: Counter[str] = Counter()
    left: dict[str, dict[str, Amount]] = {}
    for label, used in parts:
        mine = left.setdefault(label, dict(counters))
        fits = all(amount <= mine.get(name, amount) for name, amount in used.counters.items())
        found[label] += fits
        for name, amount in used.counters.items() if fits else ():
            mine[name] = mine.get(name, amount) - amount
    return tuple(found.items())


def _reaches(one: ResourceSlice, device: Device, node: Node) -> bool:
    where = device if one.per_device else one
    if where.node_name:
        return where.node_name == node.name
    selector = where.node_selector
    return where.all_nodes or (selector is not None and selector.matches(node.labels, node.name))


def _label(device: Device, driver: str) -> str:
    """Return the driver's name of the model or profile, or the driver itself; the profile alone without a driver."""
    found = {name: device.attributes.get(name) or device.attributes.get(f"{driver}/{name}") for name in _NAMES}
    name = next((str(one.value) for one in found.values() if one is not None), driver)
    profile = device.attributes.get(_PROFILE)
    if not driver:
        return str(profile.value) if profile is not None else name or "part"
    return f"{name} {profile.value}" if profile is not None else name
