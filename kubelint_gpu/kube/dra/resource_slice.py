"""ResourceSlices: the devices that a driver publishes; DeviceTaintRules, which taint these."""

from __future__ import annotations

from kubelint_gpu.kube.dra.device import Device, read_counters, read_device
from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector, read_node_selector
from kubelint_gpu.values import Value

_INT64 = 2**63 - 1


class CounterSet(Value):
    """Amounts that devices of a pool share."""

    name: str
    counters: FrozenMap[str, Amount] = EMPTY


class ResourceSlice(Value):
    """A part of a pool of devices.

    Attributes:
        name: of the object.
        driver: who publishes it.
        pool: name of the pool.
        generation: of the pool; only slices of the highest one count.
        count: how many slices the pool has in this generation.
        node_name: the only node that reaches the devices; empty where that is told otherwise.
        node_selector: the nodes that reach them.
        all_nodes: all nodes do.
        per_device: each device tells its own nodes.
        devices: in the order in which the allocator tries them.
        counters: what they share.
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
    """A taint for all devices of a driver, of a pool and of a name; None stands for any."""

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
    from kubelint_gpu.kube.dra.device_taints import read_device_taint

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
