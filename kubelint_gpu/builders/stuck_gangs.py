"""Jobs and custom resources like them that hold a part of what they need, and never get the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import cluster_beyond
from kubelint_gpu.analysis.coupled import bound_to
from kubelint_gpu.analysis.gang_members import Team, custom_teams, team_of, waits_for_all
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.job_quota import refusal_beside
from kubelint_gpu.builders.overlapping_runs import OverlappingRuns, overlapping_runs
from kubelint_gpu.builders.short_custom_gangs import ShortCustomGang, short_custom_gang
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, running_for_good, staying_beside
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.collective import is_started_whole
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.coupling import companion_workloads
from kubelint_gpu.simulation.questions.gang import Gang, gang
from kubelint_gpu.simulation.questions.starved_jobs import may_evict, running_at_once
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import WAITS
from kubelint_gpu.values import dataclass, replace
from kubelint_gpu.workspace.answers import once

_UNSEEN = "not every placement of what runs beside it was looked at"


@dataclass(frozen=True, slots=True, eq=False)
class ShortJob:
    """A Job of which some pods run, and never all at once.

    Attributes:
        beside: the workloads that stay.
        least, most: how many of its pods run at once.
        refusal: how a quota refuses the next one, where nodes have room for it.
    """

    subject: WorkloadCheck
    beside: tuple[WorkloadCheck, ...]
    least: int
    most: int
    certain: bool
    refusal: QuotaRefusal | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset((self.subject.workload.key,))


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


@dataclass(frozen=True, slots=True, eq=False)
class UndecidedGang:
    """A Job of which something is open."""

    subject: WorkloadCheck
    question: str
    reason: str
    keys: frozenset[str] = frozenset()


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
    short = {subject.workload.key: found for subject in whole for found in _short(unit, subject)}
    for subject in asked:
        if subject not in whole:
            # whether what starts it whole would start it at all, nobody knows
            queued = [one for one in _short(unit, subject) if isinstance(one, ShortJob)]
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
    for subject in [one for one in jobs if any(near not in jobs for near in _passing(unit, one))]:
        jobs.remove(subject)
        if any(_share_nodes(unit, subject, other) for other in jobs):
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
        yield UndecidedGang(jobs[0], question, _UNSEEN)
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


def _short(unit: ApplySet, subject: WorkloadCheck) -> Iterator[ShortJob | UndecidedGang]:
    """Some of its pods run, and never all at once."""
    workload = subject.workload
    judgement = judgements_in(unit).get(subject.key)
    if judgement is None:
        return
    cluster = fully_grown(without_leaving(unit, unit.cluster), unit.growth, workload.replicas)
    bound = bound_to(unit, subject)
    if _passing(unit, subject):
        # what it must be near to may be anywhere when it starts: there is no more room than that leaves
        workload = replace(workload, spec=replace(workload.spec, pod_affinity=()))
    others = [*bound, *(one for one in running_for_good(unit, judgement.eligible) if one not in bound)]
    found = None
    for beside in (bound, others) if len(bound) < len(others) <= MOST_OTHERS else (bound,):
        found = running_at_once(workload, [one.workload for one in beside], cluster)
        if found is not None and found[0] < workload.replicas:
            refusal = _refusal(unit, subject, beside, found[1])
            certain = refusal is not None or unit.is_closed_to(subject) or _stays_short(unit, workload, beside, found)
            if found[0] and (certain or not unit.may_outgrow(subject)):
                yield ShortJob(subject, tuple(beside), *found, certain, refusal)
            return
    if found is None and bound:
        evicts = may_evict(workload, [one.workload for one in others], unit.cluster.pods)
        yield UndecidedGang(
            subject,
            "all its pods run at once",
            "it may evict some of those that its pods must be near to or apart from" if evicts else _UNSEEN,
        )


def _refusal(unit: ApplySet, subject: WorkloadCheck, beside: Sequence[WorkloadCheck], made: int) -> QuotaRefusal | None:
    """How a quota refuses one more of its pods than are `made`, beside those of others."""
    mine = replace(subject.workload, replicas=made)
    return refusal_beside(unit, subject, [*(one.workload for one in beside), mine])


def _passing(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The Jobs of the unit near to whose pods its own must be."""
    jobs = [one for one in unit.subjects if one is not subject and one.controller.runs_to_completion]
    return [
        jobs[place] for place in companion_workloads(subject.workload, [one.workload for one in jobs], unit.cluster)
    ]


def _share_nodes(unit: ApplySet, one: WorkloadCheck, other: WorkloadCheck) -> bool:
    judged = [judgements_in(unit).get(subject.key) for subject in (one, other)]
    nodes = [found.eligible for found in judged if found is not None]
    return len(nodes) == len(judged) and not nodes[0].isdisjoint(nodes[1])


def _stays_short(unit: ApplySet, workload: Workload, beside: Sequence[WorkloadCheck], found: tuple[int, int]) -> bool:
    """Whether as few pods of it run whatever nodes there are beyond the inventory."""
    others = [one.workload for one in beside]
    further = cluster_beyond(unit)
    return further.known and running_at_once(workload, others, without_leaving(unit, further.cluster)) == found
