"""Workloads whose pods keep a node from being drained."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.kube.rolling import DaemonSetStrategy, JobStrategy
from kubelint_gpu.rollout.drain import Drained, drain
from kubelint_gpu.values import replace


def held_drains(unit: Unit) -> Iterator[tuple[Subject, list[Drained]]]:
    """Each workload that budgets do not let go: from which nodes, and how many of its pods."""
    budgets = unit.cluster.disruption_budgets if unit.has_nodes else ()
    ready = [subject for subject in unit.subjects if _stays(unit, subject)] if budgets else []
    if not any(budget.selects(subject.pod) for budget in budgets for subject in ready):
        return
    blocked: dict[str, list[Drained]] = {}
    for found in drain([subject.workload for subject in ready], unit.cluster):
        if found.blocked:
            blocked.setdefault(found.owner, []).append(found)
    for subject in ready:
        mine = blocked.get(subject.workload.key, [])
        if unit.may_grow_for(subject):
            # what finds no room may find a new node; a budget that lets nothing go stays as it is
            mine = [replace(one, elsewhere=one.pods) for one in mine if one.refused or one.allowed == 0]
        if mine:
            yield subject, mine


def _stays(unit: Unit, subject: Subject) -> bool:
    strategy = subject.workload.strategy
    if isinstance(strategy, (DaemonSetStrategy, JobStrategy)) or not subject.workload.replicas:
        return False
    return subject.places_pods and subject.known_class and unit.fits_somewhere(subject)
