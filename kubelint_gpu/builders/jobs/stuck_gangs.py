"""Jobs and similar custom resources that hold a part of what they need, and never get the rest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond, grown_beyond
from kubelint_gpu.analysis.gang_members import Team, custom_teams, has_queues, resumed, team_of, waits_for_all
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.jobs.job_quota import refusal_beside
from kubelint_gpu.builders.jobs.overlapping_runs import OverlappingRuns, overlapping_runs
from kubelint_gpu.builders.jobs.running_for_good import MOST_OTHERS, near_jobs, running_for_good, share_nodes
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.collective import starts_unless_queued
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.questions.jobs_beside import running_at_once, stays_short
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once_each

if TYPE_CHECKING:
    from kubelint_gpu.simulation.questions import gang

UNSEEN = "not every placement of what runs beside it was looked at"


class ShortGang(Value, eq=False):
    """A Job or similar custom resource whose pods run partly but never all at once.

    Attributes:
        beside: the workloads that stay.
        least, most: how many of its pods run at once.
        refusal: how a quota refuses the next pod, if nodes have room for it.
    """

    team: Team
    beside: tuple[WorkloadCheck, ...]
    least: int
    most: int
    certain: bool
    refusal: QuotaRefusal | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Return the workloads whose pods never release their resources."""
        return frozenset((self.team.key,))


class UndecidedGang(Value, eq=False):
    """A Job with an undecided question."""

    team: Team
    question: str
    reason: str
    keys: frozenset[str] = frozenset()


class GangDeadlock(Value, eq=False):
    """Jobs and custom resources that each hold what another one needs.

    Attributes:
        stuck: those that hold something.
        beside: the workloads that stay.
        queued: they name a queue, but nothing shows that a controller admits them by it.
    """

    stuck: tuple[Team, ...]
    beside: tuple[WorkloadCheck, ...]
    found: gang.Gang
    certain: bool
    queued: bool = False

    @property
    def keys(self) -> frozenset[str]:
        """Return the workloads whose pods never release their resources."""
        return frozenset(one.key for one in self.stuck if not self.queued)


StuckGang = ShortGang | OverlappingRuns | GangDeadlock | UndecidedGang


def never_released(unit: ApplySet) -> frozenset[str]:
    """The Jobs whose pods hold something for ever, or until a deadline."""
    return frozenset[str]().union(*(one.keys for one in stuck_gangs(unit)))


@once_each
def stuck_gangs(unit: ApplySet) -> Iterator[StuckGang]:
    """The findings about Jobs and custom resources of a unit that need all their pods at once."""
    if not unit.has_nodes:
        return
    teams = [team_of(one) for one in map(resumed, unit.subjects) if waits_for_all(unit, one, queued=True)]
    able: list[Team] = []
    queued: list[Team] = []
    for team in (*teams, *custom_teams(unit)):
        found = list(short_gangs(unit, team))
        # what starts it whole decides when, and makes no room
        yield from (one for one in found if not team.whole or (isinstance(one, ShortGang) and not one.beside))
        if found:
            continue
        if team.custom is None and not team.whole:
            yield from overlapping_runs(unit, team.largest)
        if not team.whole and not team.repeated:
            able.append(team)
        elif starts_unless_queued(team.largest.manifest.item.value):
            queued.append(team)
    held = list(_held(unit, [*able]))
    yield from held
    if not held and queued and not has_queues(unit):
        every = _held(unit, [*able, *queued])
        yield from (replace(one, queued=True, certain=False) for one in every if isinstance(one, GangDeadlock))


def _held(unit: ApplySet, teams: list[Team]) -> Iterator[GangDeadlock | UndecidedGang]:
    """Yield a deadlock of Jobs that could each have all pods alone, or that the question is undecided."""
    if len(teams) < 2:
        return
    question = "it and others hold each other up"
    for team in _near_others(unit, teams):
        teams.remove(team)
        others = [one for other in teams for one in other.subjects]
        if any(share_nodes(unit, one, other) for one in team.subjects for other in others):
            yield UndecidedGang(team, question, "its pods must be near to those of a Job, which come and go")
    members = [one for team in teams for one in team.subjects]
    found, beside = _beside_others(unit, teams, members)
    if found.verdict is Verdict.UNDECIDED and beside:
        yield UndecidedGang(teams[0], question, UNSEEN)
    # a Job that has nothing keeps nothing from others
    held = {one.owner for one in found.held if one.running}
    stuck = tuple(team for team in teams if team.key in held)
    if not found.waits or len(stuck) < 2:
        return
    members = [subject for team in stuck for subject in team.subjects]
    certain = all(unit.is_closed_to(one) for one in members) or _holds_further(unit, teams, beside, found.verdict)
    if certain or not any(unit.may_grow_for(subject) for subject in members):
        yield GangDeadlock(stuck, tuple(beside), found, certain)


def _beside_others(
    unit: ApplySet, teams: Sequence[Team], members: Sequence[WorkloadCheck]
) -> tuple[gang.Gang, list[WorkloadCheck]]:
    """Return whether teams block each other, beside the workloads bound to them or else beside all that stay."""
    from kubelint_gpu.analysis import coupled

    beside = list({one.key: one for subject in members for one in coupled.bound_to(unit, subject)}.values())
    cluster = without_leaving(unit, unit.cluster)
    found = _together(cluster, teams, beside, unit.budget)
    if found.waits:
        return found, beside
    others = [*beside, *(one for one in running_for_good(unit, members, daemons=True) if one not in beside)]
    if len(beside) < len(others) <= MOST_OTHERS:
        crowded = _together(cluster, teams, others, unit.budget)
        if crowded.waits:
            return crowded, others
    return found, beside


def _near_others(unit: ApplySet, teams: Sequence[Team]) -> list[Team]:
    """The teams whose pods must be near those of a Job that is in none of the teams."""
    members = {one.key for team in teams for one in team.subjects}
    near = ({near.key for one in team.subjects for near in near_jobs(unit, one)} for team in teams)
    return [team for team, keys in zip(teams, near, strict=True) if not keys <= members]


def _together(cluster: Cluster, teams: Sequence[Team], beside: Sequence[WorkloadCheck], budget: int) -> gang.Gang:
    from kubelint_gpu.simulation.questions import gang

    return gang.gang([team.workloads for team in teams], cluster, beside=_workloads(beside), budget=budget)


def _holds_further(
    unit: ApplySet, teams: Sequence[Team], beside: Sequence[WorkloadCheck], verdict: Verdict | None
) -> bool:
    """Whether the Jobs block each other with any nodes beyond the inventory, too."""
    if not cluster_beyond(unit).known or any(team.custom is not None for team in teams):
        return False
    cluster = without_leaving(unit, grown_beyond(unit))
    return _together(cluster, teams, beside, unit.budget).verdict is verdict


def short_gangs(unit: ApplySet, team: Team) -> Iterator[ShortGang | UndecidedGang]:
    """Yield that its pods run partly but never all at once, or that this is undecided."""
    from kubelint_gpu.analysis import coupled
    from kubelint_gpu.simulation.questions import jobs_beside

    cluster = fully_grown(without_leaving(unit, unit.cluster), unit.growth, team.pods)
    jobs = [_relaxed(unit, one, team) for one in range(len(team.subjects))]
    bound = list({one.key: one for subject in team.subjects for one in coupled.bound_to(unit, subject)}.values())
    staying = [one for one in running_for_good(unit, team.subjects) if not jobs_beside.may_evict(jobs, [one.workload])]
    staying = [one for one in staying if one not in bound]
    every = [bound, [*bound, *staying]] if staying and len(bound) + len(staying) <= MOST_OTHERS else [bound]
    found = [running_at_once(jobs, _workloads(beside), cluster) for beside in every]
    short = [(beside, ran) for beside, ran in zip(every, found, strict=True) if ran is not None and ran[0] < team.pods]
    if short:
        # that it never runs whole says more than that it may not
        beside, (least, most) = min(short, key=lambda one: one[1][1] == team.pods)
        refusal = _refusal(unit, team, beside, most)
        # the room of pools at their maximum is counted
        outgrown = any(unit.may_outgrow(one) for one in team.subjects)
        closed = (unit.is_closed and not outgrown) or all(unit.is_closed_to(one) for one in team.subjects)
        certain = refusal is not None or closed or stays_short(jobs, _workloads(beside), cluster, (least, most))
        # of a Job none of whose pods is made another finding tells
        some_made = least or (refusal is not None and team.custom is not None)
        if some_made and (certain or not outgrown):
            yield ShortGang(team, tuple(beside), least, most, certain, refusal)
    elif found[-1] is None and bound:
        yield UndecidedGang(
            team,
            "all its pods run at once",
            "it may evict some of those that its pods must be near to or apart from"
            if jobs_beside.may_evict(jobs, _workloads(bound))
            else UNSEEN,
        )


def refusal_of_next(
    unit: ApplySet, teams: Sequence[Team], running: Mapping[str, int], beside: Sequence[WorkloadCheck]
) -> QuotaRefusal | None:
    """Return how a quota refuses one more pod beside the `running` pods of some teams; None if it admits the pod."""
    parts = [replace(one.workloads[0], replicas=running[one.key]) for one in teams if len(one.workloads) == 1]
    if len(parts) < len(teams):
        return None
    return refusal_beside(unit, teams[0].largest, [*_workloads(beside), *parts])


def _workloads(subjects: Sequence[WorkloadCheck]) -> list[Workload]:
    return [one.workload for one in subjects]


def _relaxed(unit: ApplySet, place: int, team: Team) -> Workload:
    """One of its templates; if it must be near other Jobs, without that affinity.

    So the room is an upper bound.
    """
    workload = team.workloads[place]
    near = [one for one in near_jobs(unit, team.subjects[place]) if one not in team.subjects]
    return replace(workload, spec=replace(workload.spec, pod_affinity=())) if near else workload


def _refusal(unit: ApplySet, team: Team, beside: Sequence[WorkloadCheck], made: int) -> QuotaRefusal | None:
    """How a quota refuses a pod after `made` pods of the team, beside those of others; None if it admits it.

    Several templates are created one after the other.
    """
    there = _workloads(beside)
    if len(team.workloads) == 1:
        return refusal_beside(unit, team.largest, [*there, replace(team.workloads[0], replicas=made)])
    for subject, mine in zip(team.subjects, team.workloads, strict=True):
        made_all = _refusal_after(unit, subject, there, mine, mine.replicas - 1)
        if made_all is not None:
            after = partial(_refusal_after, unit, subject, there, mine)
            return after(bisect_left(range(mine.replicas), True, key=lambda number: after(number) is not None))
        there.append(mine)
    return None


def _refusal_after(
    unit: ApplySet, subject: WorkloadCheck, there: Sequence[Workload], mine: Workload, number: int
) -> QuotaRefusal | None:
    return refusal_beside(unit, subject, [*there, replace(mine, replicas=number)])
