"""Consumable capacity: how much of a shared device a request takes, and whether that is left.

Source: consumable_capacity.go of the structured allocator, 0.36.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.dra.device import Capacity
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount, whole

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
