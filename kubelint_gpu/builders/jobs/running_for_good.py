"""The workloads that affect a Job: permanent ones, and Jobs that its pods must be near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.room.known_room import taking_nodes
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.engine.api import ApplySet, Related, WorkloadCheck, field_pointers
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wording import workload_name
from kubelint_gpu.simulation.prepare.coupling import companion_workloads
from kubelint_gpu.values import replace


def near_jobs(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The Jobs of the unit that its pods must be near."""
    jobs = [one for one in unit.subjects if one is not subject and one.controller.runs_to_completion]
    return [
        jobs[place] for place in companion_workloads(subject.workload, [one.workload for one in jobs], unit.cluster)
    ]


def share_nodes(unit: ApplySet, one: WorkloadCheck, other: WorkloadCheck) -> bool:
    """Whether pods of both can use the same node."""
    return not taking_nodes(unit, one).isdisjoint(taking_nodes(unit, other))


def running_for_good(
    unit: ApplySet, subjects: Sequence[WorkloadCheck], *, daemons: bool = False
) -> list[WorkloadCheck]:
    """The other workloads that run permanently on nodes for these; of DaemonSets only old ones, or all."""
    fits = [unit.alone(one).fit for one in subjects]
    nodes = frozenset(name for fit in fits if fit is not None for name in fit.fits)
    return [one for one in unit.subjects if one not in subjects and _stays(unit, one, nodes, daemons=daemons)]


def keeping(unit: ApplySet, subject: WorkloadCheck) -> Workload:
    """A workload with the replicas that it never gives up: during a rollout, waiting pods can take its room."""
    workload, now = subject.workload, transitions_in(unit).get(subject.key)
    if now is None or not (now.known and now.existing and now.rolls) or subject.controller.node_bound:
        return workload
    return replace(workload, replicas=subject.controller.keeps(workload.replicas))


def asking_too(others: Sequence[WorkloadCheck], resource: str) -> Iterator[Related]:
    """The places where the first of some workloads ask for a resource."""
    for one in others[:2]:
        for route in field_pointers.requests(one.manifest, resource):
            yield Related(one.manifest.place(route), f"{workload_name(one.workload)} asks for it, too")


def _stays(unit: ApplySet, subject: WorkloadCheck, nodes: frozenset[str], *, daemons: bool) -> bool:
    """Whether a workload runs permanently on some of the nodes."""
    if subject.controller.runs_to_completion or nodes.isdisjoint(taking_nodes(unit, subject)):
        return False
    if subject.controller.node_bound:
        return daemons or not is_made(unit, subject)
    return bool(subject.workload.replicas)


def while_running(others: Sequence[WorkloadCheck]) -> str:
    """Return a clause with the other workloads: one by name, several by number, none as `what runs already`."""
    if not others:
        return "while what runs already stays"
    if len(others) == 1:
        return f"while {workload_name(others[0].workload)} runs"
    return f"while the {len(others)} other workloads that want these nodes run"


MOST_OTHERS = 12
