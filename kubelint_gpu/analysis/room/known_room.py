"""The room of a workload, even if its rollout is undecided."""

from __future__ import annotations

from contextlib import suppress

from kubelint_gpu.analysis.replica_room import counted_room
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.simulation.prepare.coupling import eligible_nodes
from kubelint_gpu.simulation.search.verdict import Judgement, PodRoom, Verdict
from kubelint_gpu.work import UsedUp
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


def taking_nodes(unit: ApplySet, subject: WorkloadCheck) -> frozenset[str]:
    """The nodes that take its pod when nothing else runs; empty if the workload is not judged."""
    judgement = judgements_in(unit).get(subject.key)
    if judgement is None:
        return frozenset()
    if not _is_open(judgement):
        return judgement.room.eligible
    if subject.key not in _found(unit):
        snapshots = (unit.empty, *(() if unit.grown is None else (unit.grown,)))
        others = [*unit.cluster.pods, *(one.pod for one in unit.subjects)]
        found = (eligible_nodes(subject.pod, snapshot, others) for snapshot in snapshots)
        _found(unit)[subject.key] = frozenset[str]().union(*found)
    return _found(unit)[subject.key]


def room_in(unit: ApplySet, subject: WorkloadCheck) -> Judgement | None:
    """The room of a workload: its judgement, or a count if no work was left for that.

    None if the workload is not judged.
    """
    judgement = judgements_in(unit).get(subject.key)
    if judgement is None or not _is_open(judgement) or subject.controller.node_bound:
        return judgement
    if subject.key not in _counted(unit):
        _counted(unit)[subject.key] = _count(unit, subject, judgement)
    return _counted(unit)[subject.key]


def _count(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Judgement:
    nodes = taking_nodes(unit, subject)
    found = None
    with suppress(UsedUp):
        found = counted_room(unit, subject, judgement.room.wanted) if nodes else None
    if found is None or not found.known or found.pods >= judgement.room.wanted:
        return judgement
    return Judgement(
        judgement.workload,
        None,
        by="counted-room",
        room=PodRoom(judgement.room.wanted, found.pods, found.pods, found.pods, refusal=found.refusal, eligible=nodes),
    )


def _is_open(judgement: Judgement) -> bool:
    """Whether no work was left to judge a workload; unknown devices do not count."""
    return judgement.verdict is Verdict.UNDECIDED and not judgement.room.eligible and not judgement.unknown


@once
def _found(_unit: ApplySet) -> dict[WorkloadKey, frozenset[str]]:
    """The nodes that were found so far; a cache."""
    return {}


@once
def _counted(_unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """The workloads that were counted so far; a cache."""
    return {}
