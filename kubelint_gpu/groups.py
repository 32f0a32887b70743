"""Groups values by key."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key; keys are in the order of their first value."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def summed(pairs: Iterable[tuple[K, int]]) -> dict[K, int]:
    """Return the sum of the numbers of each key."""
    found: dict[K, int] = {}
    for key, number in pairs:
        found[key] = found.get(key, 0) + number
    return found


@lru_cache(maxsize=64)
def in_order(names: frozenset[str]) -> tuple[str, ...]:
    """Return the names, sorted; cached, because many workloads may use the same nodes."""
    return tuple(sorted(names))
