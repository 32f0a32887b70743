"""Replicas that find no room, with or without rollouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.analysis.affinity.kept_apart import is_kept_apart
from kubelint_gpu.analysis.certainty import doubt_about, is_certain, may_be_more
from kubelint_gpu.analysis.growing_pools import at_most, growing, placed_of
from kubelint_gpu.analysis.harm import has_others, short_as_before
from kubelint_gpu.analysis.predecessors import acting, needs_new_pods
from kubelint_gpu.builders.common_cause import exclusive_causes, of_shortage, shared_overcommitment
from kubelint_gpu.builders.rollout_end import is_trapped
from kubelint_gpu.builders.waiting_pods import NO_NODE, declare, of_one_node, outranked_by, shortage, unsure_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck
from kubelint_gpu.engine.remedies import fewer_replicas
from kubelint_gpu.evidence.node_lines import lasting_holders, scarce
from kubelint_gpu.evidence.stakes import shortage_lines, stakes, wait_of
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.why_fewer import KEPT_APART, insufficient, refused, what_a_quota_needs, what_helps, why_fewer
from kubelint_gpu.messages.wording import (
    MADE_ANEW,
    amount,
    can_run,
    counted,
    foremost,
    owner_name,
    replicas_text,
    verb,
    workload_names,
)
from kubelint_gpu.simulation.search.trace import Blocker, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import Value

_KEPT = "delete the pods that wait: those that are made then have the template that is written now"


class NextPod(Value):
    """The pod that finds no room after those that run.

    Attributes:
        why: a clause that says why it does not run; empty if that is not known.
        scheduler: the scheduler's message.
        waiting: what it waits for beside everything else, if the clause is about that.
        above: what to do about holders with a higher priority.
        unsure: the claims whose volumes would decide it.
    """

    why: str
    scheduler: str | None
    lacks: tuple[Blocker, ...]
    waiting: Waiting | None = None
    above: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


def pending_replicas(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, *, later: bool = False
) -> Iterator[Diagnostic]:
    """Findings that not all replicas can run at once, unless another rule reports that.

    For `later` judgements, no other rule does.
    """
    placed, now = placed_of(unit, subject, judgement), subject if later else acting(unit, subject)
    # of a template that no node takes, and of a trap, other rules speak
    elsewhere = (not later and is_trapped(subject, judgement)) or (now is subject and not judgement.room.eligible)
    elsewhere = elsewhere or _queues(unit, subject)
    if placed >= judgement.room.wanted or elsewhere or is_kept_apart(unit, subject, judgement):
        return
    pod, anew = _next_pod(unit, now, judgement, placed), needs_new_pods(unit, subject, judgement)
    nature = why_fewer(pod.lacks, judgement.room.refusal if pod.waiting is None else None)
    missing = _missing(subject, judgement, pod, nature)
    proposals = () if anew or later else fewer_replicas(subject, placed)
    anywhere, doubt = unit.world.inventory is None, doubt_about(unit, subject)
    certain = _is_known(judgement, placed, pod) and is_sure(unit, subject, judgement)
    runs = _how_many(unit, subject, judgement, pod)
    yield Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{MADE_ANEW if anew else ''}{f'{doubt}, ' if doubt else ''}{runs}; {nature}",
        subject.manifest,
        cause="replicas",
        certainty="certain" if certain and (anywhere or is_certain(unit, subject, judgement)) else "possible",
        waits=(subject.manifest.object,),
        follows=exclusive_causes(unit, subject, pod.waiting),
        moment="next" if anew else "now",
        scheduler=None if anywhere else pod.scheduler,
        help=(
            *pod.above,
            *((_KEPT,) if now is not subject and subject.controller.on_delete else ()),
            *_ways(unit, subject, now, judgement, pod, missing, fewer=not proposals),
            *declare(pod.unsure),
        ),
        proposals=proposals,
        shared=of_shortage(unit, subject, judgement, missing, nature),
        related=(*_lines(unit, subject, now, judgement, pod, missing), *growing(unit, subject)),
    )


def _queues(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its pods are meant to wait: they did before, they run to completion, or no scheduler places them."""
    return subject.key in short_as_before(unit) or subject.controller.runs_to_completion or not subject.places_pods


def _next_pod(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, placed: int) -> NextPod:
    """Return why no pod runs after those `placed`, of the template from which pods are created now."""
    beside, only = judgement.room.alone > placed, judgement.room.wanted == 1 or not subject.controller.replaces_lost
    text, why, lacks = (None, "", ()) if beside else shortage(unit, subject, judgement, placed)
    waiting = judgement.room.waiting
    if waiting is not None and (beside or why == NO_NODE):
        clause = wait_of(unit, subject, waiting, standing=True, only=only).clause
        above = tuple(outranked_by(unit, subject, waiting)) if beside else ()
        unsure = unsure_claims(unit, subject.workload, waiting)
        return NextPod(clause, waiting.scheduler or None, waiting.lacks, waiting, above, unsure)
    if beside and judgement.room.refusal:
        why = f"{'it' if only else 'the next one'} is refused {refused(judgement.room.refusal)}"
    return NextPod(why, text, lacks)


def _missing(subject: WorkloadCheck, judgement: Judgement, pod: NextPod, nature: str) -> str:
    """Return the resource to point at; empty if the pods lack something else."""
    if pod.lacks or nature == KEPT_APART or subject.workload.spec.resource_claims:
        return insufficient(pod.lacks)
    return "" if pod.waiting is not None and judgement.room.without_place else scarce(subject)


def _lines(
    unit: ApplySet, subject: WorkloadCheck, now: WorkloadCheck, judgement: Judgement, pod: NextPod, missing: str
) -> Iterable[Related]:
    """Return what the next pod waits for, if that is all that is known, else what the nodes lack for its template."""
    if pod.waiting is not None and judgement.room.without_place:
        return stakes(unit, now, pod.waiting)
    return shortage_lines(unit, subject, judgement, missing) if now is subject else ()


def _is_known(judgement: Judgement, placed: int, pod: NextPod) -> bool:
    """Whether no more than those `placed` run, wherever the other workloads are placed."""
    return judgement.room.alone <= placed or bool(judgement.room.at_best == placed and pod.why)


def _how_many(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, pod: NextPod) -> str:
    """`only 2 of 3 replicas can run …: …`: how many pods run, beside which others, and why no more do."""
    placed, pools = placed_of(unit, subject, judgement), at_most(unit, subject)
    anywhere, bare = unit.world.inventory is None, not subject.controller.replaces_lost
    sets = subject.scaled.sets if subject.scaled is not None else ""
    runs = "it cannot run" if bare else can_run(placed, judgement.room.wanted, group=subject.pods_of_replica, sets=sets)
    grown = f" even with {pools}" if pools else " in any cluster" if anywhere else ""
    others = anywhere or has_others(unit, subject)
    told = f"{runs}{grown}"
    if not _is_known(judgement, placed, pod):
        first = f"if {'the other workloads applied with it' if others else 'its other pods'} are placed first"
        told = f"{runs.replace('only', 'as few as', 1) if placed else runs}{grown} {first}"
        if judgement.room.wanted == 1:
            told = f"{'it' if bare else 'its pod'} may find no room {first}"
    elif judgement.room.alone > placed and others:
        told += " beside the other workloads"
    told += f": {pod.why}" if pod.why else ""
    company = judgement.company if judgement.room.alone >= judgement.room.wanted else ()
    if company:
        changes, makes = (verb(word, len(company)) for word in ("change", "make"))
        told = f"{told}, unless {workload_names(company)}, which {changes} at the same moment, {makes} room"
    return told


def _ways(
    unit: ApplySet,
    subject: WorkloadCheck,
    now: WorkloadCheck,
    judgement: Judgement,
    pod: NextPod,
    missing: str,
    *,
    fewer: bool,
) -> tuple[str, ...]:
    """Return what lets the other pods run; with `fewer`, also that fewer replicas would do."""
    shares = of_one_node(now, pod.waiting) if pod.waiting is not None else ()
    if shares:
        return shares
    if judgement.room.refusal is not None:
        return (what_a_quota_needs(judgement.room.refusal),)
    placed = placed_of(unit, subject, judgement)
    owners = {owner for lack in every(pod.waiting.lacks if pod.waiting is not None else ()) for owner in lack.owners}
    others = sorted(owners - {subject.workload.key})
    others = [*map(owner_name, others or lasting_holders(unit, subject, missing, judgement.room.eligible))]
    fewer = fewer and subject.controller.replaces_lost
    room = room_needed(subject, missing, judgement.room.wanted - placed, others, placed if fewer else 0)
    return (what_helps(pod.lacks) or room,)


def room_needed(subject: WorkloadCheck, resource: str, more: int, others: Sequence[str], placed: int) -> str:
    """Return what helps `more` pods, which lack room beside `others`, or that only those `placed` should run."""
    each = pod_requests(subject.workload.spec).get(resource, 0)
    asks = f" with {amount(resource, each)}{' each' * (more > 1)}" if each else ""
    group = subject.pods_of_replica
    room = f"{counted(more, 'more pod')}{asks}"
    if group > 1:
        room = f"{counted(-(-more // group), 'more group')} ({room})"
    ways = [f"add nodes with room for {room}", *[f"let {foremost(others)} take less"] * bool(others)]
    if placed >= group:
        ways.append(f"run only {replicas_text(placed, group)}")
    return ", or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))


def overcommitted(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[Diagnostic]:
    """The finding that several workloads together ask for more than there is, if no search says more."""
    shared = shared_overcommitment(unit, subject)
    if shared is None:
        return
    yield Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{'its pod' if judgement.room.wanted == 1 else 'some of its pods'} may find no room if the other workloads "
        "applied with it are placed first; this is missing capacity, not a rollout deadlock",
        subject.manifest,
        cause="replicas",
        certainty="possible",
        waits=(subject.manifest.object,),
        shared=shared,
        related=tuple(shortage_lines(unit, subject, judgement, scarce(subject))),
    )


def refused_daemon_pods(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[Diagnostic]:
    """The finding that a quota refuses pods of a DaemonSet, so that they are not created."""
    refusal = judgement.room.refusal
    if refusal is None:
        return
    missing, made = judgement.room.missing, counted(judgement.room.wanted, "node")
    are = "is" if missing == 1 else "are"
    yield Diagnostic(
        "KLG109",
        subject.manifest.place(("spec",), "key"),
        f"of the pods that it makes for {made}, {missing} {are} refused {refused(refusal)}; {why_fewer((), refusal)}",
        subject.manifest,
        cause="daemon pods",
        certainty="certain" if is_certain(unit, subject, judgement) else "possible",
        severity="warning",
        help=(what_a_quota_needs(refusal),),
        related=tuple(shortage_lines(unit, subject, judgement, "")),
        shared=of_shortage(unit, subject, judgement, "", ""),
    )


def is_sure(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether no order of events lets more of its replicas run, with any other changes at the same moment."""
    placed, room = placed_of(unit, subject, judgement), judgement.room
    if (judgement.company and room.alone >= room.wanted) or room.alone > placed != room.at_best:
        return False
    if room.waiting is not None and unsure_claims(unit, subject.workload, room.waiting):
        return False
    return not may_be_more(unit, subject, judgement)
