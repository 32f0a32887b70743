"""Rollouts that evict pods of other workloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.analysis.certainty import evicts_for_certain
from kubelint_gpu.analysis.rollout_facts import judged_together, judgements_in, rolled_in
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import no_surge, recreate
from kubelint_gpu.evidence.node_lines import clues, place_of
from kubelint_gpu.findings.finding import Step
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.messages.wording import counted, listed, owner_name, some
from kubelint_gpu.simulation.search.trace import Evicted, Trace


@rule("KLG108")
def rollout_preempts(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts, alone or started together, that may evict other workloads' pods of lower priority."""
    told_of: set[tuple[str, str]] = set()
    for subject in (one for one in unit.subjects if one.admitted):
        judgement = judgements_in(unit).get(subject.key)
        if judgement is not None:
            for owner, found in _evicted(subject, judgement.runs.evicts).items():
                told_of.add((subject.workload.key, owner))
                yield _draft(unit, subject, judgement.runs.eviction, owner, found, rolled=judgement.verdict is not None)
    for together in judged_together(unit):
        for subject in rolled_in(unit, together):
            for owner, found in _evicted(subject, together.runs.evicts).items():
                if subject.admitted and (subject.workload.key, owner) not in told_of:
                    yield _draft(unit, subject, together.runs.eviction, owner, found, together=True)


def _overlap(subject: WorkloadCheck) -> str:
    """Return why pods of a rollout are there beside those that they replace; empty if they are not."""
    surge = subject.controller.surge(subject.workload.replicas)
    if surge:
        return f"; maxSurge starts {counted(surge, 'new pod')} while the old ones still run"
    early = subject.controller.has_replica_sets
    return "; maxSurge is 0, but a new pod starts while the old one still ends" if early else ""


def _evicted(subject: WorkloadCheck, evicts: Iterable[Evicted]) -> dict[str, list[Evicted]]:
    """Return the pods evicted for the pods of a workload, by their owners."""
    return grouped((one.owner, one) for one in evicts if one.by == subject.workload.key and one.owner != one.by)


def _draft(
    unit: ApplySet,
    subject: WorkloadCheck,
    eviction: Trace | None,
    owner: str,
    found: list[Evicted],
    *,
    together: bool = False,
    rolled: bool = True,
) -> Diagnostic:
    manifest, spec = subject.manifest, subject.workload.spec
    nodes = sorted({one.node for one in found})
    count = max(one.count for one in found)
    budgets = sorted({name for one in found for name in one.budgets})
    which = "each of the budgets" if len(budgets) > 1 else "PodDisruptionBudget"
    protected = f", although {which} {listed(budgets)} allows no further disruption" if budgets else ""
    lost = ", and nothing creates it again" if any(one.lost for one in found) else ""
    resource = next(iter(extended_resources(spec)), "")
    place = place_of(unit, owner, resource, nodes)
    whose = f"{owner_name(owner)} has priority {found[0].priority}"
    replicas = subject.workload.replicas
    surges = rolled and subject.controller.leaves_first and not subject.controller.recreates
    proposals = (no_surge(manifest, replicas), *(() if subject.workload.custom else (recreate(manifest, replicas),)))
    trace = eviction if eviction is not None and owner in eviction.evicted else None
    victims = owner_name(owner) if owner.startswith("Pod/") else f"{counted(count, 'pod')} of {owner_name(owner)}"
    certain = unit.is_closed_to(subject) if together else evicts_for_certain(unit, subject, owner)
    priority = found[0].by_priority
    told = f"can evict {victims} (priority {found[0].priority}) from {some(nodes, word='or')}"
    if rolled:
        begun = "begun at the same moment as others, " if together else ""
        told = f"{begun}a rollout (priority {priority}) {told}"
        lost += _overlap(subject) if surges else ""
    else:
        told = f"its new pods (priority {priority}) {told}"
    return Diagnostic(
        "KLG108",
        manifest.place(field_pointers.priority_class(subject.manifest)),
        f"{told}{protected}{lost}",
        manifest,
        cause=owner,
        certainty="certain" if certain else "possible",
        related=(*((Related(place, whose),) if place is not None else ()), *clues(unit, subject, resource, nodes)),
        trace=tuple(
            Step(number, one.actor, one.message, about=one.about)
            for number, one in enumerate(trace.steps if trace else (), 1)
        ),
        run=trace,
        help=(f"give {owner_name(owner)} a class of at least {priority} if it must not be disturbed",),
        proposals=proposals if surges else (),
    )
