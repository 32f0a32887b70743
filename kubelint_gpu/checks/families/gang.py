"""Jobs that are useful only when all their pods run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.growing import at_most, growing
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.stakes import holders, scarce
from kubelint_gpu.checks.starving import MOST_OTHERS, named, running_for_good
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, listed, workload_name
from kubelint_gpu.documents.edits import Edit, set_key
from kubelint_gpu.kube.collective import is_started_whole, sign_of_waiting
from kubelint_gpu.kube.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.rolling import JobStrategy
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.gang import Gang, gang
from kubelint_gpu.rollout.growth import possible_nodes
from kubelint_gpu.rollout.starving import running_at_once
from kubelint_gpu.values import replace


@rule("KLG113")
def jobs_hold_each_other(unit: Unit) -> Iterator[Draft]:
    """A Job holds a part of what it needs, and the rest never comes: another Job has it, or what runs for good."""
    whole = [subject for subject in unit.subjects if _waits_for_all(unit, subject)] if unit.has_nodes else []
    short = {subject.workload.key: draft for subject in whole for draft in _never_whole(unit, subject)}
    yield from short.values()
    jobs = [one for one in whole if one.workload.kind == "Job" and one.workload.key not in short]
    if len(jobs) < 2:
        return
    found = gang([subject.workload for subject in jobs], unit.cluster, budget=unit.budget)
    # a Job that has nothing keeps nothing from others
    held = {one.owner for one in found.held if one.running}
    stuck = [subject for subject in jobs if subject.workload.key in held]
    if found.verdict not in (Verdict.STUCK, Verdict.MAY_STICK) or len(stuck) < 2:
        return
    certain = all(unit.is_closed_to(one) for one in stuck) or _holds_further(unit, jobs, found.verdict)
    if certain or not any(unit.may_grow_for(subject) for subject in stuck):
        yield _draft(unit, stuck, found, certain=certain)


def _holds_further(unit: Unit, jobs: Sequence[Subject], verdict: Verdict) -> bool:
    """Whether Jobs hold each other up whatever nodes there are beyond the inventory."""
    if not unit.further.known:
        return False
    return gang([one.workload for one in jobs], unit.further.cluster, budget=unit.budget).verdict is verdict


def _waits_for_all(unit: Unit, subject: Subject) -> bool:
    """Whether the pods of a Job need each other, and the scheduler takes them one by one."""
    workload, job = subject.workload, subject.manifest.item.value
    if workload.replicas < 2 or not subject.known_class or not subject.places_pods or workload.custom:
        return False
    strategy = workload.strategy
    if not isinstance(strategy, JobStrategy) or (strategy.completions or 0) > strategy.parallelism:
        return False
    if workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held or is_started_whole(job):
        return False
    return sign_of_waiting(job) is not None


def _never_whole(unit: Unit, subject: Subject) -> Iterator[Draft]:
    """Some of its pods run, and never all at once."""
    workload = subject.workload
    judgement = unit.judgements.get(id(subject))
    if judgement is None:
        return
    joined = possible_nodes(unit.growth, workload.replicas)
    cluster = replace(unit.cluster, nodes=(*unit.cluster.nodes, *(joined.nodes if joined is not None else ())))
    others = running_for_good(unit, judgement.eligible)
    for beside in ([], others) if 0 < len(others) <= MOST_OTHERS else ([],):
        found = running_at_once(workload, [one.workload for one in beside], cluster)
        if found is not None and found[0] < workload.replicas:
            certain = unit.is_closed_to(subject) or _stays_short(unit, subject, beside, found)
            if found[0] and (certain or not unit.may_outgrow(subject)):
                yield _short(unit, subject, beside, found, certain=certain)
            return


def _stays_short(unit: Unit, subject: Subject, beside: Sequence[Subject], found: tuple[int, int]) -> bool:
    """Whether as few pods of it run whatever nodes there are beyond the inventory."""
    others = [one.workload for one in beside]
    return unit.further.known and running_at_once(subject.workload, others, unit.further.cluster) == found


def _short(unit: Unit, subject: Subject, beside: list[Subject], found: tuple[int, int], *, certain: bool) -> Draft:
    manifest, workload = subject.manifest, subject.workload
    least, most = found
    resource, pools = scarce(subject), at_most(unit, subject)
    while_runs = f"while {named(beside)} run{'s' if len(beside) == 1 else ''}, " if beside else ""
    grown = f" even with {pools}" if pools else ""
    number = f"only {most}" if most < workload.replicas else f"as few as {least}"
    each = "a run of " if workload.kind == "CronJob" else ""
    waits = "waits" if most < workload.replicas else "may wait"
    finds = "finds" if number == "only 1" else "find"
    return Draft(
        "KLG113",
        manifest.place(routes.replicas(manifest)),
        f"{while_runs}{each}{workload_name(workload)} needs its {workload.replicas} pods at once and {number} "
        f"{finds} room{grown}: what runs {waits} for the rest {_how_long([subject])}",
        manifest,
        cause=f"never whole {workload.key}",
        certainty="certain" if certain else "possible",
        related=(
            *_needs(subject, primary=True),
            *(
                Related(one.manifest.place(route), f"{workload_name(one.workload)} asks for it, too")
                for one in beside[:2]
                for route in routes.requests(one.manifest, resource)
            ),
            *clues(unit, subject, resource, sorted(unit.judgements[id(subject)].eligible)),
            *holders(unit, subject, resource, unit.judgements[id(subject)].eligible),
            *growing(unit, subject),
        ),
        help=("let Kueue admit the Job whole, or a scheduler with pod groups place it whole: then it holds nothing",),
    )


def _how_long(stuck: Sequence[Subject]) -> str:
    """`for ever`, or until the first deadline of some Jobs has passed."""
    found = []
    for subject in stuck:
        strategy = subject.workload.strategy
        own = strategy.active_deadline_seconds if isinstance(strategy, JobStrategy) else None
        found += [(one, subject) for one in (own, subject.workload.spec.active_deadline_seconds) if one is not None]
    if not found:
        return "for ever"
    seconds, first = min(found, key=lambda one: one[0])
    which = first.workload.meta.name if len(stuck) > 1 else "it"
    return f"until {which} fails after {counted(seconds, 'second')} (activeDeadlineSeconds)"


def _draft(unit: Unit, stuck: Sequence[Subject], found: Gang, *, certain: bool) -> Draft:
    first = stuck[0]
    manifest = first.manifest
    held = {one.owner: one for one in found.held}
    told = [
        f"{one.workload.meta.name} runs {held[one.workload.key].running} of "
        f"{counted(held[one.workload.key].wanted, 'pod')}"
        for one in stuck
    ]
    names = listed([f"Job {one.workload.meta.namespace}/{one.workload.meta.name}" for one in stuck])
    nodes = list(dict.fromkeys(node for one in found.held for node in one.nodes))
    verb = "hold each other up" if found.verdict is Verdict.STUCK else "can hold each other up"
    return Draft(
        "KLG113",
        manifest.place(routes.replicas(manifest)),
        f"started at the same moment, {names} {verb} {_how_long(stuck)}: {' and '.join(told)}, "
        "and none gives its part back",
        manifest,
        cause=" ".join(one.workload.key for one in stuck),
        certainty="certain" if certain else "possible",
        related=(
            *(related for one in stuck for related in _needs(one, primary=one is first)),
            *clues(unit, first, scarce(first), nodes),
        ),
        help=(
            "let Kueue admit each Job whole, or a scheduler with pod groups place it whole",
            "start them one after the other",
        ),
        proposals=tuple(_suspended(one) for one in stuck[1:] if len(stuck) == 2),
    )


def _needs(subject: Subject, *, primary: bool) -> Iterator[Related]:
    manifest = subject.manifest
    if not primary:
        told = f"{subject.workload.meta.name} needs {counted(subject.workload.replicas, 'pod')} at once, too"
        yield Related(manifest.place(routes.replicas(manifest)), told)
    sign = sign_of_waiting(manifest.item.value)
    if sign is not None:
        place = manifest.place(sign, "key") if sign[-1] in ("command", "args") else manifest.place(sign)
        yield Related(place, "its pods wait for each other")


def _suspended(subject: Subject) -> Proposal:
    manifest = subject.manifest

    def edits() -> list[Edit]:
        return [set_key(manifest.item, ("spec",), "suspend", True, before="template")]

    name = subject.workload.meta.name
    return Proposal(f"set suspend: true in {name}, and false when the other has ended", "unsafe", edits)
