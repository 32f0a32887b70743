"""The end of stuck rollouts: the run, the waiting pod, the rule that reports it, and the finding itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import proviso
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.predecessors import is_made, shows_template
from kubelint_gpu.analysis.rollout_facts import judgements_in, next_rollouts
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.common_cause import exclusive_causes, of_standstill
from kubelint_gpu.builders.jobs.stuck_gangs import never_released
from kubelint_gpu.builders.kubelet_refusal import refused_by_kubelet
from kubelint_gpu.builders.waiting_pods import declare, of_one_node, unsure_claims
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Moment,
    Place,
    Related,
    WorkloadCheck,
    field_pointers,
)
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.messages.kept_pods import help_beside, keeping, numbers, rivals_for_room, surges_on_nodes
from kubelint_gpu.messages.wait import story
from kubelint_gpu.messages.wording import counted, verb, workload_names
from kubelint_gpu.simulation.search.trace import Trace, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import Value

_UNTOLD = ("it ends where the pods that run have this template, images as well, which the inventory does not tell",)


class End(Value):
    """The end of the shortest stuck run, the pod that waits there, and its judgement."""

    trace: Trace
    waiting: Waiting
    judgement: Judgement


class Occasion(Value):
    """What a rollout begins with, if not simply with its change.

    Attributes:
        after: what happens between this change, which rolls out, and that rollout, as in `once the Job has ended`.
        at_once: nothing happens between.
        perhaps: it never ends only if `after` comes first.
    """

    after: str = ""
    at_once: bool = False
    perhaps: bool = False


def ended(unit: ApplySet, verdict: Verdict) -> Iterator[tuple[WorkloadCheck, End]]:
    """Yield the rollouts with a verdict, each with the pod that waits at the end of the shortest run.

    If counting decided and there is no run, only the waiting new pod is known. Of templates that are replaced together,
    one is returned, preferably that of the waiting pod.
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
    """The end of the run of a judgement."""
    key = judgement.workload.key
    trace = judgement.runs.trace or Trace((), ())
    mine = [one for one in trace.waiting if one.owner == key]
    unknown = Waiting(key, new=True, count=1)
    return End(trace, next(iter((*mine, *trace.waiting)), unknown), judgement)


def spoken_for(subject: WorkloadCheck, end: End) -> bool:
    """Whether another rule reports the stuck rollout: of a StatefulSet, or of a DaemonSet that surges."""
    return surges_into_itself(subject, end) if subject.controller.node_bound else subject.controller.has_ordinals


def surges_into_itself(subject: WorkloadCheck, end: End) -> bool:
    """Whether the new pods of a DaemonSet start beside the old ones and are blocked by them.

    If others fill the node, another strategy does not help.
    """
    if not surges_on_nodes(subject.controller) or subject.controller.on_delete:
        return False
    holders = [holder for lack in end.waiting.lacks for holder in lack.holders]
    mine = any(holder.owner == subject.workload.key and not holder.new for holder in holders)
    return mine or bool(end.waiting.refusal) or not end.waiting.lacks


def is_trapped(subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether pods without a node block all later changes of a StatefulSet: it creates pods one after the other."""
    if not subject.controller.ordered or subject.controller.on_delete:
        return False
    return judgement.room.is_short and judgement.room.alone < judgement.room.wanted


def waits_for_gangs(unit: ApplySet, end: End) -> bool:
    """Whether a pod waits for resources that Jobs never release, which KLG113 reports as the cause."""
    whole = {one.new.key for one in transitions_in(unit).values() if one.whole}
    jobs = {owner for lack in end.waiting.lacks for owner in lack.owners} & whole
    return bool(jobs) and not jobs.isdisjoint(never_released(unit))


def standstill(
    unit: ApplySet,
    subject: WorkloadCheck,
    end: End,
    code: str,
    *,
    place: Place | None = None,
    proposals: Sequence[FixCandidate] = (),
    occasion: Occasion | None = None,
) -> Diagnostic:
    """The finding that a rollout never ends or may never end, if it begins on an occasion, else with its change."""
    occasion = occasion or Occasion()
    manifest, workload = subject.manifest, subject.workload
    may = occasion.perhaps or end.judgement.verdict is Verdict.MAY_STICK
    place = manifest.place(field_pointers.strategy(manifest), "key") if place is None else place
    wait = wait_of(unit, subject, end.waiting)
    why, keeps, label = keeping(workload)
    closed = not proviso(unit, subject, end.judgement)
    moment, begins = _beginning(unit, subject, end, occasion)
    scaled, replicas = subject.scaled, counted(workload.replicas, "replica")
    unknown = unsure_claims(unit, workload, end.waiting)
    others = end.judgement.company
    ends = "may never end" if may or unknown or workload.approximate else "never ends"
    beside = ""
    if others and not may:
        ends += " unless others make room in time"
        beside = f"; {workload_names(others)} {verb('change', len(others))} at the same moment"
    which = "the next" if moment == "next" else "the"
    draft = Diagnostic(
        code,
        place,
        f"{begins}{which} rollout {ends}: {wait.clause}, and {why}{beside}",
        manifest,
        cause="rollout",
        certainty="certain" if closed and not may and not unknown else "possible",
        severity="warning" if (may or _comes_later(unit, subject, occasion)) and closed else None,
        moment=moment,
        shared=of_standstill(unit, end.waiting, begins, ends.replace("ends", "end")),
        help=(
            *filter(None, (subject.controller.remedy,)),
            *of_one_node(subject, end.waiting),
            *declare(unknown),
            *(_UNTOLD if may and moment == "now" and not shows_template(unit, subject) else ()),
            *help_beside(others, may=may),
            *(() if proposals else (*rivals_for_room(workload, end.waiting), *_spare_room(subject, end.waiting))),
        ),
        scheduler=end.waiting.scheduler or None,
        related=(
            *((Related(place, label),) if label else ()),
            *((Related(scaled.place, f"it sets {replicas}"),) if scaled is not None else ()),
            *stakes(unit, subject, end.waiting),
            *(growing(unit, subject) if end.judgement.runs.grows else ()),
        ),
        trace=story(end.trace, wait, keeps),
        run=end.trace,
        cycle=(*wait.sentences(), *numbers(workload)),
        proposals=tuple(proposals),
        waits=(
            manifest.object,
            f"{manifest.object} at {workload.replicas}",
            *exclusive_causes(unit, subject, end.waiting),
        ),
    )
    return refused_by_kubelet(draft, wait, f"{begins}{which} rollout {ends}", f"{why}{beside}")


def _spare_room(subject: WorkloadCheck, waiting: Waiting) -> tuple[str, ...]:
    """What helps if no field of the workload can be set: room for the new pods."""
    if not subject.workload.custom or subject.controller.remedy or not any(one.resource for one in waiting.lacks):
        return ()
    return ("add nodes with room for the new pods, or scale it down before the change",)


def _comes_later(unit: ApplySet, subject: WorkloadCheck, occasion: Occasion) -> bool:
    """Whether this change creates the workload, or the rollout is that of a later change."""
    return is_made(unit, subject) or (subject.key in next_rollouts(unit).judgements and not occasion.at_once)


def _beginning(unit: ApplySet, subject: WorkloadCheck, end: End, occasion: Occasion) -> tuple[Moment, str]:
    """Return when the rollout begins, and the clauses that say so: under which proviso, after what, how large."""
    made, after, unless = is_made(unit, subject), occasion.after, proviso(unit, subject, end.judgement)
    moment: Moment = "next" if _comes_later(unit, subject, occasion) else "now"
    moment = "later" if after and not occasion.at_once else moment
    change = transitions_in(unit).get(subject.key)
    rolls = moment != "now" and change is not None and change.rolls and (change.known or not after)
    begins = "this change starts it, and " if made else "this change rolls out, and " if rolls else ""
    begins += f"{unless}, " if unless and not subject.workload.approximate else ""
    begins += f"{after}, " if after else ""
    if subject.scaled is not None:
        begins += f"at {counted(subject.workload.replicas, 'replica')}, which {subject.scaled.sets}, "
    return moment, begins
