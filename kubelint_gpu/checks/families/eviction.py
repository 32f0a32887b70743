"""Rollouts that make room for themselves at the cost of others."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.finding import Related, Step
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.remedies import no_surge, recreate
from kubelint_gpu.checks.stakes import place_of
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wait import told
from kubelint_gpu.checks.wording import counted, listed, owner_name, some
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.admission import extended_resources
from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.rollout.judgement import Judgement
from kubelint_gpu.rollout.trace import Evicted

_CLASS = "priorityClassName"


@rule("KLG108")
def rollout_preempts(unit: Unit) -> Iterator[Draft]:
    """Some run of a rollout evicts pods of somebody else, whose priority is lower."""
    for subject in unit.subjects:
        judgement = unit.judgements.get(id(subject)) if subject.known_class else None
        evicts: dict[str, list[Evicted]] = {}
        for one in judgement.evicts if judgement is not None else ():
            if one.by == subject.workload.key and one.owner != one.by:
                evicts.setdefault(one.owner, []).append(one)
        for owner, found in evicts.items():
            if judgement is not None:
                yield _draft(unit, subject, judgement, owner, found)


def _draft(unit: Unit, subject: Subject, judgement: Judgement, owner: str, found: list[Evicted]) -> Draft:
    manifest, spec = subject.manifest, subject.workload.spec
    nodes = sorted({one.node for one in found})
    count = max(one.count for one in found)
    budgets = sorted({name for one in found for name in one.budgets})
    protected = f", although {_budgets(budgets)} allows no further disruption" if budgets else ""
    lost = ", and nothing creates it again" if any(one.lost for one in found) else ""
    resource = next(iter(extended_resources(spec)), "")
    place = place_of(unit, owner, resource, nodes)
    whose = f"{owner_name(owner)} has priority {found[0].priority}"
    strategy, replicas = subject.workload.strategy, subject.workload.replicas
    surges = isinstance(strategy, DeploymentStrategy) and not strategy.recreate
    trace = judgement.eviction if judgement.eviction is not None and owner in judgement.eviction.evicted else None
    return Draft(
        "KLG108",
        manifest.place(_route(subject)),
        f"a rollout can evict {counted(count, 'pod')} of {owner_name(owner)} (priority {found[0].priority}) from "
        f"{some(nodes, word='or')} for its own new pods (priority {found[0].by_priority}){protected}{lost}",
        manifest,
        cause=owner,
        certainty="certain" if unit.complete else "possible",
        related=(*((Related(place, whose),) if place is not None else ()), *clues(unit, subject, resource, nodes)),
        trace=tuple(
            Step(number, step.actor, told(step.message)) for number, step in enumerate(trace.steps if trace else (), 1)
        ),
        run=trace,
        help=(f"give {owner_name(owner)} a class of at least {found[0].by_priority} if it must not be disturbed",),
        proposals=(no_surge(manifest, replicas), recreate(manifest, replicas)) if surges else (),
    )


def _budgets(names: list[str]) -> str:
    return f"PodDisruptionBudget {names[0]}" if len(names) == 1 else f"each of the budgets {listed(names)}"


def _route(subject: Subject) -> Pointer:
    base = routes.pod_spec(subject.manifest)
    return (*base, _CLASS) if subject.manifest.present((*base, _CLASS)) else base
