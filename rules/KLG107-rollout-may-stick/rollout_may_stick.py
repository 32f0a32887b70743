"""Rollouts that may never end: they get stuck in some order of events, or after some placement."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.beyond.any_cluster import may_stick_on_another_node
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.room.overcommitment import overcommitments
from kubelint_gpu.analysis.scaled import waiting_when_scaled
from kubelint_gpu.builders.deadlocks import (
    is_deadlock,
    rollout_ends,
    standstill_somewhere,
    standstill_when_scaled,
    strategy_fixes,
)
from kubelint_gpu.builders.rollout_end import ended, spoken_for, standstill, waits_for_gangs
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.exclusive_lines import exclusive_claims
from kubelint_gpu.messages.wording import NOT_KNOWN, cut_off, listed, verb, why_open, workload_names
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict

_DECLARE = "declare the devices of the nodes: their ResourceSlices and DeviceClasses, or `devices:` in the concise form"
_ONE_WAY = "bind the pods to nodes that serve it in one of these ways: then it is judged"


@rule("KLG107", of_workloads=True)
def rollout_may_stick(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts that get stuck in some order of events, or after some placement."""
    for subject, one in ended(unit, Verdict.MAY_STICK):
        if not spoken_for(subject, one) and not waits_for_gangs(unit, one):
            yield standstill(unit, subject, one, "KLG107", proposals=strategy_fixes(unit, subject, "KLG107"))
    for subject in unit.subjects:
        if subject.key in may_stick_on_another_node(unit):
            claims = listed(exclusive_claims(unit, subject))
            waits = f"where the new pod lands on another node, it waits for claim {claims}, which the old one holds"
            yield standstill_somewhere(unit, subject, "KLG107", waits, strategy_fixes(unit, subject, "KLG107"))
    for subject in unit.subjects:
        found = judgements_in(unit).get(subject.key)
        if rollout_ends(unit, subject):
            scaled = waiting_when_scaled(unit, subject)
            if scaled is not None and not is_deadlock(scaled):
                yield standstill_when_scaled(unit, scaled, "KLG107")
        # of replicas that do not all run for certain, which of them do is of less interest
        short = not subject.controller.rolls and subject.key in overcommitments(unit)
        if found is not None and found.verdict is Verdict.UNDECIDED and not short:
            yield Diagnostic(
                "KLG107",
                subject.manifest.place(field_pointers.strategy(subject.manifest), "key"),
                f"whether {'the rollout ends' if subject.controller.rolls else 'all its pods find room'} is undecided: "
                f"{_given_up(unit, subject) or _unseen(found)}",
                subject.manifest,
                cause="undecided",
                severity="note",
                certainty="possible",
                undecided=NOT_KNOWN if found.unknown or _given_up(unit, subject) else why_open(found.runs.states),
                help=(_ONE_WAY if unit.cluster.devices_known else _DECLARE,) if found.unknown else (),
            )


def _given_up(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Return why no verdict is known even for a single pod; empty if one is known."""
    alone = unit.alone(subject).fit
    return ", ".join(alone.unknown.reasons) if alone is not None and alone.unknown is not None else ""


def _unseen(found: Judgement) -> str:
    if found.unknown:
        return f"{found.unknown} are not looked at"
    if found.company:
        others = f"{workload_names(found.company)} {verb('change', len(found.company))}"
        alone = "never ends" if found.runs.by_itself is Verdict.STUCK else "may never end"
        alone = "ends" if found.runs.by_itself is Verdict.COMPLETES else alone
        return f"by itself it {alone}, but {others} at the same moment; {cut_off(found.runs.states)}"
    return cut_off(found.runs.states)
