"""Sorts names of nodes in natural order, and abbreviates lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubelint_gpu.patterns import pattern

_MOST_RUNS = 5
_NUMBERED = pattern(r"(?P<before>.*?)(?P<number>[0-9]{1,9})(?P<after>[^0-9]*)", re.ASCII | re.DOTALL)


def natural(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a sort key by which `gpu-2` comes before `gpu-10`; different names have different keys."""
    parts = re.split(r"([0-9]{1,9})", name)
    return tuple((int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)), name


def abbreviated(names: Iterable[str]) -> tuple[str, ...]:
    """Return names with common beginnings and ends folded: `gpu-[1-3,7]`; of many gaps the middle is left out."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    single: list[str] = []
    for name in names:
        # Of a full host name the first part is the one that counts.
        host, dot, domain = name.partition(".")
        found = _NUMBERED().fullmatch(host)
        if found is None:
            single.append(name)
            continue
        digits = found["number"]
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        groups.setdefault((found["before"], found["after"] + dot + domain, width), []).append(int(digits))
    folded = [_folded(*key, sorted(numbers)) for key, numbers in groups.items()]
    return tuple(sorted((*folded, *single), key=natural))


def _folded(before: str, after: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{before}{numbers[0]:0{width}d}{after}" if width else f"{before}{numbers[0]}{after}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in runs]
    if len(texts) > _MOST_RUNS:
        texts = [*texts[: _MOST_RUNS - 1], "...", texts[-1]]
    return f"{before}[{','.join(texts)}]{after}"
