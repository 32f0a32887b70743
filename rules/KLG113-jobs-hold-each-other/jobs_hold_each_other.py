"""Jobs that need all their pods to run at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.gang_members import Team, how_long, team_of
from kubelint_gpu.analysis.growing_pools import at_most, growing
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.jobs.overlapping_runs import SCHEDULE, OverlappingRuns
from kubelint_gpu.builders.jobs.running_for_good import asking_too, while_running
from kubelint_gpu.builders.jobs.stuck_gangs import GangDeadlock, ShortGang, UndecidedGang, refusal_of_next, stuck_gangs
from kubelint_gpu.builders.jobs.unmet_minimums import unmet_minimums
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.evidence.node_lines import clues, refusing_quota, requested_device, scarce
from kubelint_gpu.evidence.stakes import holders
from kubelint_gpu.groups import in_order
from kubelint_gpu.messages.why_fewer import refused
from kubelint_gpu.messages.wording import CUT_OFF, counted, listed, some, verb, workload_name
from kubelint_gpu.simulation.search.verdict import Verdict

_POLICY: Pointer = ("spec", "concurrencyPolicy")
_WHOLE = "let Kueue admit it whole, or a scheduler with pod groups place it whole: then it holds nothing"
_QUEUED = "what admits it whole looks at a quota and not at the nodes: ask for what these have, or add nodes"
_ALLOWED = "raise the quota until it allows all the pods at once; Kueue does not help: it admits by quotas of its own"
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@rule("KLG113", of_workloads=True)
def jobs_hold_each_other(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield Jobs that hold a part of their resources while another Job or a permanent pod holds the rest for ever."""
    yield from unmet_minimums(unit)
    told: dict[object, Diagnostic] = {}
    for number, found in enumerate(stuck_gangs(unit)):
        if isinstance(found, ShortGang):
            # Jobs of one JobSet that lack the same are one finding
            team = found.team
            told[team.largest.manifest, team.pods, found.least, found.most, how_long([team])] = _short(unit, found)
        elif isinstance(found, OverlappingRuns):
            told[number] = _overlapping(unit, found)
        elif isinstance(found, GangDeadlock):
            told[number] = _deadlock(unit, found)
        else:
            told[number] = _undecided(found)
    yield from told.values()


def _short(unit: ApplySet, found: ShortGang) -> Diagnostic:
    from kubelint_gpu.analysis import coupled

    team, beside, least, most = found.team, found.beside, found.least, found.most
    subject, refusal = team.largest, found.refusal
    pools = at_most(unit, subject)
    while_runs = f"{while_running(beside)}, " if beside else ""
    grown = f" even with {pools}" if pools else ""
    number = f"only {most}" if 0 < most < team.pods else f"as few as {least}" if most else "not one"
    each = "a run of " if team.repeated else ""
    waits = "wait" if most < team.pods else "may wait"
    finds = verb("find", most if most < team.pods else least)
    fits = [unit.alone(one).fit for one in team.subjects]
    nodes = in_order(frozenset(name for fit in fits if fit is not None for name in fit.fits))
    where = f" on {some(nodes)}" if nodes and not grown else ""
    told = f"{number} {finds} room{where}{grown}"
    shown = (*clues(unit, subject, scarce(subject), nodes), *holders(unit, subject, scarce(subject), nodes))
    lines = (*shown, *growing(unit, subject))
    fewer = f"run at most {counted(most, 'pod')} at once, or add nodes for the rest; " if most and not beside else ""
    help_, rest = f"{fewer}{_WHOLE}", f": the running pods {waits} for the rest {how_long([team])}"
    if team.whole:
        help_, rest = _QUEUED, ", whoever admits it"
    if refusal is not None:
        told = f"{number} {'is' if most <= 1 else 'are'} made, the next one is refused {refused(refusal)}"
        rest = rest if most else ": it never starts"
        help_ = _ALLOWED
        lines = tuple(refusing_quota(unit, subject, refusal))
    return Diagnostic(
        "KLG113",
        team.place,
        f"{while_runs}{each}{team.name} needs its {team.pods} pods at once and {told}{rest}",
        subject.manifest,
        cause=f"never whole {team.key}",
        certainty="certain" if found.certain else "possible",
        severity="error" if found.certain and most < team.pods and team.surely else None,
        related=(
            *_needs(team, primary=True),
            *(line for one in team.subjects if one is not subject for line in requested_device(unit, one)),
            *asking_too(beside, scarce(subject)),
            *coupled.ties(unit, subject, beside),
            *_held_up(unit, team.subjects),
            *lines,
        ),
        help=(help_,),
        waits=(subject.manifest.object,),
    )


def _deadlock(unit: ApplySet, deadlock: GangDeadlock) -> Diagnostic:
    from kubelint_gpu.analysis import coupled

    stuck, beside, found = deadlock.stuck, deadlock.beside, deadlock.found
    first = stuck[0]
    held = {one.owner: one for one in found.held}
    told = [
        f"{one.workloads[0].meta.name} runs {held[one.key].running} of {counted(held[one.key].wanted, 'pod')}"
        for one in stuck
    ]
    names = listed([one.name for one in stuck])
    nodes = list(dict.fromkeys(node for one in found.held for node in one.nodes))
    verb = "block each other" if found.surely else "can block each other"
    jobs = [subject for one in stuck if one.custom is None for subject in one.subjects]
    while_runs = f" {while_running(beside)}" if beside else ""
    unless = "unless Kueue admits each whole, which nothing here shows, " if deadlock.queued else ""
    refusal = refusal_of_next(unit, stuck, {key: one.running for key, one in held.items()}, beside)
    shown = clues(unit, first.largest, scarce(first.largest), nodes)
    why, whole = "", "let Kueue admit each Job whole, or a scheduler with pod groups place it whole"
    if refusal is not None:
        why, whole = f"; the next pod is refused {refused(refusal)}", _ALLOWED
        shown = tuple(refusing_quota(unit, first.largest, refusal))
    return Diagnostic(
        "KLG113",
        first.place,
        f"{unless}started together{while_runs}, {names} {verb} {how_long(stuck)}: {listed(told)} "
        f"on {some(nodes)}, and none gives its part back{why}",
        first.largest.manifest,
        cause=" ".join(one.key for one in stuck),
        certainty="certain" if deadlock.certain else "possible",
        severity="note" if deadlock.queued else None,
        waits=tuple(one.largest.manifest.object for one in stuck),
        related=(
            *(related for one in stuck for related in _needs(one, primary=one is first)),
            *asking_too(beside, scarce(first.largest)),
            *(related for one in jobs for related in coupled.ties(unit, one, coupled.bound_to(unit, one))),
            *_held_up(unit, jobs),
            *shown,
        ),
        help=(
            "the label alone does nothing: declare the LocalQueue that it names, if Kueue is there"
            if deadlock.queued
            else whole,
            "start them one after the other",
        ),
        proposals=tuple(_suspended(one.subjects[0]) for one in stuck[1:] if len(stuck) == 2 and one.custom is None),
    )


def _overlapping(unit: ApplySet, runs: OverlappingRuns) -> Diagnostic:
    from kubelint_gpu.analysis import coupled

    subject, found, interval, deadline = runs.subject, runs.found, runs.interval, runs.deadline
    manifest = subject.manifest
    parts = [f"{one.running} of {counted(one.wanted, 'pod')}" for one in found.held]
    run = f"each runs {parts[0]}" if len(set(parts)) == 1 else f"one runs {listed(parts, 'and the other')}"
    nodes = list(dict.fromkeys(node for one in found.held for node in one.nodes))
    written = manifest.present(_POLICY)
    longer = (
        f"takes longer than {_time(interval)}" if interval is not None else "is still going when the next one starts"
    )
    lasts = "for ever" if deadline is None else f"until one fails after {counted(deadline, 'second')}"
    return Diagnostic(
        "KLG113",
        manifest.place(_POLICY if written else SCHEDULE),
        f"if a run {longer}, it and the next one can block each other {lasts}: {run} on {some(nodes)}, "
        f"and none gives its part back (concurrencyPolicy is Allow{'' if written else ' by default'})",
        manifest,
        cause=f"overlapping {subject.workload.key}",
        certainty="possible",
        related=(
            Related(
                field_pointers.replicas_place(manifest),
                f"each run needs {counted(subject.workload.replicas, 'pod')} at once",
            ),
            *team_of(subject).signs,
            *coupled.ties(unit, subject, coupled.bound_to(unit, subject)),
            *clues(unit, subject, scarce(subject), nodes),
        ),
        help=tuple(_help(interval)),
        proposals=(_forbid(subject),),
    )


def _help(interval: int | None) -> Iterator[str]:
    if interval is not None:
        yield f"an activeDeadlineSeconds below {interval} in the jobTemplate ends a run before the next one starts"
    yield "let Kueue admit each Job whole, or a scheduler with pod groups place it whole"


def _forbid(subject: WorkloadCheck) -> FixCandidate:
    manifest = subject.manifest

    def edits() -> list[editing.Edit]:
        if manifest.present(_POLICY):
            return [editing.replace_scalar(manifest.item, _POLICY, "Forbid")]
        return [editing.set_key(manifest.item, ("spec",), "concurrencyPolicy", "Forbid", before="jobTemplate")]

    effect = "skips a run while another one is going"
    return FixCandidate("set concurrencyPolicy: Forbid", "unsafe", edits, effect=effect)


def _time(seconds: int) -> str:
    """Return `1 hour`, `90 minutes`: the time in the largest unit that divides it."""
    for size, unit in _UNITS:
        if seconds % size == 0:
            return counted(seconds // size, unit)
    return counted(seconds, "second")


def _undecided(found: UndecidedGang) -> Diagnostic:
    return Diagnostic(
        "KLG113",
        found.team.place,
        f"whether {found.question} is undecided: {found.reason}",
        found.team.largest.manifest,
        cause=f"undecided {found.team.key}",
        severity="note",
        certainty="possible",
        undecided=CUT_OFF,
    )


def _needs(team: Team, *, primary: bool) -> Iterator[Related]:
    if not primary:
        yield Related(team.place, f"{team.workloads[0].meta.name} needs {counted(team.pods, 'pod')} at once, too")
    yield from team.signs


def _suspended(subject: WorkloadCheck) -> FixCandidate:
    manifest = subject.manifest

    def edits() -> list[editing.Edit]:
        return [editing.set_key(manifest.item, ("spec",), "suspend", True, before="template")]

    name = subject.workload.meta.name
    title = f"set suspend: true in {name}, and false when the other has ended"
    return FixCandidate(title, "unsafe", edits, of_amounts=True)


def _held_up(unit: ApplySet, jobs: Sequence[WorkloadCheck]) -> Iterator[Related]:
    """Yield the strategies of workloads whose rollouts wait for resources of Jobs."""
    keys = {one.workload.key for one in jobs}
    for subject in unit.subjects:
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None or judgement.runs.trace is None or not judgement.waits:
            continue
        mine = [one for one in judgement.runs.trace.waiting if one.owner == subject.workload.key]
        if any(lack.owners & keys for one in mine for lack in one.lacks):
            place = subject.manifest.place(field_pointers.strategy(subject.manifest), "key")
            waits = "waits" if judgement.verdict is Verdict.STUCK else "may wait"
            yield Related(place, f"the rollout of {workload_name(subject.workload)} {waits} for what they hold, too")
