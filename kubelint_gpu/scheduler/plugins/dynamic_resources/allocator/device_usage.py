"""What is already in use: devices, capacity of shared devices, and shared counters, such as parts of a GPU.

Source: consumable_capacity.go and `checkAvailableCounters` of the structured allocator, 0.36.3. The latter identifies
a pool only by its name: of two drivers whose pools have one name, only the counters of the first are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from kubelint_gpu.kube.dra.claim import Allocation
from kubelint_gpu.kube.dra.device import Capacity, Consumption, DeviceID
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount, whole
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import DevicePool, Slot, View
from kubelint_gpu.values import Value


class Holdings(Value):
    """The allocations of all claims.

    Attributes:
        claims: the allocation of each allocated claim, by `namespace/name`.
        exclusive: the devices that one claim has entirely.
        shared: the devices that claims share.
        consumed: the consumed capacity of shared devices.
        pools: driver and name of the pools with allocated devices.
    """

    claims: Mapping[str, Allocation]
    exclusive: frozenset[DeviceID]
    shared: frozenset[DeviceID]
    consumed: Mapping[DeviceID, Mapping[str, Amount]]
    pools: frozenset[tuple[str, str]]

    def is_allocated(self, device: DeviceID) -> bool:
        """Whether any claim has the device or a share of it."""
        return device in self.exclusive or device in self.shared


class Usage(Value):
    """The allocated devices of a view, by their positions.

    Attributes:
        exclusive: whether one claim has the whole device.
        consumed: the consumed capacity of a device; None if it has no shares.
        is_allocated: whether any claim has a device, inside the view or not.
        key: equal for equal usage.
    """

    exclusive: tuple[bool, ...]
    consumed: tuple[Mapping[str, Amount] | None, ...]
    is_allocated: Callable[[DeviceID], bool]
    key: Hashable


def usage_of(view: View, held: Holdings) -> Usage:
    """Return the allocated devices among those that a node reaches."""
    elsewhere = tuple([identity for identity in view.elsewhere if held.is_allocated(identity)])
    if not any((pool.driver, pool.name) in held.pools for pool in view.pools):
        count = len(view.slots)
        return Usage((False,) * count, (None,) * count, held.is_allocated, elsewhere)
    exclusive = tuple([slot.id in held.exclusive for slot in view.slots])
    consumed = tuple([held.consumed.get(slot.id) for slot in view.slots]) if held.consumed else (None,) * len(exclusive)
    shares = [
        (place, frozenset((one or {}).items()))
        for place, (slot, one) in enumerate(zip(view.slots, consumed, strict=True))
        if one is not None or slot.id in held.shared
    ]
    taken = [place for place, one in enumerate(exclusive) if one]
    return Usage(exclusive, consumed, held.is_allocated, (elsewhere, tuple(taken), tuple(shares)))


Amounts = Mapping[str, Amount]


def consumed(asked: Amounts, capacity: Mapping[str, Capacity]) -> FrozenMap[str, Amount]:
    """The amount of each capacity of a device that a request consumes."""
    return FrozenMap({name: _rounded(asked.get(name), found) for name, found in capacity.items()})


def has_left(
    asked: Amounts, capacity: Mapping[str, Capacity], taken: Amounts | None = None, taking: Amounts | None = None
) -> bool:
    """Whether a device has enough left for a request, beside what others `taken` and this allocation is `taking`."""
    if any(name not in capacity for name in asked):
        return False
    taken, taking = taken or EMPTY, taking or EMPTY
    for name, found in capacity.items():
        amount = _rounded(asked.get(name), found)
        if _violates(amount, found) or taken.get(name, 0) + taking.get(name, 0) + amount > found.value:
            return False
    return True


def _rounded(asked: Amount | None, capacity: Capacity) -> Amount:
    if asked is None:
        return capacity.value if capacity.default is None else capacity.default
    if capacity.minimum is not None:
        return _in_range(asked, capacity.minimum, capacity.step)
    return next((valid for valid in capacity.valid if asked <= valid), asked)


def _in_range(asked: Amount, minimum: Amount, step: Amount | None) -> Amount:
    if asked < minimum:
        return minimum
    if not step:
        return asked
    start, width = whole(minimum), whole(step)
    return start + width * -(-(whole(asked) - start) // width)


def _violates(amount: Amount, capacity: Capacity) -> bool:
    if capacity.default is not None and amount == capacity.default:
        return False
    if capacity.ranged:
        if capacity.maximum is not None and amount > capacity.maximum:
            return True
        step = capacity.step
        return bool(step) and (whole(amount) - whole(capacity.minimum or 0)) % whole(step or 1) != 0
    return bool(capacity.valid) and amount not in capacity.valid


_Sets = dict[str, dict[str, Amount]]


class Books:
    """Tracks the remaining counters, and the amounts taken by the current allocation."""

    __slots__ = ("_available", "_is_allocated", "_taking", "_view")

    def __init__(self, view: View, is_allocated: Callable[[DeviceID], bool]) -> None:
        self._view = view
        self._is_allocated = is_allocated
        self._available: dict[str, _Sets] = {}
        self._taking: dict[str, _Sets] = {}

    def take(self, slot: Slot) -> bool:
        """Take a device's counters if enough is left; return whether it is."""
        pool = self._view.pools[slot.pool]
        available = self._available.get(pool.name)
        if available is None:
            available = self._available[pool.name] = self._left(pool)
        taking = self._taking.setdefault(pool.name, {})
        self._change(taking, slot.device.consumes, 1)
        for name, counters in available.items():
            mine = taking.get(name, {})
            if any(amount < mine.get(counter, 0) for counter, amount in counters.items()):
                self._change(taking, slot.device.consumes, -1)
                return False
        return True

    def has_left(self, slot: Slot) -> bool:
        """Whether enough is left for a device."""
        found = self.take(slot)
        if found:
            self.give_back(slot)
        return found

    def give_back(self, slot: Slot) -> None:
        """Undo `take` for a device."""
        self._change(self._taking[self._view.pools[slot.pool].name], slot.device.consumes, -1)

    def _left(self, pool: DevicePool) -> _Sets:
        left = {name: dict(counters) for name, counters in pool.counters.items()}
        for place in pool.slots:
            slot = self._view.slots[place]
            if slot.device.consumes and self._is_allocated(slot.id):
                self._subtract(left, slot.device.consumes)
        for identity, consumes in pool.elsewhere:
            if self._is_allocated(identity):
                self._subtract(left, consumes)
        return left

    @staticmethod
    def _subtract(left: _Sets, consumes: Iterable[Consumption]) -> None:
        for used in consumes:
            counters = left.get(used.counter_set, {})
            for name, amount in used.counters.items():
                if name in counters:
                    counters[name] -= amount

    @staticmethod
    def _change(taking: _Sets, consumes: Iterable[Consumption], sign: int) -> None:
        for used in consumes:
            counters = taking.setdefault(used.counter_set, {})
            for name, amount in used.counters.items():
                counters[name] = counters.get(name, 0) + sign * amount


def takers(view: View, wanted: Collection[DeviceID], is_allocated: Callable[[DeviceID], bool]) -> list[DeviceID]:
    """The allocated devices that use the same counter set as one of the wanted devices."""
    every = [(slot.pool, slot.id, slot.device.consumes) for slot in view.slots]
    every += [(place, *one) for place, pool in enumerate(view.pools) for one in pool.elsewhere]
    sets = {(pool, one.counter_set) for pool, device, consumes in every if device in wanted for one in consumes}
    return [
        device
        for pool, device, consumes in every
        if any((pool, one.counter_set) in sets for one in consumes) and is_allocated(device)
    ]


def parts_of(views: Iterable[View], wanted: Collection[DeviceID], shares: bool) -> Mapping[DeviceID, Hashable] | None:
    """Groups of mutually exclusive devices, by a key for each device; empty if counters suffice for all in `wanted`.

    None if claims may share one of these devices, unless only equal `shares` are taken of it and it uses no counters,
    or if a device uses several counter sets that do not suffice for all.
    """
    enough = True
    found: dict[DeviceID, tuple[str, tuple[str, ...]]] = {}
    for view in views:
        books, counted = Books(view, lambda _: False), any(pool.counters for pool in view.pools)
        slots = [slot for slot in view.slots if slot.id in wanted]
        if any(slot.device.shareable and (slot.device.consumes or not shares) for slot in slots):
            return None
        enough = enough and not (counted and not all(map(books.take, slots)))
        for slot in (one for one in view.slots if one.device.consumes):
            found[slot.id] = view.pools[slot.pool].name, tuple([one.counter_set for one in slot.device.consumes])
    return {} if enough else found if all(len(sets) == 1 for _, sets in found.values()) else None
