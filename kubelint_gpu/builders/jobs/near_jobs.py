"""Jobs whose pods must be near to each other, or want the same nodes."""

from __future__ import annotations

from kubelint_gpu.analysis.rollout_facts import judgements_in
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
    judged = [judgements_in(unit).get(subject.key) for subject in (one, other)]
    nodes = [found.eligible for found in judged if found is not None]
    return len(nodes) == len(judged) and not nodes[0].isdisjoint(nodes[1])
