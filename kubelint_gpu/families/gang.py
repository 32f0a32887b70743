"""Jobs that are useful only when all their pods run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import cluster_beyond
from kubelint_gpu.analysis.coupled import bound_to, ties
from kubelint_gpu.analysis.gang_members import Team, custom_teams, how_long, team_of
from kubelint_gpu.analysis.gangs import waits_for_all
from kubelint_gpu.analysis.growing_pools import at_most, growing
from kubelint_gpu.analysis.held_by_gangs import held_up
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.custom_gangs import never_whole
from kubelint_gpu.builders.overlapping_runs import overlapping_runs
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, asking_too, running_for_good, staying_beside, while_running
from kubelint_gpu.documents.edits import Edit, set_key
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.evidence.exclusive_lines import holders, scarce
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wording import counted, listed, verb, workload_name
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.growth import possible_nodes
from kubelint_gpu.simulation.prepare.coupling import companion_workloads
from kubelint_gpu.simulation.questions.gang import Gang, gang
from kubelint_gpu.simulation.questions.starved_jobs import may_evict, running_at_once
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_HELD = (Verdict.STUCK, Verdict.MAY_STICK)
_UNSEEN = "not every placement of what runs beside it was looked at"


@rule("KLG113")
def jobs_hold_each_other(unit: ApplySet) -> Iterator[Diagnostic]:
    """A Job holds a part of what it needs, and the rest never comes: another Job has it, or what runs for good."""
    whole = [subject for subject in unit.subjects if waits_for_all(unit, subject)] if unit.has_nodes else []
    short = {subject.workload.key: draft for subject in whole for draft in _never_whole(unit, subject)}
    yield from short.values()
    for subject in whole:
        if subject.workload.key not in short:
            yield from overlapping_runs(unit, subject)
    jobs = [one for one in whole if not _is_repeated(one.workload) and one.workload.key not in short]
    customs = list(custom_teams(unit)) if unit.has_nodes else []
    lacking = {team: tuple(never_whole(unit, team)) for team in customs}
    # Jobs of one JobSet that lack the same are one finding
    yield from {
        (one.manifest, one.message.partition(" needs ")[2]): one for found in lacking.values() for one in found
    }.values()
    customs = [team for team in customs if not lacking[team]]
    if len(jobs) + len(customs) < 2:
        return
    for subject in [one for one in jobs if _leans_on_what_ends(unit, one, jobs)]:
        jobs.remove(subject)
        if any(_share_nodes(unit, subject, other) for other in jobs):
            yield _undecided(
                subject,
                "it and others hold each other up",
                "its pods must be near to those of a Job, which come and go",
            )
    beside = list({one.key: one for subject in jobs for one in bound_to(unit, subject)}.values())
    teams = [*map(team_of, jobs), *customs]
    found = _together(unit.cluster, teams, beside, unit.budget)
    if found.verdict not in _HELD:
        others = [
            *beside,
            *(
                one
                for one in staying_beside(unit, [one for team in teams for one in team.subjects])
                if one not in beside
            ),
        ]
        if len(beside) < len(others) <= MOST_OTHERS:
            crowded = _together(unit.cluster, teams, others, unit.budget)
            if crowded.verdict in _HELD:
                found, beside = crowded, others
    if found.verdict is Verdict.UNDECIDED and beside:
        yield _undecided(jobs[0], "it and others hold each other up", _UNSEEN)
    # a Job that has nothing keeps nothing from others
    held = {one.owner for one in found.held if one.running}
    stuck = [team for team in teams if team.key in held]
    if found.verdict not in _HELD or len(stuck) < 2:
        return
    members = [subject for team in stuck for subject in team.subjects]
    certain = all(unit.is_closed_to(one) for one in members) or _holds_further(unit, teams, beside, found.verdict)
    if certain or not any(unit.may_grow_for(subject) for subject in members):
        yield _draft(unit, stuck, beside, found, certain=certain)


def _together(cluster: Cluster, teams: Sequence[Team], beside: Sequence[WorkloadCheck], budget: int) -> Gang:
    return gang([team.workloads for team in teams], cluster, beside=[one.workload for one in beside], budget=budget)


def _holds_further(unit: ApplySet, teams: Sequence[Team], beside: Sequence[WorkloadCheck], verdict: Verdict) -> bool:
    """Whether Jobs hold each other up whatever nodes there are beyond the inventory."""
    if not cluster_beyond(unit).known or any(team.custom is not None for team in teams):
        return False
    return _together(cluster_beyond(unit).cluster, teams, beside, unit.budget).verdict is verdict


def _never_whole(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Some of its pods run, and never all at once."""
    workload = subject.workload
    judgement = judgements_in(unit).get(subject.key)
    if judgement is None:
        return
    joined = possible_nodes(unit.growth, workload.replicas)
    cluster = replace(unit.cluster, nodes=(*unit.cluster.nodes, *(joined.nodes if joined is not None else ())))
    bound = bound_to(unit, subject)
    if _passing(unit, subject):
        # what it must be near to may be anywhere when it starts: there is no more room than that leaves
        workload = replace(workload, spec=replace(workload.spec, pod_affinity=()))
    others = [*bound, *(one for one in running_for_good(unit, judgement.eligible) if one not in bound)]
    found = None
    for beside in (bound, others) if len(bound) < len(others) <= MOST_OTHERS else (bound,):
        found = running_at_once(workload, [one.workload for one in beside], cluster)
        if found is not None and found[0] < workload.replicas:
            certain = unit.is_closed_to(subject) or _stays_short(unit, workload, beside, found)
            if found[0] and (certain or not unit.may_outgrow(subject)):
                yield _short(unit, subject, beside, found, certain=certain)
            return
    if found is None and bound:
        evicts = may_evict(workload, [one.workload for one in others], unit.cluster.pods)
        yield _undecided(
            subject,
            "all its pods run at once",
            "it may evict some of those that its pods must be near to or apart from" if evicts else _UNSEEN,
        )


def _is_repeated(workload: Workload) -> bool:
    """Whether a CronJob starts it again and again."""
    job = job_of(workload)
    return job is not None and job.scheduled


def _passing(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The Jobs of the unit near to whose pods its own must be."""
    jobs = [one for one in unit.subjects if one is not subject and one.controller.runs_to_completion]
    return [
        jobs[place] for place in companion_workloads(subject.workload, [one.workload for one in jobs], unit.cluster)
    ]


def _leans_on_what_ends(unit: ApplySet, subject: WorkloadCheck, jobs: Sequence[WorkloadCheck]) -> bool:
    """Whether its pods must be near to those of a Job that is none of these."""
    return any(one not in jobs for one in _passing(unit, subject))


def _share_nodes(unit: ApplySet, one: WorkloadCheck, other: WorkloadCheck) -> bool:
    judged = [judgements_in(unit).get(subject.key) for subject in (one, other)]
    nodes = [found.eligible for found in judged if found is not None]
    return len(nodes) == len(judged) and not nodes[0].isdisjoint(nodes[1])


def _undecided(subject: WorkloadCheck, what: str, why: str) -> Diagnostic:
    return Diagnostic(
        "KLG113",
        subject.manifest.place(field_pointers.replicas(subject.manifest)),
        f"whether {what} is undecided: {why}",
        subject.manifest,
        cause=f"undecided {subject.workload.key}",
        severity="note",
        certainty="possible",
        undecided=True,
    )


def _stays_short(unit: ApplySet, workload: Workload, beside: Sequence[WorkloadCheck], found: tuple[int, int]) -> bool:
    """Whether as few pods of it run whatever nodes there are beyond the inventory."""
    others = [one.workload for one in beside]
    return cluster_beyond(unit).known and running_at_once(workload, others, cluster_beyond(unit).cluster) == found


def _short(
    unit: ApplySet, subject: WorkloadCheck, beside: list[WorkloadCheck], found: tuple[int, int], *, certain: bool
) -> Diagnostic:
    manifest, workload = subject.manifest, subject.workload
    least, most = found
    resource, pools = scarce(subject), at_most(unit, subject)
    while_runs = f"{while_running(beside)}, " if beside else ""
    grown = f" even with {pools}" if pools else ""
    number = f"only {most}" if most < workload.replicas else f"as few as {least}"
    each = "a run of " if _is_repeated(workload) else ""
    waits = "waits" if most < workload.replicas else "may wait"
    finds = verb("find", most if most < workload.replicas else least)
    return Diagnostic(
        "KLG113",
        manifest.place(field_pointers.replicas(manifest)),
        f"{while_runs}{each}{workload_name(workload)} needs its {workload.replicas} pods at once and {number} "
        f"{finds} room{grown}: what runs {waits} for the rest {how_long([team_of(subject)])}",
        manifest,
        cause=f"never whole {workload.key}",
        certainty="certain" if certain else "possible",
        related=(
            *_needs(team_of(subject), primary=True),
            *asking_too(beside, resource),
            *ties(unit, subject, beside),
            *held_up(unit, [subject]),
            *clues(unit, subject, resource, sorted(judgements_in(unit)[subject.key].eligible)),
            *holders(unit, subject, resource, judgements_in(unit)[subject.key].eligible),
            *growing(unit, subject),
        ),
        help=("let Kueue admit the Job whole, or a scheduler with pod groups place it whole: then it holds nothing",),
    )


def _draft(
    unit: ApplySet, stuck: Sequence[Team], beside: Sequence[WorkloadCheck], found: Gang, *, certain: bool
) -> Diagnostic:
    first = stuck[0]
    held = {one.owner: one for one in found.held}
    told = [
        f"{one.workloads[0].meta.name} runs {held[one.key].running} of {counted(held[one.key].wanted, 'pod')}"
        for one in stuck
    ]
    names = listed([one.name for one in stuck])
    nodes = list(dict.fromkeys(node for one in found.held for node in one.nodes))
    verb = "hold each other up" if found.verdict is Verdict.STUCK else "can hold each other up"
    jobs = [subject for one in stuck if one.custom is None for subject in one.subjects]
    while_runs = f" {while_running(beside)}" if beside else ""
    return Diagnostic(
        "KLG113",
        first.place,
        f"started at the same moment{while_runs}, {names} {verb} {how_long(stuck)}: {listed(told)}, and none gives its "
        "part back",
        first.largest.manifest,
        cause=" ".join(one.key for one in stuck),
        certainty="certain" if certain else "possible",
        related=(
            *(related for one in stuck for related in _needs(one, primary=one is first)),
            *asking_too(beside, scarce(first.largest)),
            *(related for one in jobs for related in ties(unit, one, bound_to(unit, one))),
            *held_up(unit, jobs),
            *clues(unit, first.largest, scarce(first.largest), nodes),
        ),
        help=(
            "let Kueue admit each Job whole, or a scheduler with pod groups place it whole",
            "start them one after the other",
        ),
        proposals=tuple(_suspended(one.subjects[0]) for one in stuck[1:] if len(stuck) == 2 and one.custom is None),
    )


def _needs(team: Team, *, primary: bool) -> Iterator[Related]:
    if not primary:
        yield Related(team.place, f"{team.workloads[0].meta.name} needs {counted(team.pods, 'pod')} at once, too")
    yield from team.signs


def _suspended(subject: WorkloadCheck) -> FixCandidate:
    manifest = subject.manifest

    def edits() -> list[Edit]:
        return [set_key(manifest.item, ("spec",), "suspend", True, before="template")]

    name = subject.workload.meta.name
    return FixCandidate(f"set suspend: true in {name}, and false when the other has ended", "unsafe", edits)
