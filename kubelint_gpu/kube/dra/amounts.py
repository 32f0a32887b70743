"""Exact amounts of devices: their capacities and counters."""

from __future__ import annotations

from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount, parse_quantity

_LARGEST = 2**63 - 1


def whole(amount: Amount) -> int:
    """An amount rounded up to an int64, as `Quantity.Value` of apimachinery does it."""
    rounded = -(-amount // 1)
    return max(-_LARGEST - 1, min(rounded, _LARGEST))


def read_amounts(fields: Fields | None) -> FrozenMap[str, Amount]:
    """All quantities of a mapping."""
    if fields is None or not fields.value:
        return EMPTY
    found = {str(key): fields.amount(key, parse_quantity) for key in fields.value}
    return FrozenMap({key: amount for key, amount in found.items() if amount is not None})
