"""The owners of devices: one letter and one colour for each owner, the same on the whole page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.findings.picture import Holding, Row

HUES = 8


class Owners:
    """Assigns letters to owners in the order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, owner: str) -> int:
        """Return the owner's number, from 0."""
        return self._numbers.setdefault(owner, len(self._numbers))

    def letter(self, owner: str) -> str:
        """Return `A` to `Z`, then `A1` and so on."""
        number = self.number(owner)
        return chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "")

    def hue(self, owner: str) -> int:
        """Return the number of the owner's colour; if the colours run out, owners share them and differ by letter."""
        return self.number(owner) % HUES

    @property
    def known(self) -> tuple[str, ...]:
        """Return the owners by number."""
        return tuple(self._numbers)


def cells(
    row: Row, place: int, holdings: Sequence[Holding], before: list[tuple[str, str] | None]
) -> list[tuple[str, str] | None]:
    """Return the holder of each device in a node's row: known for devices of claims, else assumed."""
    if not row.units:
        amounts: dict[tuple[str, str], int] = {}
        for one in holdings:
            amounts[one.owner, one.age] = amounts.get((one.owner, one.age), 0) + one.amounts[place]
        return places(amounts, before)
    found: list[tuple[str, str] | None] = [None] * len(row.units)
    for one in reversed(holdings):
        for at in row.positions(one.things[place]):
            found[at] = one.owner, one.age
    return found


def places(amounts: dict[tuple[str, str], int], before: list[tuple[str, str] | None]) -> list[tuple[str, str] | None]:
    """Return the holder of each device: a holder keeps its device, newcomers take the first free ones.

    The kubelet chooses the device of a pod; that the pod keeps it is certain.
    """
    left = Counter(amounts)
    found: list[tuple[str, str] | None] = []
    for holder in before:
        keeps = holder is not None and left[holder] > 0
        if keeps and holder is not None:
            left[holder] -= 1
        found.append(holder if keeps else None)
    free = (at for at, holder in enumerate(found) if holder is None)
    for holder, count in amounts.items():
        for _ in range(min(count, left[holder])):
            at = next(free, None)
            if at is not None:
                found[at] = holder
    return found
