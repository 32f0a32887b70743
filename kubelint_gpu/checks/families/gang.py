"""Jobs that are useful only when all their pods run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.stakes import scarce
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, listed
from kubelint_gpu.documents.edits import Edit, set_key
from kubelint_gpu.kube.collective import is_started_whole, sign_of_waiting
from kubelint_gpu.kube.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.rolling import JobStrategy
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.gang import Gang, gang


@rule("KLG113")
def jobs_hold_each_other(unit: Unit) -> Iterator[Draft]:
    """Each Job holds a part of what it needs, and waits for the part that another holds."""
    jobs = [subject for subject in unit.subjects if _waits_for_all(unit, subject)] if unit.has_nodes else []
    if len(jobs) < 2:
        return
    found = gang([subject.workload for subject in jobs], unit.cluster, budget=unit.budget)
    # a Job that has nothing keeps nothing from others
    held = {one.owner for one in found.held if one.running}
    stuck = [subject for subject in jobs if subject.workload.key in held]
    if found.verdict not in (Verdict.STUCK, Verdict.MAY_STICK) or len(stuck) < 2:
        return
    if not any(unit.may_grow_for(subject) for subject in stuck):
        yield _draft(unit, stuck, found)


def _waits_for_all(unit: Unit, subject: Subject) -> bool:
    """Whether a Job's pods need each other, and the scheduler takes them one by one."""
    workload, job = subject.workload, subject.manifest.item.value
    if workload.kind != "Job" or workload.replicas < 2 or not subject.known_class or not subject.places_pods:
        return False
    strategy = workload.strategy
    if not isinstance(strategy, JobStrategy) or (strategy.completions or 0) > strategy.parallelism:
        return False
    if workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held or is_started_whole(job):
        return False
    return sign_of_waiting(job) is not None


def _draft(unit: Unit, stuck: Sequence[Subject], found: Gang) -> Draft:
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
        f"started at the same moment, {names} {verb} for ever: {' and '.join(told)}, and none gives its part back",
        manifest,
        cause=" ".join(one.workload.key for one in stuck),
        certainty="certain" if unit.complete else "possible",
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
