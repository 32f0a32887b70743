"""Exact amounts of devices: their capacities and counters."""

from __future__ import annotations

from fractions import Fraction

from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import parse_quantity

Amount = int | Fraction
"""A quantity in its unit; a whole one is an `int`."""

_LARGEST = 2**63 - 1


def amount_of(value: str | float) -> Amount:
    """The amount that a quantity means.

    Raises:
        QuantityError: the text is not a quantity.
    """
    found = parse_quantity(value)
    return found.numerator if found.denominator == 1 else found


def whole(amount: Amount) -> int:
    """An amount rounded up to an int64, as `Quantity.Value` of apimachinery does it."""
    rounded = -(-amount // 1)
    return max(-_LARGEST - 1, min(rounded, _LARGEST))


def read_amounts(fields: Fields | None) -> FrozenMap[str, Amount]:
    """All quantities of a mapping."""
    if fields is None or not fields.value:
        return EMPTY
    found = {str(key): fields.amount(key, amount_of) for key in fields.value}
    return FrozenMap({key: amount for key, amount in found.items() if amount is not None})
