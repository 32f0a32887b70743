"""Pools that an autoscaler may enlarge, for findings that depend on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.replica_room import room_for
from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.inventory.declarations.inventory import Pool
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import place_of
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def growing(unit: ApplySet, subject: WorkloadCheck) -> tuple[Related, ...]:
    """A line for each pool that may still grow for a workload's pod."""
    return tuple(_places(unit.growing_for(subject)))


def at_most(unit: ApplySet, subject: WorkloadCheck) -> str:
    """`pool l4 at its maximum of 3 nodes`; empty where no pool may grow for the pod."""
    pools = unit.growing_for(subject)
    told = [f"pool {pool.name} at its maximum of {counted(_maximum(pool), 'node')}" for pool in pools]
    return listed(told)


def placed_of(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> int:
    """Return how many of a workload's pods run at once after pools have grown to their limits.

    If it lacks room even alone, that number is returned, not the room that others leave.
    """
    lacks = judgement.room.alone < judgement.room.wanted
    if judgement.room.is_short and unit.growing_for(subject) and not judgement.runs.grows:
        return max(judgement.room.placed, room_for(unit, subject, judgement.room.wanted))
    return max(judgement.room.placed, judgement.room.alone) if lacks else judgement.room.placed


def _places(pools: Sequence[Pool]) -> Iterator[Related]:
    for pool in pools:
        told = f"pool {pool.name} may grow from {len(pool.nodes)} to {counted(_maximum(pool), 'node')}"
        more = _maximum(pool) - len(pool.nodes)
        named = (
            f"{pool.name}+1 is such a new node" if more == 1 else f"new nodes are called {pool.name}+1 and so on here"
        )
        yield Related(_place(pool), f"{told}: {named}")


def _place(pool: Pool) -> Place:
    item = pool.template.item
    return place_of(item.document.source.path, item.locate((*pool.template.pointer[:-1], "autoscaling", "max")))


def _maximum(pool: Pool) -> int:
    return pool.autoscaling.maximum if pool.autoscaling is not None else len(pool.nodes)
