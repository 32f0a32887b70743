"""Jobs and custom resources like them of which some pods run, and never all at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from kubelint_gpu.analysis.gang_members import Team
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.jobs.job_quota import refusal_beside
from kubelint_gpu.builders.jobs.running_for_good import MOST_OTHERS, running_for_good
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.questions.starved_jobs import running_at_once, stays_short
from kubelint_gpu.values import Value, replace

UNSEEN = "not every placement of what runs beside it was looked at"


class ShortGang(Value, eq=False):
    """A Job, or a custom resource like one, of which some pods run, and never all at once.

    Attributes:
        beside: the workloads that stay.
        least, most: how many of its pods run at once.
        refusal: how a quota refuses the next one, where nodes have room for it.
    """

    team: Team
    beside: tuple[WorkloadCheck, ...]
    least: int
    most: int
    certain: bool
    refusal: QuotaRefusal | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset((self.team.key,))


class UndecidedGang(Value, eq=False):
    """A Job of which something is open."""

    team: Team
    question: str
    reason: str
    keys: frozenset[str] = frozenset()


def short_gangs(unit: ApplySet, team: Team) -> Iterator[ShortGang | UndecidedGang]:
    """Some of its pods run, and never all at once."""
    from kubelint_gpu.analysis import coupled
    from kubelint_gpu.simulation.questions import jobs_beside

    cluster = fully_grown(without_leaving(unit, unit.cluster), unit.growth, team.pods)
    jobs = [_relaxed(unit, one, team) for one in range(len(team.subjects))]
    bound = list({one.key: one for subject in team.subjects for one in coupled.bound_to(unit, subject)}.values())
    staying = [one for one in running_for_good(unit, team.subjects) if not jobs_beside.may_evict(jobs, [one.workload])]
    staying = [one for one in staying if one not in bound]
    every = [bound, [*bound, *staying]] if staying and len(bound) + len(staying) <= MOST_OTHERS else [bound]
    found = [running_at_once(jobs, [one.workload for one in beside], cluster) for beside in every]
    short = [(beside, ran) for beside, ran in zip(every, found, strict=True) if ran is not None and ran[0] < team.pods]
    if short:
        # that it never runs whole says more than that it may not
        beside, (least, most) = min(short, key=lambda one: one[1][1] == team.pods)
        refusal = _refusal(unit, team, beside, most)
        # the room of pools at their maximum is counted
        grown = unit.is_closed and not any(unit.may_outgrow(one) for one in team.subjects)
        closed = grown or all(unit.is_closed_to(one) for one in team.subjects)
        others = [one.workload for one in beside]
        certain = refusal is not None or closed or stays_short(jobs, others, cluster, (least, most))
        # of a Job none of whose pods is made another finding tells
        some_made = least or (refusal is not None and team.custom is not None)
        if some_made and (certain or not any(unit.may_outgrow(one) for one in team.subjects)):
            yield ShortGang(team, tuple(beside), least, most, certain, refusal)
    elif found[-1] is None and bound:
        yield UndecidedGang(
            team,
            "all its pods run at once",
            "it may evict some of those that its pods must be near to or apart from"
            if jobs_beside.may_evict(jobs, [one.workload for one in bound])
            else UNSEEN,
        )


def refusal_of_next(
    unit: ApplySet, teams: Sequence[Team], running: Mapping[str, int], beside: Sequence[WorkloadCheck]
) -> QuotaRefusal | None:
    """How a quota refuses one more pod beside those of teams that are `running`; None where no quota is in the way."""
    parts = [replace(one.workloads[0], replicas=running[one.key]) for one in teams if len(one.workloads) == 1]
    if len(parts) < len(teams):
        return None
    return refusal_beside(unit, teams[0].largest, [*(one.workload for one in beside), *parts])


def _relaxed(unit: ApplySet, place: int, team: Team) -> Workload:
    """One of its templates; what it must be near to may be anywhere when it starts.

    There is no more room than that leaves.
    """
    from kubelint_gpu.builders.jobs import near_jobs

    workload = team.workloads[place]
    near = [one for one in near_jobs.near_jobs(unit, team.subjects[place]) if one not in team.subjects]
    return replace(workload, spec=replace(workload.spec, pod_affinity=())) if near else workload


def _refusal(unit: ApplySet, team: Team, beside: Sequence[WorkloadCheck], made: int) -> QuotaRefusal | None:
    """How a quota refuses one more of its pods than are `made`, beside those of others.

    Of several templates those are made one after the other.
    """
    there = [one.workload for one in beside]
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
