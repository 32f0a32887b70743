"""Preemption of pods that a disruption budget protects."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.waiting_pods import waiting_for_room
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, field_pointers, rule
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.messages.wording import budget_names, counted, owner_name, some, verb
from kubelint_gpu.scheduler import Candidate

_MOST_RELATED = 4


@rule("KLG306", of_workloads=True)
def preempts_protected(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that find room only by evicting pods whose disruption budget allows no disruption."""
    for subject, found in waiting_for_room(unit):
        preemption = found.preemption
        if preemption is None or not preemption.succeeds or not preemption.violations:
            continue
        chosen = preemption.best[0]
        budgets = _budgets(unit, chosen)
        if not budgets:
            continue
        manifest = subject.manifest
        yield Diagnostic(
            "KLG306",
            manifest.place(field_pointers.priority_class(subject.manifest)),
            f"its pod finds room only by evicting {_names(chosen.victims)} from {chosen.node}, although "
            f"{budget_names(budgets)} {verb('allow', len(budgets))} no disruption: preemption does not keep to it",
            manifest,
            cause="/".join(budgets),
            certainty="certain" if unit.complete else "possible",
            scheduler=found.message,
            related=(*_budget_places(unit, budgets), *_victim_places(unit, chosen)),
        )


def _names(victims: tuple[Pod, ...]) -> str:
    makers = {pod.key if pod.meta.owner is None else owner_name(pod.meta.maker.key) for pod in victims}
    return f"{counted(len(victims), 'pod')} ({some(sorted(makers), 'owner')})"


def _budgets(unit: ApplySet, chosen: Candidate) -> list[str]:
    """Return the budgets that cover the victims and allow no disruption, sorted by name."""
    return sorted(
        budget.meta.name
        for budget in unit.cluster.disruption_budgets
        if any(budget.restrains_preemption(pod) for pod in chosen.victims)
    )


def _budget_places(unit: ApplySet, names: list[str]) -> Iterator[Related]:
    for name in names[:_MOST_RELATED]:
        yield from told_at(unit, "PodDisruptionBudget", name, f"{name} protects them")


def _victim_places(unit: ApplySet, chosen: Candidate) -> Iterator[Related]:
    for pod in chosen.victims[:_MOST_RELATED]:
        told = f"{pod.meta.name} has priority {pod.spec.priority or 0} and would go"
        yield from told_at(unit, "Pod", pod.meta.name, told)
