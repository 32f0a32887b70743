"""Quantities as text: what an API object carries, and exact differences."""

from __future__ import annotations

from kubelint_gpu.kube.values.quantity import parse_quantity, shown

_FRACTIONS = (("m", 10**3), ("u", 10**6), ("n", 10**9))


def text(amount: str | float) -> str:
    """A quantity as the string an API object carries; numbers are written as they were read."""
    return amount if isinstance(amount, str) else str(amount)


def difference(resource: str, whole: str | float, part: str | float) -> str | None:
    """`whole` less `part`, exactly, or None where that is below zero.

    Raises:
        QuantityError: one of them is no quantity.
    """
    left = parse_quantity(whole) - parse_quantity(part)
    if left < 0:
        return None
    if left.denominator == 1:
        return shown(resource, int(left) * (1000 if resource == "cpu" else 1))
    for suffix, parts in _FRACTIONS:
        if (left * parts).denominator == 1:
            return f"{int(left * parts)}{suffix}"
    # Finer than the API's resolution of a billionth.
    return f"{int(left * 10**9)}n"
