"""Jobs and custom resources like them that hold a part of what they need, and never get the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import cluster_beyond
from kubelint_gpu.analysis.coupled import bound_to
from kubelint_gpu.analysis.gang_members import Team, custom_teams, team_of, waits_for_all
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.overlapping_runs import OverlappingRuns, overlapping_runs
from kubelint_gpu.builders.short_custom_gangs import ShortCustomGang, short_custom_gang
from kubelint_gpu.builders.short_jobs import UNSEEN, ShortJob, UndecidedGang, near_jobs, share_nodes, short_jobs
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, staying_beside
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.collective import is_started_whole
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.questions.gang import Gang, gang
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import WAITS
from kubelint_gpu.values import dataclass, replace
from kubelint_gpu.workspace.answers import once


@dataclass(frozen=True, slots=True, eq=False)
class GangDeadlock:
    """Jobs and custom resources that each hold what another one needs.

    Attributes:
        stuck: those that hold something.
        beside: the workloads that stay.
    """

    stuck: tuple[Team, ...]
    beside: tuple[WorkloadCheck, ...]
    found: Gang
    certain: bool

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset(one.key for one in self.stuck)


StuckGang = ShortJob | OverlappingRuns | ShortCustomGang | GangDeadlock | UndecidedGang


@once
def stuck_gangs(unit: ApplySet) -> tuple[StuckGang, ...]:
    """What is found of the Jobs and custom resources of a unit that need all their pods at once."""
    return tuple(_stuck_gangs(unit))


def is_repeated(workload: Workload) -> bool:
    """Whether a CronJob starts it again and again."""
    job = job_of(workload)
    return job is not None and job.scheduled


def never_released(unit: ApplySet) -> frozenset[str]:
    """The Jobs whose pods hold something for ever, or until a deadline."""
    return frozenset[str]().union(*(one.keys for one in stuck_gangs(unit)))


def _stuck_gangs(unit: ApplySet) -> Iterator[StuckGang]:
    asked = [one for one in unit.subjects if waits_for_all(unit, one, queued=True)] if unit.has_nodes else []
    whole = [subject for subject in asked if waits_for_all(unit, subject)]
    short = {subject.workload.key: found for subject in whole for found in short_jobs(unit, subject)}
    for subject in asked:
        if subject not in whole:
            # whether what starts it whole would start it at all, nobody knows
            queued = [one for one in short_jobs(unit, subject) if isinstance(one, ShortJob)]
            short |= {one.subject.workload.key: replace(one, certain=False) for one in queued if not one.beside}
    yield from short.values()
    for subject in whole:
        if subject.workload.key not in short:
            yield from overlapping_runs(unit, subject)
    jobs = [one for one in whole if not is_repeated(one.workload) and one.workload.key not in short]
    customs = []
    for team in custom_teams(unit) if unit.has_nodes else ():
        found, as_one = short_custom_gang(unit, team), is_started_whole(team.largest.manifest.item.value)
        if found is None:
            customs += [] if as_one else [team]
        elif not (as_one and found.beside):
            yield replace(found, certain=found.certain and not as_one)
    if len(jobs) + len(customs) >= 2:
        yield from _held(unit, jobs, customs)


def _held(unit: ApplySet, jobs: list[WorkloadCheck], customs: Sequence[Team]) -> Iterator[GangDeadlock | UndecidedGang]:
    """Whether those that could have all their pods hold each other up."""
    question = "it and others hold each other up"
    for subject in [one for one in jobs if any(near not in jobs for near in near_jobs(unit, one))]:
        jobs.remove(subject)
        if any(share_nodes(unit, subject, other) for other in jobs):
            yield UndecidedGang(subject, question, "its pods must be near to those of a Job, which come and go")
    beside = list({one.key: one for subject in jobs for one in bound_to(unit, subject)}.values())
    teams = [*map(team_of, jobs), *customs]
    cluster = without_leaving(unit, unit.cluster)
    found = _together(cluster, teams, beside, unit.budget)
    if found.verdict not in WAITS:
        members = [one for team in teams for one in team.subjects]
        others = [*beside, *(one for one in staying_beside(unit, members) if one not in beside)]
        if len(beside) < len(others) <= MOST_OTHERS:
            crowded = _together(cluster, teams, others, unit.budget)
            if crowded.verdict in WAITS:
                found, beside = crowded, others
    if found.verdict is Verdict.UNDECIDED and beside:
        yield UndecidedGang(jobs[0], question, UNSEEN)
    # a Job that has nothing keeps nothing from others
    held = {one.owner for one in found.held if one.running}
    stuck = tuple(team for team in teams if team.key in held)
    if found.verdict not in WAITS or len(stuck) < 2:
        return
    members = [subject for team in stuck for subject in team.subjects]
    certain = all(unit.is_closed_to(one) for one in members) or _holds_further(unit, teams, beside, found.verdict)
    if certain or not any(unit.may_grow_for(subject) for subject in members):
        yield GangDeadlock(stuck, tuple(beside), found, certain)


def _together(cluster: Cluster, teams: Sequence[Team], beside: Sequence[WorkloadCheck], budget: int) -> Gang:
    return gang([team.workloads for team in teams], cluster, beside=[one.workload for one in beside], budget=budget)


def _holds_further(unit: ApplySet, teams: Sequence[Team], beside: Sequence[WorkloadCheck], verdict: Verdict) -> bool:
    """Whether Jobs hold each other up whatever nodes there are beyond the inventory."""
    if not cluster_beyond(unit).known or any(team.custom is not None for team in teams):
        return False
    cluster = without_leaving(unit, cluster_beyond(unit).cluster)
    return _together(cluster, teams, beside, unit.budget).verdict is verdict
