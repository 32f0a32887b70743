"""A rollout that comes to a standstill, as a finding: who waits for what, and why nothing moves any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.rollout_facts import judgements_in, next_rollouts
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.common_cause import of_standstill
from kubelint_gpu.builders.kubelet_refusal import refused_by_kubelet
from kubelint_gpu.builders.waiting_pods import declare, unsure_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Place, Related, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.exclusive_lines import exclusive_lines
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.findings.finding import Moment
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.kept_pods import keeping, numbers, surges_on_nodes
from kubelint_gpu.messages.wait import every, host_ports, story
from kubelint_gpu.messages.wording import counted, listed, owner_name, some, verb, workload_names
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Trace, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class End:
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


def standstill(
    unit: ApplySet,
    subject: WorkloadCheck,
    end: End,
    code: str,
    *,
    place: Place | None = None,
    may: bool | None = None,
    proposals: Sequence[FixCandidate] = (),
    after: str = "",
) -> Diagnostic:
    """The finding that a rollout never ends or, with `may`, may never end.

    Attributes:
        after: what comes between this change, which rolls out, and that rollout, as in `once the Job has ended`.
    """
    manifest, workload = subject.manifest, subject.workload
    may = code == "KLG107" if may is None else may
    place = manifest.place(field_pointers.strategy(manifest), "key") if place is None else place
    wait = wait_of(unit, subject, end.waiting)
    why, keeps, label = keeping(workload)
    closed = is_certain(unit, subject, end.judgement)
    beyond = "" if closed or workload.approximate else "unless there are nodes beyond the inventory, "
    made, coming = is_made(unit, subject), subject.key in next_rollouts(unit).judgements
    moment: Moment = "later" if after else "next" if made or coming else "now"
    change = transitions_in(unit).get(subject.key)
    rolls = moment != "now" and change is not None and change.rolls and (change.known or not after)
    done = "this change starts it, and " if made else "this change rolls out, and " if rolls else ""
    scaled, replicas = subject.scaled, counted(workload.replicas, "replica")
    begins = f"{done}{beyond}{f'{after}, ' if after else ''}"
    begins += f"at {replicas}, which {scaled.sets}, " if scaled is not None else ""
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
        severity="warning" if (may or made or coming) and closed else None,
        moment=moment,
        shared=of_standstill(unit, end.waiting, begins, ends.replace("ends", "end")),
        help=(
            *filter(None, (subject.controller.remedy,)),
            *declare(unknown),
            *_help(others, may=may),
            *(() if proposals else _rivals(workload, end.waiting)),
        ),
        scheduler=end.waiting.scheduler or None,
        related=(
            *((Related(place, label),) if label else ()),
            *((Related(scaled.place, f"it sets {replicas}"),) if scaled is not None else ()),
            *stakes(unit, subject, end.waiting),
            *(growing(unit, subject) if end.judgement.grows else ()),
        ),
        trace=story(end.trace, wait, keeps),
        run=end.trace,
        cycle=(*wait.sentences(), *numbers(workload)),
        proposals=tuple(proposals),
    )
    return refused_by_kubelet(draft, wait, f"{begins}{which} rollout {ends}", f"{why}{beside}")


def standstill_anywhere(
    unit: ApplySet, subject: WorkloadCheck, end: End, code: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in any cluster: no node is named, since none is known."""
    manifest, workload = subject.manifest, subject.workload
    wait = wait_of(unit, subject, end.waiting)
    why, _, label = keeping(workload)
    clause, sentences = wait.clause, tuple(wait.sentences())
    if code == "KLG102":
        ports = listed([str(port) for port in host_ports(workload.spec)])
        one = len(end.waiting.lacks) == 1
        node, holder = ("the only node", "the old pod") if one else ("the only nodes", "the old pods")
        clause = f"the new pod waits for host port {ports} of {node} that it may go to, held by {holder}"
        sentences = (clause,)
    place = manifest.place(field_pointers.strategy(manifest), "key")
    return Diagnostic(
        code,
        place,
        f"the rollout never ends in any cluster: {clause}, and {why}",
        manifest,
        cause="rollout",
        related=(Related(place, label), *exclusive_lines(unit, subject, end.waiting)),
        cycle=(*sentences, *numbers(workload)),
        proposals=tuple(proposals),
    )


def standstill_somewhere(
    unit: ApplySet, subject: WorkloadCheck, code: str, waits: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in some clusters; `waits` says in which, and what for.

    It is a note, for it is so of many; where every node is to count as full it is a warning.
    """
    manifest, workload = subject.manifest, subject.workload
    why, _, label = keeping(workload)
    place = manifest.place(field_pointers.strategy(manifest), "key")
    return Diagnostic(
        code,
        place,
        f"the rollout may never end: {waits}, and {why}",
        manifest,
        cause="rollout",
        certainty="possible",
        severity="warning" if unit.world.full else "note",
        related=(Related(place, label),),
        cycle=numbers(workload),
        help=("give --inventory to learn whether the cluster lets it end",),
        proposals=tuple(proposals),
    )


def _rivals(workload: Workload, waiting: Waiting) -> Iterator[str]:
    """What keeps others from the room that an old pod leaves before its successor has it."""
    holders = {holder.owner for lack in every(waiting.lacks) for holder in lack.holders}
    rivals = [owner_name(key) for key in sorted(holders - {workload.key})]
    if rivals and not workload.spec.node_name:
        yield (
            "nothing keeps the room free between an old pod and its successor: a higher priority than that of "
            f"{some(rivals, 'workload')} does, or nodes of its own"
        )


def _help(others: Sequence[Workload], *, may: bool) -> Iterator[str]:
    names = workload_names(others)
    if others and may:
        changes, them = verb("change", len(others)), "it" if len(others) == 1 else "them"
        yield f"{names} {changes} at the same moment: the rollout never ends where it comes after {them}, as told here"
    elif others:
        yield f"rolled out at the same moment as {names}, it ends only in a lucky order of events"
