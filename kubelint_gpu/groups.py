"""Values by their keys."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, in the order of the first of each."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def summed(pairs: Iterable[tuple[K, int]]) -> dict[K, int]:
    """The sum of the numbers of each key."""
    found: dict[K, int] = {}
    for key, number in pairs:
        found[key] = found.get(key, 0) + number
    return found


@lru_cache(maxsize=64)
def in_order(names: frozenset[str]) -> tuple[str, ...]:
    """Some names, sorted: many workloads may go to the same nodes."""
    return tuple(sorted(names))
