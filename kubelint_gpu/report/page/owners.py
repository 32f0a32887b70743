"""Who holds something: one letter and one colour for each owner, the same all over the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.findings.picture import Holding, Row

HUES = 8


class Owners:
    """Gives out letters in the order in which owners are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, owner: str) -> int:
        """The owner's number, from 0."""
        return self._numbers.setdefault(owner, len(self._numbers))

    def letter(self, owner: str) -> str:
        """`A` to `Z`, then `A1` and so on."""
        number = self.number(owner)
        return chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "")

    def hue(self, owner: str) -> int:
        """Which of the colours; more owners than colours share them, and differ by letter."""
        return self.number(owner) % HUES

    @property
    def known(self) -> tuple[str, ...]:
        """The owners by number."""
        return tuple(self._numbers)


def cells(
    row: Row, place: int, holdings: Sequence[Holding], before: list[tuple[str, str] | None]
) -> list[tuple[str, str] | None]:
    """Who holds which of a node's devices of a row; of those that claims have it is known, of others it is taken so."""
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
    """Which holder has which device: whoever had one keeps it, newcomers take the first that are free.

    Which device a pod gets is the kubelet's choice; that it keeps it is certain.
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
