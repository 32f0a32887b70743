"""Replicas that find no room, with or without rollouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.affinity.kept_apart import is_kept_apart
from kubelint_gpu.analysis.certainty import doubt_about, is_certain, may_be_more
from kubelint_gpu.analysis.growing_pools import at_most, growing, placed_of
from kubelint_gpu.analysis.harm import has_others, short_as_before
from kubelint_gpu.analysis.predecessors import acting, needs_new_pods
from kubelint_gpu.builders.common_cause import of_shortage, shared_overcommitment
from kubelint_gpu.builders.rollout_end import is_trapped
from kubelint_gpu.builders.waiting_pods import NO_NODE, declare, of_one_node, outranked_by, shortage, unsure_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck
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
from kubelint_gpu.simulation.search.verdict import Judgement

_KEPT = "delete the pods that wait: those that are made then have the template that is written now"


def pending_replicas(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, *, later: bool = False
) -> Iterator[Diagnostic]:
    """Findings that not all replicas can run at once, unless another rule reports that.

    For `later` judgements, no other rule does.
    """
    placed, pools = placed_of(unit, subject, judgement), at_most(unit, subject)
    manifest, now = subject.manifest, subject if later else acting(unit, subject)
    if placed >= judgement.wanted or not (judgement.eligible or now is not subject):
        # of a template that no node takes other rules speak
        return
    if (
        subject.key in short_as_before(unit)
        or subject.controller.runs_to_completion
        or not subject.places_pods
        or (is_trapped(subject, judgement) and not later)
    ):
        # Jobs may queue, and of a trap another rule speaks
        return
    if is_kept_apart(unit, subject, judgement):
        return
    beside = judgement.alone > placed
    bare = not subject.controller.replaces_lost
    anew = needs_new_pods(unit, subject, judgement)
    only = bare or judgement.wanted == 1
    text, why, lacks = shortage(unit, now, judgement, placed) if not beside else (None, "", ())
    unsure: tuple[str, ...] = ()
    waiting = judgement.waiting if beside or why == NO_NODE else None
    if waiting is not None:
        waits = wait_of(unit, now, waiting, standing=True, only=only)
        text, why, lacks = waiting.scheduler or None, waits.clause, waiting.lacks
        unsure = unsure_claims(unit, now.workload, waiting)
    elif beside and judgement.refusal:
        why = f"{'it' if only else 'the next one'} is refused {refused(judgement.refusal)}"
    nature = why_fewer(lacks, judgement.refusal if waiting is None else None)
    above = outranked_by(unit, now, waiting) if beside and waiting is not None else ()
    company = judgement.company if judgement.alone >= judgement.wanted else ()
    known = bool(judgement.at_best == placed and why) or not beside
    anywhere = unit.world.inventory is None
    certain = known and is_sure(unit, subject, judgement) and (anywhere or is_certain(unit, subject, judgement))
    doubt = doubt_about(unit, subject)
    sets = subject.scaled.sets if subject.scaled is not None else ""
    runs = can_run(placed, judgement.wanted, group=subject.pods_of_replica, sets=sets)
    runs = "it cannot run" if bare else runs
    grown = f" even with {pools}" if pools else " in any cluster" if anywhere else ""
    elsewise = waiting is not None and bool(judgement.without_place)
    unnamed = elsewise or nature == KEPT_APART or subject.workload.spec.resource_claims
    missing = insufficient(lacks) or ("" if unnamed or lacks else scarce(subject))
    proposals = () if anew or later else fewer_replicas(subject, placed)
    owners = {owner for lack in every(waiting.lacks if waiting is not None else ()) for owner in lack.owners}
    holders = sorted(owners - {subject.workload.key}) or lasting_holders(unit, subject, missing, judgement.eligible)
    others = [*map(owner_name, holders)]
    helps = room_needed(subject, missing, judgement.wanted - placed, others, 0 if bare or proposals else placed)
    shares = of_one_node(now, waiting) if waiting is not None else ()
    helps = what_helps(lacks) or helps
    if judgement.refusal is not None:
        helps = what_a_quota_needs(judgement.refusal)
    if beside:
        of_others = anywhere or has_others(unit, subject)
        first = f"if {'the other workloads applied with it' if of_others else 'its other pods'} are placed first"
        told = f"{runs.replace('only', 'as few as', 1) if placed else runs}{grown} {first}"
        if known:
            told = f"{runs}{grown}{' beside the other workloads' * of_others}"
        elif judgement.wanted == 1:
            told = f"{'it' if bare else 'its pod'} may find no room {first}"
        told = f"{told}: {why}" if why else told
    else:
        told = f"{runs}{grown}: {why}"
    if company:
        changes, makes = (verb(word, len(company)) for word in ("change", "make"))
        told = f"{told}, unless {workload_names(company)}, which {changes} at the same moment, {makes} room"
    kept = now is not subject and subject.controller.on_delete
    yield Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{MADE_ANEW if anew else ''}{f'{doubt}, ' if doubt else ''}{told}; {nature}",
        manifest,
        cause="replicas",
        certainty="certain" if certain else "possible",
        waits=(manifest.object,),
        moment="next" if anew else "now",
        scheduler=None if anywhere else text,
        help=(*above, *((_KEPT,) if kept else ()), *(shares or (helps,)), *declare(unsure)),
        proposals=proposals,
        shared=of_shortage(unit, subject, judgement, missing, nature),
        related=(
            *(stakes(unit, now, waiting) if elsewise and waiting is not None else ()),
            *(() if elsewise or now is not subject else shortage_lines(unit, subject, judgement, missing)),
            *growing(unit, subject),
        ),
    )


def room_needed(subject: WorkloadCheck, resource: str, more: int, others: Sequence[str], placed: int) -> str:
    """Return what helps `more` pods, which lack room beside `others`, or that only those `placed` should run."""
    each = pod_requests(subject.workload.spec).get(resource, 0)
    asks = f" with {amount(resource, each)}{' each' * (more > 1)}" if each else ""
    ways = [f"add nodes with room for {counted(more, 'more pod')}{asks}"]
    ways += [f"let {foremost(others)} take less"] * bool(others)
    if placed >= subject.pods_of_replica:
        ways.append(f"run only {replicas_text(placed, subject.pods_of_replica)}")
    return ", or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))


def overcommitted(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[Diagnostic]:
    """The finding that several workloads together ask for more than there is, if no search says more."""
    shared = shared_overcommitment(unit, subject)
    if shared is None:
        return
    yield Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{'its pod' if judgement.wanted == 1 else 'some of its pods'} may find no room if the other workloads "
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
    refusal = judgement.refusal
    if refusal is None:
        return
    missing, made = judgement.wanted - judgement.placed, counted(judgement.wanted, "node")
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
    placed = placed_of(unit, subject, judgement)
    if (judgement.company and judgement.alone >= judgement.wanted) or judgement.alone > placed != judgement.at_best:
        return False
    if judgement.waiting is not None and unsure_claims(unit, subject.workload, judgement.waiting):
        return False
    return not may_be_more(unit, subject, judgement)
