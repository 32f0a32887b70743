"""Rollouts of StatefulSets."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.kept_apart import is_kept_apart
from kubelint_gpu.analysis.certainty import is_certain, outgrown
from kubelint_gpu.analysis.growing_pools import at_most, growing, placed_of
from kubelint_gpu.analysis.predecessors import acting, needs_new_pods
from kubelint_gpu.analysis.rollout_facts import forced_rollback_of
from kubelint_gpu.analysis.room.known_room import room_in
from kubelint_gpu.builders.pending_replicas import room_needed
from kubelint_gpu.builders.rollout_end import ended, is_trapped, standstill
from kubelint_gpu.builders.waiting_pods import NO_NODE, shortage
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Pointer, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.node_lines import lasting_holders, scarce
from kubelint_gpu.evidence.stakes import shortage_lines, wait_of
from kubelint_gpu.messages.wait import Wait, story
from kubelint_gpu.messages.why_fewer import what_a_quota_needs
from kubelint_gpu.messages.wording import MADE_ANEW, can_run
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.simulation.search.verdict import WAITS, Judgement
from kubelint_gpu.values import replace

_CLAIMS: Pointer = ("spec", "volumeClaimTemplates")
_POLICY: Pointer = ("spec", "podManagementPolicy")


@rule("KLG111", of_workloads=True)
def statefulset_blocked(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield StatefulSets with a pod that is never ready and so blocks all later pods and changes."""
    for verdict in WAITS:
        for subject, end in ended(unit, verdict):
            if subject.controller.has_ordinals:
                # where a pod of an earlier template is in the way
                further = () if end.waiting.new or not end.waiting.pod else (_by_hand(end.waiting.pod),)
                draft = standstill(unit, subject, end, "KLG111")
                yield replace(draft, help=(*draft.help, *further))
    for subject in unit.subjects:
        judgement = room_in(unit, subject)
        if judgement is None or judgement.verdict is not None:
            continue
        if not judgement.room.eligible and acting(unit, subject) is subject:
            # of a template that no node takes other rules speak
            continue
        if not is_trapped(subject, judgement) or outgrown(unit, subject, judgement) or not subject.places_pods:
            continue
        if is_kept_apart(unit, subject, judgement):
            continue
        placed = placed_of(unit, subject, judgement)
        if placed < judgement.room.wanted:
            yield _trap(unit, subject, judgement, placed)
    for subject in unit.subjects if unit.has_nodes else ():
        yield from _forced_rollback(unit, subject)


def _trap(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, placed: int) -> Diagnostic:
    manifest, first = subject.manifest, subject.controller.first_ordinal
    halt = judgement.runs.trace if not at_most(unit, subject) else None
    mine = [one for one in halt.waiting if one.owner == subject.workload.key] if halt is not None else []
    name = next((one.pod for one in mine if one.pod), f"{subject.workload.meta.name}-{first + placed}")
    pools = at_most(unit, subject)
    text, why, _ = shortage(unit, acting(unit, subject), judgement, placed)
    waiting = judgement.room.waiting or next(iter(mine), None)
    if why == NO_NODE and waiting is not None:
        text, why = waiting.scheduler or text, wait_of(unit, subject, waiting, standing=True).clause
    # where no room lacks, it is one of its claims that nothing satisfies
    lacks = waiting.lacks if waiting is not None else ()
    by_claim = bool(subject.workload.claims) and not any(lack.resource for lack in lacks) and not judgement.room.refusal
    shown = shortage_lines(unit, subject, judgement, "" if by_claim else scarce(subject))
    claimed = (Related(manifest.place(_CLAIMS, "key"), "each pod has claims of its own"),) if by_claim else ()
    written = manifest.present(_POLICY)
    order = Related(
        manifest.place(_POLICY) if written else manifest.place(("spec",), "key"),
        f"{'' if written else 'by default '}OrderedReady: nothing is made or replaced while a pod is not ready",
    )
    anew = needs_new_pods(unit, subject, judgement)
    told = f"{MADE_ANEW if anew else ''}{can_run(placed, judgement.room.wanted, group=subject.pods_of_replica)}"
    told += f" even with {pools}" if pools else ""
    others = lasting_holders(unit, subject, scarce(subject), judgement.room.eligible)
    ways = () if by_claim else (room_needed(subject, scarce(subject), judgement.room.wanted - placed, others, placed),)
    held = f", and while {name} is not ready no change of the template reaches any pod"
    if judgement.room.refusal:
        # a pod that was never made is made of the newest template
        held = f", and while {name} is not made no change of the template reaches another pod" if placed else ""
    return Diagnostic(
        "KLG111",
        subject.replicas_place,
        f"{told}{held}: {why}",
        manifest,
        cause="rollout",
        certainty="certain" if is_certain(unit, subject, judgement) else "possible",
        moment="next" if anew else "now",
        scheduler=text,
        related=(order, *claimed, *shown, *growing(unit, subject)),
        trace=story(halt, wait_of(unit, subject, mine[0]), "waits for that pod") if halt is not None and mine else (),
        run=halt if mine else None,
        waits=(manifest.object,),
        help=(what_a_quota_needs(judgement.room.refusal),) if judgement.room.refusal else (*ways, _helpless(name)),
    )


def _forced_rollback(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Yield StatefulSets whose old pod fits nowhere and keeps the new template from all others."""
    workload, controller, manifest = subject.workload, subject.controller, subject.manifest
    before, trace = unit.before_of(subject), forced_rollback_of(unit, subject)
    if before is None or trace is None:
        return
    name, first = workload.meta.name, controller.first_ordinal
    last = first + before.workload.replicas - 1
    which = trace.waiting[0].pod or f"{name}-{first}"
    if last > first and not own_pods(workload, unit.cluster.pods):
        which += f", or {name}-{last} if an earlier template ran before"
    stops = "no further pod may be unavailable" if not controller.ordered else "OrderedReady goes no further"
    yield Diagnostic(
        "KLG111",
        manifest.place(field_pointers.strategy(manifest), "key"),
        "this change may reach no pod: no node takes a pod of the template before it, and where that was applied "
        f"such a pod waits for ever, while {stops}",
        manifest,
        cause="forced rollback",
        certainty="possible",
        scheduler=trace.waiting[0].scheduler or None,
        trace=story(trace, Wait(workload, trace.waiting[0]), "waits for that pod"),
        run=trace,
        help=(_by_hand(f"the pod that waits ({which})"),),
    )


def _by_hand(pod: str) -> str:
    return f"when the change is applied, delete {pod}: it comes back with the new template"


def _helpless(name: str) -> str:
    return f"taking a change back does not help: {name} keeps the template it was made with until it is deleted"
