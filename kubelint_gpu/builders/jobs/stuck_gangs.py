"""Jobs and custom resources like them that hold a part of what they need, and never get the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond, grown_beyond
from kubelint_gpu.analysis.gang_members import Team, custom_teams, has_queues, resumed, team_of, waits_for_all
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.jobs.overlapping_runs import OverlappingRuns, overlapping_runs
from kubelint_gpu.builders.jobs.running_for_good import MOST_OTHERS, running_for_good
from kubelint_gpu.builders.jobs.short_gangs import UNSEEN, ShortGang, UndecidedGang, short_gangs
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.collective import starts_unless_queued
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once

if TYPE_CHECKING:
    from kubelint_gpu.simulation.questions import gang


class GangDeadlock(Value, eq=False):
    """Jobs and custom resources that each hold what another one needs.

    Attributes:
        stuck: those that hold something.
        beside: the workloads that stay.
        queued: they name a queue, and nothing shows that anybody admits them by it.
    """

    stuck: tuple[Team, ...]
    beside: tuple[WorkloadCheck, ...]
    found: gang.Gang
    certain: bool
    queued: bool = False

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset(one.key for one in self.stuck if not self.queued)


StuckGang = ShortGang | OverlappingRuns | GangDeadlock | UndecidedGang


@once
def stuck_gangs(unit: ApplySet) -> tuple[StuckGang, ...]:
    """What is found of the Jobs and custom resources of a unit that need all their pods at once."""
    return tuple(_stuck_gangs(unit))


def never_released(unit: ApplySet) -> frozenset[str]:
    """The Jobs whose pods hold something for ever, or until a deadline."""
    return frozenset[str]().union(*(one.keys for one in stuck_gangs(unit)))


def _stuck_gangs(unit: ApplySet) -> Iterator[StuckGang]:
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
    """Whether those that could have all their pods hold each other up."""
    from kubelint_gpu.analysis import coupled
    from kubelint_gpu.builders.jobs import near_jobs

    if len(teams) < 2:
        return
    question = "it and others hold each other up"
    members = [one for team in teams for one in team.subjects]
    near = [{near.key for one in team.subjects for near in near_jobs.near_jobs(unit, one)} for team in teams]
    for team in [team for team, keys in zip(teams, near, strict=True) if not keys <= {one.key for one in members}]:
        teams.remove(team)
        members = [one for one in members if one not in team.subjects]
        if any(near_jobs.share_nodes(unit, one, other) for one in team.subjects for other in members):
            yield UndecidedGang(team, question, "its pods must be near to those of a Job, which come and go")
    beside = list({one.key: one for subject in members for one in coupled.bound_to(unit, subject)}.values())
    cluster = without_leaving(unit, unit.cluster)
    found = _together(cluster, teams, beside, unit.budget)
    if not found.waits:
        others = [*beside, *(one for one in running_for_good(unit, members, daemons=True) if one not in beside)]
        if len(beside) < len(others) <= MOST_OTHERS:
            crowded = _together(cluster, teams, others, unit.budget)
            if crowded.waits:
                found, beside = crowded, others
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


def _together(cluster: Cluster, teams: Sequence[Team], beside: Sequence[WorkloadCheck], budget: int) -> gang.Gang:
    from kubelint_gpu.simulation.questions import gang

    return gang.gang(
        [team.workloads for team in teams], cluster, beside=[one.workload for one in beside], budget=budget
    )


def _holds_further(
    unit: ApplySet, teams: Sequence[Team], beside: Sequence[WorkloadCheck], verdict: Verdict | None
) -> bool:
    """Whether Jobs hold each other up whatever nodes there are beyond the inventory."""
    if not cluster_beyond(unit).known or any(team.custom is not None for team in teams):
        return False
    cluster = without_leaving(unit, grown_beyond(unit))
    return _together(cluster, teams, beside, unit.budget).verdict is verdict
