"""Rollouts that start at the same moment and block each other, although each one alone would end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import is_certain_together
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.rollout_facts import blocked_by_waiting, judged_together, judgements_in, rolled_in
from kubelint_gpu.builders.waiting_pods import of_one_node
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import no_surge_in
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.messages.kept_pods import keeping
from kubelint_gpu.messages.wait import Wait, story
from kubelint_gpu.messages.wording import cut_off, listed, some, why_open, workload_name
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.search.verdict import Together, Verdict
from kubelint_gpu.values import replace

_APART = "one after the other each of them ends: apply one, wait for kubectl rollout status, apply the next"
_FIRST = "priorityClassName: system-node-critical lets the pod of the DaemonSet evict a pod that took its place"


@rule("KLG106", of_workloads=True)
def rollouts_block_each_other(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads whose new pods wait for each other's resources."""
    for together in judged_together(unit):
        if together.verdict is Verdict.UNDECIDED:
            yield _undecided(unit, together)
        if not together.waits or together.runs.trace is None:
            continue
        rolled = rolled_in(unit, together)
        waits = [wait for subject in rolled for wait in _waits(unit, subject, together.runs.trace)]
        if waits:
            yield _draft(unit, together, together.runs.trace, rolled, waits)
    for together in blocked_by_waiting(unit):
        blocked = [
            one for one in rolled_in(unit, together) if judgements_in(unit)[one.key].verdict is Verdict.COMPLETES
        ]
        waits = [wait for subject in blocked for wait in _waits(unit, subject, together.runs.trace or Trace((), ()))]
        if waits and together.runs.trace is not None:
            draft = _draft(unit, together, together.runs.trace, rolled_in(unit, together), waits)
            yield replace(draft, help=(f"roll {_name(blocked[0])} out by itself: then it ends",))


def _undecided(unit: ApplySet, together: Together) -> Diagnostic:
    rolled = rolled_in(unit, together)
    first = rolled[0].manifest
    names = some([_name(subject) for subject in rolled], "workload")
    ends = f"rollout of {names} ends" if len(rolled) == 1 else f"rollouts of {names} end"
    return Diagnostic(
        "KLG106",
        first.place(field_pointers.strategy(first), "key"),
        f"whether the {ends} if all rollouts start at the same moment is undecided: {cut_off(together.runs.states)}",
        first,
        cause=f"undecided {' '.join(subject.workload.key for subject in rolled)}",
        severity="note",
        certainty="possible",
        undecided=why_open(together.runs.states),
    )


def _waits(unit: ApplySet, subject: WorkloadCheck, trace: Trace) -> Iterator[Wait]:
    for waiting in trace.waiting:
        if waiting.owner == subject.workload.key:
            yield wait_of(unit, subject, waiting, named=True)


def _draft(
    unit: ApplySet, together: Together, trace: Trace, rolled: Sequence[WorkloadCheck], waits: Sequence[Wait]
) -> Diagnostic:
    may = together.verdict is Verdict.MAY_STICK
    involved = _involved(rolled, waits)
    first = next(subject for subject in involved if subject.workload is waits[0].workload)
    place = first.manifest.place(field_pointers.strategy(first.manifest), "key")
    others = [subject for subject in involved if subject is not first]
    closed = is_certain_together(unit, together, involved)
    beyond = "" if closed else "unless there are nodes beyond the inventory, "
    told = _waits_text(involved, waits, may=may)
    # the scheduler prefers other nodes as long as they are emptier
    crowded = may and all(_waits_for_a_common_resource(wait) for wait in waits)
    return Diagnostic(
        "KLG106",
        place,
        f"{beyond}{told}",
        first.manifest,
        cause=" ".join(subject.workload.key for subject in involved),
        severity="note" if crowded else None,
        certainty="certain" if closed and not may else "possible",
        scheduler=waits[0].waiting.scheduler or None,
        related=(
            *(
                Related(
                    one.manifest.place(field_pointers.strategy(one.manifest), "key"), f"{_name(one)} is rolled out, too"
                )
                for one in others
            ),
            *dict.fromkeys(
                place
                for wait in waits[:2]
                for subject in involved
                if subject.workload is wait.workload
                for place in stakes(unit, subject, wait.waiting)
            ),
            *(growing(unit, first) if together.runs.grows else ()),
        ),
        trace=story(trace, waits[0], keeping(first.workload)[1]),
        run=trace,
        cycle=tuple(sentence for wait in waits for sentence in wait.sentences()),
        help=(_FIRST,) if crowded else of_one_node(first, waits[0].waiting) or (_APART,),
        proposals=() if crowded else no_surge_in(involved),
    )


def _waits_for_a_common_resource(wait: Wait) -> bool:
    """Whether a DaemonSet waits only for a resource of every node, such as cpu."""
    lacks = wait.waiting.lacks
    common = bool(lacks) and all(one.resource and "/" not in one.resource for one in lacks)
    return common and wait.workload.kind == "DaemonSet"


def _waits_text(involved: Sequence[WorkloadCheck], waits: Sequence[Wait], *, may: bool) -> str:
    """Return who waits for what; of several waits only the first two."""
    if len(waits) == 1 and not may:
        # another order of events may leave another one waiting
        names = listed([_name(subject) for subject in involved])
        both = "both" if len(involved) == 2 else "all"
        told = replace(waits[0], named=True).clause
        stays = "is never created" if waits[0].waiting.refusal else "stays Pending"
        return f"rolled out together, {names} never {both} finish: a new pod {stays}; for example, {told}"
    if len(waits) == 1:
        others = listed([_name(subject) for subject in involved if subject.workload is not waits[0].workload])
        alone = replace(waits[0], named=False).clause
        return f"rolled out together with {others}, the rollout may never end: {alone}"
    names = listed([_name(subject) for subject in involved])
    clauses = listed([wait.clause for wait in waits[:2]])
    return f"rolled out together, {names} {'may block' if may else 'block'} each other for ever: {clauses}"


def _involved(rolled: Sequence[WorkloadCheck], waits: Sequence[Wait]) -> list[WorkloadCheck]:
    """Return the waiting workloads, then the holders of what they wait for."""
    waiting = [wait.waiting for wait in waits]
    holders = {holder.owner for one in waiting for lack in one.lacks for holder in lack.holders}
    keys = {one.owner for one in waiting}
    mine = [subject for subject in rolled if subject.workload.key in keys]
    rest = [subject for subject in rolled if subject.workload.key not in keys]
    return mine + ([one for one in rest if one.workload.key in holders] or (rest if len(mine) == 1 else []))


def _name(subject: WorkloadCheck) -> str:
    return workload_name(subject.workload)
