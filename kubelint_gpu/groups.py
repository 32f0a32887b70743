"""Groups values by key, and numbers by what joins them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class Groups:
    """Disjoint sets of numbers (union-find)."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, number: int) -> int:
        """Return the number that represents the set of this one."""
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Merge the sets of two numbers."""
        roots = sorted((self.root(one), self.root(other)))
        self._parent[roots[1]] = roots[0]

    def among(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        """Return the numbers of each set, in their order, by the number that represents it."""
        return grouped((self.root(number), number) for number in numbers)
