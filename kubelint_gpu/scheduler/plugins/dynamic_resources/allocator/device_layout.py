"""Which nodes look the same to some claims: their pools and devices, reduced to what the claims look at."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.kube.dra.device import Attribute, attribute_of
from kubelint_gpu.kube.dra.sight import Sight, seen_by
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import SliceIndex, Slot, View
from kubelint_gpu.values import Value


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
