"""The pools of devices that a node reaches, as the allocator sees them, and which nodes look the same to some claims.

Source: `GatherPools` of the structured allocator, 0.34.1 to 0.36.3.
Before 1.36, Go walks pools, and the slices of a pool, in random order: a view has them by name, and `orders` gives the
other orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice, permutations, product
from typing import Any

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.device import Attribute, Consumption, Device, DeviceID, attribute_of
from kubelint_gpu.kube.dra.resource_slice import DeviceTaintRule, PoolID, ResourceSlice, invalid_because
from kubelint_gpu.kube.dra.sight import Sight, Subject, seen_by, subject_of
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import Features
from kubelint_gpu.values import Value, replace


class Slot(Value):
    """A device as a node reaches it.

    Attributes:
        id: its identifier.
        device: the driver's description of it.
        pool: the position of its pool.
        subject: its values in CEL expressions.
        reached: whether the node reaches it; False only for slices with `perDeviceNodeSelection`.
        origin: its slice.
    """

    id: DeviceID
    device: Device
    pool: int
    subject: Subject
    reached: bool
    origin: ResourceSlice


class DevicePool(Value):
    """A pool of a node.

    Attributes:
        driver: the driver that publishes it.
        name: the pool's name.
        slots: the positions of its devices, in the order in which they are tried.
        incomplete: slices are missing.
        invalid: why it cannot be used; empty if it can.
        disputed: its slices disagree on their number, so their order decides whether the pool is incomplete.
        counters: its shared counters, by counter set.
        elsewhere: devices that the node does not reach but that use its counters.
    """

    driver: str
    name: str
    slots: range
    incomplete: bool = False
    invalid: str = ""
    disputed: bool = False
    counters: Mapping[str, Mapping[str, Amount]] = EMPTY
    elsewhere: tuple[tuple[DeviceID, tuple[Consumption, ...]], ...] = ()

    @property
    def key(self) -> str:
        """`driver/name`."""
        return f"{self.driver}/{self.name}"


class View(Value):
    """All devices that a node reaches, in the order in which the allocator tries them.

    `elsewhere` are the devices that it does not reach but that use its pools' counters.
    """

    pools: tuple[DevicePool, ...]
    slots: tuple[Slot, ...]
    elsewhere: tuple[DeviceID, ...] = ()


class SliceIndex:
    """The slices of a cluster by node and by pool, and their cached `layouts`."""

    __slots__ = ("_by_pool", "_features", "_numbers", "_on_node", "_shared", "_views", "layouts")

    def __init__(self, slices: Iterable[ResourceSlice], rules: Sequence[DeviceTaintRule], features: Features) -> None:
        self._features = features
        self._views: dict[str, tuple[Node, View]] = {}
        self._numbers: dict[Hashable, int] = {}
        self.layouts: dict[Hashable, dict[Any, Any]] = {}
        served = [_served(one, rules, features) for one in slices]
        self._by_pool = grouped(((one.driver, one.pool), one) for one in served)
        self._on_node = grouped(("" if one.counters else one.node_name, one) for one in served)
        self._shared = self._on_node.pop("", [])

    def view(self, node: Node) -> View:
        """The devices that a node reaches, computed once for each name and its labels."""
        name = node.meta.name
        known = self._views.get(name)
        if known is None or (known[0] is not node and known[0].labels != node.labels):
            known = self._views[name] = node, self._seen_from(node)
        return known[1]

    def number(self, value: Hashable) -> int:
        """A number for a value; equal values have equal numbers."""
        return self._numbers.setdefault(value, len(self._numbers))

    def _seen_from(self, node: Node) -> View:
        pools: dict[PoolID, list[ResourceSlice]] = {}
        for one in (*self._on_node.get(node.name, ()), *self._shared):
            if _is_relevant(one, node):
                _add(pools.setdefault((one.driver, one.pool), []), one)
        built = [self._built(key, slices, node) for key, slices in sorted(pools.items())]
        found = _reached([one for one in built if one is not None])
        found.sort(key=lambda one: any(slot.device.binding_conditions for slot in one[1]))
        return _numbered(found)

    def _built(self, key: PoolID, slices: list[ResourceSlice], node: Node) -> tuple[DevicePool, list[Slot]] | None:
        driver, name = key
        counts = {one.count for one in slices}
        every = slices
        if counts != {len(slices)} and not self._features.old_pools:
            generation = slices[0].generation
            whole = self._by_pool[key]
            if any(one.generation > generation for one in whole):
                return None  # a newer generation is on its way and has nothing for this node yet
            every = [one for one in whole if one.generation == generation]
        complete = {count in (len(slices), len(every)) for count in counts}
        incomplete, empty = True not in complete, range(0)
        if len(complete) > 1:
            return DevicePool(driver, name, empty, incomplete=True, disputed=True), []
        if incomplete and not self._features.old_pools:
            return DevicePool(driver, name, empty, incomplete=True), []
        slices = sorted(slices, key=lambda one: one.name)
        with_devices = [one for one in slices if not one.counters]
        sets = {found.name: found.counters for one in slices for found in one.counters}
        names = {one.name for one in slices}
        away = [one for one in every if one.name not in names]
        invalid = invalid_because(slices, away)
        if invalid:
            return DevicePool(driver, name, empty, incomplete, invalid), []
        elsewhere = tuple(
            (DeviceID(driver, name, device.name), device.consumes)
            for one in away
            for device in one.devices
            if device.consumes
        )
        slots = [
            Slot(
                DeviceID(driver, name, device.name),
                device,
                0,
                subject_of(device, driver),
                not one.per_device or _matches(node, device.node_name, device.all_nodes, device.node_selector),
                one,
            )
            for one in with_devices
            for device in one.devices
        ]
        return DevicePool(driver, name, empty, incomplete, counters=sets, elsewhere=elsewhere), slots


slice_index = lru_cache(maxsize=8)(SliceIndex)
"""The index of some slices: one for all clusters that have the same."""


def _reached(found: Sequence[tuple[DevicePool, list[Slot]]]) -> list[tuple[DevicePool, list[Slot]]]:
    """The pools without those that only have counters on the node, unless another pool has the same name."""
    names = Counter(pool.name for pool, _ in found)
    return [(pool, slots) for pool, slots in found if slots or pool.incomplete or pool.invalid or names[pool.name] > 1]


def _served(one: ResourceSlice, rules: Sequence[DeviceTaintRule], features: Features) -> ResourceSlice:
    """A slice with the fields that a release knows, and with the taints of DeviceTaintRules."""
    if not features.betas:
        devices = tuple([Device(it.name, it.attributes, it.capacity, undeclared=it.undeclared) for it in one.devices])
        return replace(one, devices=devices, counters=(), per_device=False)

    def tainted(device: Device) -> Device:
        added = [rule.taint for rule in rules if rule.covers(one.driver, one.pool, device.name)]
        return replace(device, taints=(*device.taints, *added)) if added else device

    return replace(one, devices=tuple(map(tainted, one.devices))) if rules else one


def _is_relevant(one: ResourceSlice, node: Node) -> bool:
    if one.counters:
        return True
    if one.node_name or one.all_nodes or one.node_selector is not None:
        return _matches(node, one.node_name, one.all_nodes, one.node_selector)
    return one.per_device and any(
        _matches(node, device.node_name, device.all_nodes, device.node_selector) for device in one.devices
    )


def _matches(node: Node, name: str, everywhere: bool, selector: NodeSelector | None) -> bool:
    if name:
        return node.name == name
    return everywhere or (selector is not None and selector.matches(node.labels, node.name))


def _add(slices: list[ResourceSlice], one: ResourceSlice) -> None:
    """Add a slice unless a newer generation is there; it replaces older ones."""
    if slices and one.generation < slices[0].generation:
        return
    if slices and one.generation > slices[0].generation:
        slices.clear()
    slices.append(one)


def _numbered(found: Sequence[tuple[DevicePool, list[Slot]]]) -> View:
    pools: list[DevicePool] = []
    slots: list[Slot] = []
    for pool, members in found:
        start = len(slots)
        slots += [replace(slot, pool=len(pools)) for slot in members]
        pools.append(replace(pool, slots=range(start, len(slots))))
    elsewhere = tuple(identity for pool in pools for identity, _ in pool.elsewhere)
    return View(tuple(pools), tuple(slots), elsewhere)


def orders(view: View, most: int) -> Iterator[View]:
    """Yield the view with its pools and the slices of each in different orders, the given one first, at most `most`."""
    ways = []
    for pool in view.pools:
        members = view.slots[pool.slots.start : pool.slots.stop]
        slices = [tuple(one) for _, one in groupby(members, key=lambda slot: slot.origin.name)]
        # the product of some lists begins with no more than the beginning of each
        ways.append([(pool, [slot for one in order for slot in one]) for order in islice(permutations(slices), most)])
    every = (found for chosen in product(*ways) for found in permutations(chosen))
    return map(_numbered, islice(every, most))


def ahead(view: View, place: int) -> View:
    """The view with the slice of a device first, and the pool of this device first."""
    chosen = view.slots[place]
    pools = sorted(enumerate(view.pools), key=lambda one: one[0] != chosen.pool)
    members = [(pool, view.slots[pool.slots.start : pool.slots.stop]) for _, pool in pools]
    return _numbered([(pool, sorted(one, key=lambda slot: slot.origin is not chosen.origin)) for pool, one in members])


class Interest(Value):
    """What some claims look at.

    Attributes:
        sight: the parts of devices that their selectors name.
        compared: the attributes that their constraints compare; only the equality of their values matters.
        amounts: whether they ask for capacities of devices.
    """

    sight: Sight
    compared: frozenset[str]
    amounts: bool = False


class Layout(Value):
    """A view as some claims see it.

    Attributes:
        number: equal for views that offer the same devices, position by position.
        likeness: a number for each device; devices with equal numbers are interchangeable.
    """

    number: int
    likeness: tuple[int, ...]


def layout_of(view: View, interest: Interest, slices: SliceIndex) -> Layout:
    """The layout of a view for claims with some interest."""
    numbers: dict[Hashable, int] = {}
    values: dict[tuple[str, Attribute], int] = {}
    known = slices.layouts.setdefault((interest.sight, interest.amounts), {})
    looks = []
    for slot in view.slots:
        key = (slot.device, slot.id.driver, slot.reached)
        look = known.get(key)
        if look is None:
            look = known[key] = slices.number(_look(slot, interest))
        looks.append((look, _compared(slot, interest.compared, values)))
    names: dict[str, int] = {}
    pools = tuple(
        (
            pool.driver,
            len(pool.slots),
            pool.incomplete,
            bool(pool.invalid),
            pool.disputed,
            tuple(sorted((name, counters) for name, counters in pool.counters.items())) if pool.counters else (),
            names.setdefault(pool.name, len(names)) if pool.counters else -1,
            pool.name if pool.elsewhere else "",
        )
        for pool in view.pools
    )
    likeness = tuple(
        [numbers.setdefault((look, slot.pool), len(numbers)) for look, slot in zip(looks, view.slots, strict=True)]
    )
    return Layout(slices.number((pools, tuple(looks))), likeness)


def _look(slot: Slot, interest: Interest) -> Hashable:
    device, subject = slot.device, slot.subject
    counted = interest.amounts or device.shareable or any(one.has_policy for one in device.capacity.values())
    seen = (seen_by(subject, interest.sight), device.capacity if counted else None)
    return (*seen, device.undeclared, subject.broken, device.taints, device.consumes, slot.reached)


def _compared(slot: Slot, names: frozenset[str], values: dict[tuple[str, Attribute], int]) -> Hashable:
    """The attributes that constraints compare, each as its kind and the number of its value in the view."""
    found = []
    for name in names:
        attribute = attribute_of(slot.device, slot.id.driver, name)
        if attribute is None:
            continue
        found.append((name, attribute.kind, values.setdefault((name, attribute), len(values))))
    return frozenset(found)
