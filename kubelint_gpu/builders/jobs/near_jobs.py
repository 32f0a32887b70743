"""Jobs whose pods must be near to each other, or want the same nodes."""

from __future__ import annotations

from kubelint_gpu.analysis.room.known_room import taking_nodes
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.simulation.prepare.coupling import companion_workloads


def near_jobs(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The Jobs of the unit near to whose pods its own must be."""
    jobs = [one for one in unit.subjects if one is not subject and one.controller.runs_to_completion]
    return [
        jobs[place] for place in companion_workloads(subject.workload, [one.workload for one in jobs], unit.cluster)
    ]


def share_nodes(unit: ApplySet, one: WorkloadCheck, other: WorkloadCheck) -> bool:
    """Whether pods of both go to some node."""
    return not taking_nodes(unit, one).isdisjoint(taking_nodes(unit, other))
