"""Groups equal nodes into the rows of a table, and counts the devices of nodes that claims may request.

Lists of names are abbreviated in natural order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.contradictions import placed_pods, usage
from kubelint_gpu.inventory.declarations.inventory import UNHEALTHY, UNLIMITED, Inventory
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.inventory.kubernetes_version import devices_minor
from kubelint_gpu.kube.dra.device import Consumption, Device, DeviceID
from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE
from kubelint_gpu.kube.objects.cluster import Cluster, read_cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended, running_requests
from kubelint_gpu.kube.values.quantity import Amount, shown
from kubelint_gpu.patterns import pattern
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


_MOST_RUNS = 5
_NUMBERED = pattern(r"(?P<before>.*?)(?P<number>[0-9]{1,9})(?P<after>[^0-9]*)", re.ASCII | re.DOTALL)


def natural(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a sort key by which `gpu-2` comes before `gpu-10`; different names have different keys."""
    parts = re.split(r"([0-9]{1,9})", name)
    return tuple((int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)), name


def abbreviated(names: Iterable[str]) -> tuple[str, ...]:
    """Return names with common beginnings and ends folded: `gpu-[1-3,7]`; of many gaps the middle is left out."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    single: list[str] = []
    for name in names:
        # Of a full host name the first part is the one that counts.
        host, dot, domain = name.partition(".")
        found = _NUMBERED().fullmatch(host)
        if found is None:
            single.append(name)
            continue
        digits = found["number"]
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        groups.setdefault((found["before"], found["after"] + dot + domain, width), []).append(int(digits))
    folded = [_folded(*key, sorted(numbers)) for key, numbers in groups.items()]
    return tuple(sorted((*folded, *single), key=natural))


def _folded(before: str, after: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{before}{numbers[0]:0{width}d}{after}" if width else f"{before}{numbers[0]}{after}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in runs]
    if len(texts) > _MOST_RUNS:
        texts = [*texts[: _MOST_RUNS - 1], "...", texts[-1]]
    return f"{before}[{','.join(texts)}]{after}"


# Labels that name the node itself, or the moment it was looked at.
_OWN_LABELS = ("kubernetes.io/hostname", "nvidia.com/gfd.timestamp")
# Domains whose labels tell places apart: with one node in each zone they are unique and matter all the same.
_PLACES = ("topology.", "failure-domain.", "nvidia.com/", "node-role.kubernetes.io/")
_FEW = 4
_KINDS = ("ResourceSlice", "ResourceClaim", "DeviceTaintRule")


class Tenant(Value):
    """The pods of one owner on the nodes of a row; `requests` are their total, in the scheduler's units."""

    name: str
    pods: int
    requests: Mapping[str, int]

    @property
    def accelerators(self) -> int:
        """Return how many GPUs, or parts of GPUs, they hold."""
        return sum(amount for resource, amount in self.requests.items() if is_accelerator(resource))


class NodeRow(Value):
    """Nodes with equal labels (their own names aside), taints and allocatable.

    `allocatable` is for one node and `free` for all of them, in the scheduler's units. `unlimited` are resources
    without a declared amount. `devices` are the devices of one node that claims may request, `held` how many of each
    the claims use on all nodes, `parts` how one of each can be divided.
    """

    nodes: tuple[str, ...]
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    unschedulable: bool
    unhealthy: str
    allocatable: Mapping[str, int]
    unlimited: frozenset[str]
    free: Mapping[str, int]
    tenants: tuple[Tenant, ...]
    devices: tuple[tuple[str, int], ...] = ()
    held: tuple[int, ...] = ()
    parts: tuple[tuple[tuple[str, int], ...], ...] = ()

    @property
    def device_total(self) -> int:
        """Return the number of devices on all nodes of the row."""
        return sum(number for _, number in self.devices) * len(self.nodes)

    @property
    def accelerators(self) -> tuple[str, ...]:
        """Return the accelerator resources of which a node has at least one."""
        return tuple(name for name, amount in sorted(self.allocatable.items()) if amount and is_accelerator(name))

    @property
    def others(self) -> tuple[str, ...]:
        """Return the other extended resources of one node."""
        known = self.accelerators
        return tuple(
            name
            for name, amount in sorted(self.allocatable.items())
            if amount and is_extended(name) and name not in known
        )

    def total(self, resource: str) -> int:
        """Return the amount of a resource on all nodes of the row."""
        return self.allocatable.get(resource, 0) * len(self.nodes)


def node_classes(inventory: Inventory) -> tuple[NodeRow, ...]:
    """Return the rows of the inventory's nodes, those with the most GPUs first, then by name."""
    nodes = [declared.typed for declared in inventory.objects if isinstance(declared.typed, Node)]
    ignored = _unique_labels(nodes)
    groups: dict[Any, list[Node]] = {}
    devices = _devices(inventory, nodes)
    for node in nodes:
        labels = frozenset((key, value) for key, value in node.labels.items() if key not in ignored)
        unhealthy = node.meta.annotations.get(UNHEALTHY, "")
        unlimited = node.meta.annotations.get(UNLIMITED, "")
        has = tuple((one.label, one.number, one.parts) for one in devices.get(node.name, ()))
        key = (labels, frozenset(node.taints), node.unschedulable, unhealthy, node.allocatable, unlimited, has)
        groups.setdefault(key, []).append(node)
    pods = [pod for _, pod in placed_pods(inventory)]
    used = usage(pods)
    here = grouped((pod.spec.node_name, pod) for pod in pods)
    classes = [_class(members, ignored, used, here, devices) for members in groups.values()]
    return tuple(sorted(classes, key=_order))


def _devices(inventory: Inventory, nodes: Iterable[Node]) -> Mapping[str, tuple[DeviceCount, ...]]:
    """Return the devices of nodes, and how many of them claims use."""
    if next(inventory.of_kind("ResourceSlice"), None) is None:
        return {}
    cluster = read_cluster([one.value for kind in _KINDS for one in inventory.of_kind(kind)])
    allocations = [one.allocation for one in cluster.resource_claims if one.allocation is not None]
    held = [device.id for one in allocations for device in one.devices if not device.admin]
    return node_devices(cluster, inventory.kubernetes_version, nodes, held)


def _order(found: NodeRow) -> tuple[Any, ...]:
    gpus = sum(found.allocatable[name] for name in found.accelerators) or sum(number for _, number in found.devices)
    return (-gpus, natural(found.nodes[0]))


def _class(
    members: list[Node],
    ignored: frozenset[str],
    used: dict[str, dict[str, int]],
    here: dict[str, list[Pod]],
    devices: Mapping[str, tuple[DeviceCount, ...]],
) -> NodeRow:
    first = members[0]
    free = {
        resource: sum(max(0, amount - used.get(node.name, {}).get(resource, 0)) for node in members)
        for resource, amount in first.allocatable.items()
    }
    return NodeRow(
        nodes=tuple(sorted((node.name for node in members), key=natural)),
        labels={key: value for key, value in sorted(first.labels.items()) if key not in ignored},
        taints=tuple(map(str, sorted(first.taints, key=lambda taint: (taint.key, taint.value, taint.effect)))),
        unschedulable=first.unschedulable,
        unhealthy=first.meta.annotations.get(UNHEALTHY, ""),
        allocatable=first.allocatable,
        unlimited=frozenset(filter(None, first.meta.annotations.get(UNLIMITED, "").split(","))),
        free=free,
        tenants=_tenants(pod for node in members for pod in here.get(node.name, ())),
        devices=tuple((one.label, one.number) for one in devices.get(first.name, ())),
        parts=tuple(one.parts for one in devices.get(first.name, ())),
        held=tuple(
            sum(one.held for one in same)
            for same in zip(*[devices.get(node.name, ()) for node in members], strict=True)
        ),
    )


def _tenants(pods: Iterable[Pod]) -> tuple[Tenant, ...]:
    counts: Counter[str] = Counter()
    requests: dict[str, Counter[str]] = {}
    for pod in pods:
        name = owner_of(pod)
        counts[name] += 1
        requests.setdefault(name, Counter()).update(running_requests(pod))
    tenants = [Tenant(name, count, dict(requests[name])) for name, count in counts.items()]
    return tuple(sorted(tenants, key=lambda tenant: (-tenant.accelerators, -tenant.pods, tenant.name)))


def owner_of(pod: Pod) -> str:
    """Return the workload of a pod as `namespace/name`; for a ReplicaSet's pod its Deployment."""
    return f"{pod.meta.namespace}/{pod.meta.maker.name}"


def _unique_labels(nodes: list[Node]) -> frozenset[str]:
    # A label that has another value on each node tells no classes apart.
    values: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for node in nodes:
        for key, value in node.labels.items():
            values.setdefault(key, set()).add(value)
            counts[key] += 1
    unique = (key for key, count in counts.items() if count >= _FEW and len(values[key]) == count)
    return frozenset((*_OWN_LABELS, *(key for key in unique if not key.startswith(_PLACES))))


def amount_text(resource: str, amount: int) -> str:
    """Return an amount in the scheduler's units as text: `31.8`, `125Gi`, `8`; rounded down."""
    if resource == "cpu":
        return _tenths(amount * 10 // 1000)
    if resource in ("memory", "ephemeral-storage") and amount >= 2**30:
        unit, size = ("Ti", 2**40) if amount >= 10 * 2**40 else ("Gi", 2**30)
        return _tenths(amount * 10 // size) + unit
    return shown(resource, amount)


def _tenths(tenths: int) -> str:
    return str(tenths // 10) if tenths % 10 == 0 or tenths >= 1000 else f"{tenths // 10}.{tenths % 10}"
