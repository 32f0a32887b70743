"""How rollouts that get stuck end: the run, the pod that waits there, and which rule speaks of it."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis import held_by_gangs
from kubelint_gpu.analysis.rollout_facts import judgements_in, next_rollouts
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.jobs.stuck_gangs import never_released
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.messages.kept_pods import surges_on_nodes
from kubelint_gpu.simulation.search.trace import Trace, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import Value


class End(Value):
    """The end of the shortest run that gets stuck, the pod that waits there, and the judgement that tells of it."""

    trace: Trace
    waiting: Waiting
    judgement: Judgement


def ended(unit: ApplySet, verdict: Verdict) -> Iterator[tuple[WorkloadCheck, End]]:
    """The rollouts with a verdict, each with the pod that waits at the end of the shortest run.

    Where counting places decided and no run could be told, the new pod waits and that is all there is to say.
    Of templates that are replaced together, one is told: that of the pod that waits if there is a choice.
    """
    found: dict[str, tuple[WorkloadCheck, End]] = {}
    for subject in unit.subjects:
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None:
            continue
        if judgement.verdict is not verdict:
            judgement = next_rollouts(unit).judgements.get(subject.key)
        if judgement is not None and judgement.verdict is verdict:
            end, whole = end_of(judgement), subject.controller.waits_for or subject.key
            if whole not in found or end.waiting.owner == subject.workload.key:
                found[whole] = subject, end
    yield from found.values()


def waits_later(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its rollout ends and the next one may not."""
    found = next_rollouts(unit).judgements.get(subject.key)
    return found is not None and found.waits


def end_of(judgement: Judgement) -> End:
    """The end of the run that a judgement tells."""
    key = judgement.workload.key
    trace = judgement.trace or Trace((), ())
    mine = [one for one in trace.waiting if one.owner == key]
    unknown = Waiting(key, new=True, count=1)
    return End(trace, next(iter((*mine, *trace.waiting)), unknown), judgement)


def spoken_for(subject: WorkloadCheck, end: End) -> bool:
    """Whether a rule of its own speaks of the workload's standstill: a StatefulSet's, a DaemonSet's that surges."""
    return surges_into_itself(subject, end) if subject.controller.node_bound else subject.controller.has_ordinals


def surges_into_itself(subject: WorkloadCheck, end: End) -> bool:
    """Whether the new pods of a DaemonSet start beside the old ones, and these are in their way.

    A node that others fill is nothing that another strategy changes.
    """
    if not surges_on_nodes(subject.controller) or subject.controller.on_delete:
        return False
    holders = [holder for lack in end.waiting.lacks for holder in lack.holders]
    mine = any(holder.owner == subject.workload.key and not holder.new for holder in holders)
    return mine or bool(end.waiting.refusal) or not end.waiting.lacks


def is_trapped(subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether pods that find no node keep all later changes from a StatefulSet: it makes them one after the other."""
    if not subject.controller.ordered or subject.controller.on_delete:
        return False
    return judgement.placed < judgement.wanted and judgement.alone < judgement.wanted


def waits_for_gangs(unit: ApplySet, end: End) -> bool:
    """Whether a pod waits for what Jobs hold and never give back: that is the cause, and KLG113 says it."""
    whole = {one.new.key for one in transitions_in(unit).values() if one.whole}
    jobs = held_by_gangs.holding(end.waiting) & whole
    return bool(jobs) and not jobs.isdisjoint(never_released(unit))
