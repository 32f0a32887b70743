"""ResourceSlices of drivers, the pools that they form, and DeviceTaintRules, which taint devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kubelint_gpu.kube.dra.device import Device, read_counters, read_device
from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE, OLD_POOLS_UNTIL, is_flat
from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.taints import Taint, read_device_taint
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector, read_node_selector
from kubelint_gpu.values import Value, replace

_INT64 = 2**63 - 1
PoolID = tuple[str, str]
"""Driver and name of a pool."""
NONE_TAKEN = "the scheduler takes none of its devices"
ALL_FAIL = "claims get its devices, and a claim for all devices lets every attempt fail"
ATTEMPTS_FAIL = "every attempt of the scheduler that comes to it fails"


class CounterSet(Value):
    """A set of counters that devices of a pool share."""

    name: str
    counters: FrozenMap[str, Amount] = EMPTY


class ResourceSlice(Value):
    """A part of a pool of devices.

    Attributes:
        name: the object's name.
        driver: the driver that publishes it.
        pool: the pool's name.
        generation: that of the pool; only slices of the highest one count.
        count: how many slices the pool has in this generation.
        node_name: the only node that reaches the devices; empty if another field applies.
        node_selector: the nodes that reach them.
        all_nodes: all nodes reach them.
        per_device: each device names its own nodes.
        devices: in the order in which the allocator tries them.
        counters: the counters that they share.
    """

    name: str
    driver: str
    pool: str
    generation: int = 0
    count: int = 1
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    per_device: bool = False
    devices: tuple[Device, ...] = ()
    counters: tuple[CounterSet, ...] = ()


@reader
def read_resource_slice(fields: Fields) -> ResourceSlice:
    """A `ResourceSlice` of any version."""
    spec = fields.down("spec")
    pool = spec.down("pool")
    selector = spec.child("nodeSelector")
    basic = is_flat(fields.value)
    return ResourceSlice(
        name=read_meta(fields.down("metadata"), namespaced=False).name,
        driver=spec.text("driver"),
        pool=pool.text("name"),
        generation=pool.integer("generation", 0, 0, _INT64),
        count=pool.integer("resourceSliceCount", 1, 1, _INT64),
        node_name=spec.text("nodeName"),
        node_selector=None if selector is None else read_node_selector(selector),
        all_nodes=spec.boolean("allNodes"),
        per_device=spec.boolean("perDeviceNodeSelection"),
        devices=tuple(read_device(child, basic=basic) for child in spec.children("devices")),
        counters=tuple(
            CounterSet(child.text("name"), read_counters(child.child("counters")))
            for child in spec.children("sharedCounters")
        ),
    )


class DeviceTaintRule(Value):
    """A taint for all devices that match a driver, a pool and a name; None matches any."""

    name: str
    taint: Taint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None

    def covers(self, driver: str, pool: str, device: str) -> bool:
        """Whether the rule taints a device."""
        return self.driver in (None, driver) and self.pool in (None, pool) and self.device in (None, device)


@reader
def read_device_taint_rule(fields: Fields) -> DeviceTaintRule:
    """A `DeviceTaintRule` of any version."""
    spec = fields.down("spec")
    selector = spec.down("deviceSelector")
    driver, pool, device = (selector.text(key) or None for key in ("driver", "pool", "device"))
    return DeviceTaintRule(
        read_meta(fields.down("metadata"), namespaced=False).name,
        read_device_taint(spec.down("taint")),
        driver,
        pool,
        device,
    )


def newest(slices: Iterable[ResourceSlice]) -> dict[PoolID, list[ResourceSlice]]:
    """The slices of the newest generation of each pool; the others do not count."""
    found: dict[PoolID, list[ResourceSlice]] = {}
    for one in slices:
        mine = found.setdefault((one.driver, one.pool), [])
        if mine and one.generation > mine[0].generation:
            mine.clear()
        if not mine or one.generation == mine[0].generation:
            mine.append(one)
    return found


def doubt(slices: Sequence[ResourceSlice], minor: int) -> tuple[str, str] | None:
    """What is wrong with the slices of a pool, and the effect on its devices in a minor release; None if nothing is."""
    counts = sorted({one.count for one in slices})
    if counts != [len(slices)]:
        wanted, given = " or ".join(map(str, counts)), minor <= OLD_POOLS_UNTIL and len(counts) == 1
        why = f"{len(slices)} of {wanted} slices of its newest generation, {slices[0].generation}, are declared"
        return why, ALL_FAIL if given else NONE_TAKEN
    if minor < BETAS_SINCE:
        slices = [replace(one, counters=(), devices=tuple([Device(it.name) for it in one.devices])) for one in slices]
    why = next(filter(None, (invalid_because(*parted) for parted in _by_node(slices))), "")
    return (why, ATTEMPTS_FAIL if minor <= OLD_POOLS_UNTIL else NONE_TAKEN) if why else None


def _by_node(slices: Sequence[ResourceSlice]) -> Iterator[tuple[list[ResourceSlice], list[ResourceSlice]]]:
    """Yield the slices that one node can reach, and the others; slices of two nodes never meet.

    Source: `GatherPools` of the structured allocator, 0.34.1 to 0.36.3; it checks what a node reaches.
    """
    homes = {one.node_name for one in slices if not one.counters}
    for home in sorted(homes - {""}) or [""]:
        found: tuple[list[ResourceSlice], list[ResourceSlice]] = [], []
        for one in slices:
            found[not one.counters and one.node_name not in ("", home)].append(one)
        yield found


def invalid_because(slices: Sequence[ResourceSlice], away: Sequence[ResourceSlice] = ()) -> str:
    """Why a pool of these slices is invalid, in the allocator's words; `away` are slices that the node does not reach.

    Source: `poolIsInvalid` of the structured allocator, 0.34.1 to 0.36.3.
    """
    counters = [found for one in slices for found in one.counters]
    sets = {found.name: found.counters for found in counters}
    return (
        _twice([device.name for one in slices for device in one.devices], "device name")
        or _twice([found.name for found in counters], "counter set name")
        or _unknown_counter(sets, [*slices, *away])
    )


def _twice(names: Sequence[str], what: str) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return f"duplicate {what} {name}"
        seen.add(name)
    return ""


def _unknown_counter(sets: Mapping[str, Mapping[str, Amount]], slices: Iterable[ResourceSlice]) -> str:
    for one in slices:
        for device in one.devices:
            for used in device.consumes:
                if used.counter_set not in sets:
                    return f"counter set {used.counter_set} not found"
                for counter in used.counters:
                    if counter not in sets[used.counter_set]:
                        return f"counter {counter} not found in counter set {used.counter_set}"
    return ""
