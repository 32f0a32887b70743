"""Pools of devices as their slices make them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE, OLD_POOLS_UNTIL
from kubelint_gpu.kube.dra.resource_slice import ResourceSlice

PoolID = tuple[str, str]
"""Driver and name of a pool."""


def newest(slices: Iterable[ResourceSlice]) -> dict[PoolID, list[ResourceSlice]]:
    """The slices of the newest generation of each pool: no other ones count."""
    found: dict[PoolID, list[ResourceSlice]] = {}
    for one in slices:
        mine = found.setdefault((one.driver, one.pool), [])
        if mine and one.generation > mine[0].generation:
            mine.clear()
        if not mine or one.generation == mine[0].generation:
            mine.append(one)
    return found


NONE_TAKEN = "the scheduler takes none of its devices"
ALL_FAIL = "claims get its devices, and a claim for all devices lets every attempt fail"
ATTEMPTS_FAIL = "every attempt of the scheduler that comes to it fails"


def doubt(slices: Sequence[ResourceSlice], minor: int) -> tuple[str, str] | None:
    """What is wrong with the slices of a pool, and what becomes of its devices in a minor release; None for nothing."""
    counts = sorted({one.count for one in slices})
    if counts != [len(slices)]:
        wanted, given = " or ".join(map(str, counts)), minor <= OLD_POOLS_UNTIL and len(counts) == 1
        why = f"{len(slices)} of {wanted} slices of its newest generation, {slices[0].generation}, are declared"
        return why, ALL_FAIL if given else NONE_TAKEN
    why = _invalid(slices, counted=minor >= BETAS_SINCE)
    return (why, ATTEMPTS_FAIL if minor <= OLD_POOLS_UNTIL else NONE_TAKEN) if why else None


def _invalid(slices: Sequence[ResourceSlice], *, counted: bool) -> str:
    names = [device.name for one in slices for device in one.devices]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), "") if _repeats(names) else ""
    if twice:
        return f"device {twice} is there twice"
    sets = {found.name: found.counters for one in slices for found in one.counters}
    for used in (used for one in slices for device in one.devices for used in device.consumes if counted):
        missing = [name for name in used.counters if name not in sets.get(used.counter_set, {})]
        if used.counter_set not in sets:
            return f"there is no counter set {used.counter_set}"
        if missing:
            return f"counter set {used.counter_set} has no counter {missing[0]}"
    return ""


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)
