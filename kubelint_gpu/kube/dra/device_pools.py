"""Pools of devices as their slices make them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def unusable(slices: Sequence[ResourceSlice]) -> str:
    """Why the scheduler takes no devices of a pool with these slices, as a clause; empty where it may."""
    counts = sorted({one.count for one in slices})
    if counts != [len(slices)]:
        wanted = " or ".join(map(str, counts))
        return f"{len(slices)} of {wanted} slices of its newest generation, {slices[0].generation}, are declared"
    names = [device.name for one in slices for device in one.devices]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), "") if _repeats(names) else ""
    if twice:
        return f"device {twice} is there twice"
    sets = {found.name: found.counters for one in slices for found in one.counters}
    for used in (used for one in slices for device in one.devices for used in device.consumes):
        missing = [name for name in used.counters if name not in sets.get(used.counter_set, {})]
        if used.counter_set not in sets:
            return f"there is no counter set {used.counter_set}"
        if missing:
            return f"counter set {used.counter_set} has no counter {missing[0]}"
    return ""


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)
