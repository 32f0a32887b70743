"""Rollouts that never end, one rule for each thing that old pods hold, and changes that stop rollouts of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.beyond.any_cluster import stuck_anywhere, stuck_without_spare_node
from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.ended_jobs import EndedJobs, ended_jobs
from kubelint_gpu.analysis.harm import changing, harmed_rollouts
from kubelint_gpu.analysis.rollout_facts import judgements_in, stuck_by_themselves
from kubelint_gpu.analysis.scaled import ScaledRollout, waiting_when_scaled
from kubelint_gpu.builders.node_pins import wider_selector
from kubelint_gpu.builders.rollout_end import (
    End,
    Occasion,
    end_of,
    ended,
    spoken_for,
    standstill,
    waits_for_gangs,
    waits_later,
)
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Manifest, Related, WorkloadCheck, field_pointers
from kubelint_gpu.engine.remedies import no_daemon_surge, no_surge, no_surge_in, recreate, within_a_revision
from kubelint_gpu.evidence.stakes import stakes, wait_of, why_exclusive
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.messages.kept_pods import keeping, numbers, surges_on_nodes
from kubelint_gpu.messages.wait import every, story
from kubelint_gpu.messages.wording import counted, listed, some, workload_name
from kubelint_gpu.scheduler.plugins.node_ports import port_numbers
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace

_CODES = {"port": "KLG102", "place": "KLG103", "volume": "KLG104"}
"""The rule that a rollout belongs to that never ends, by what the old pods hold."""


def _code(waiting: Waiting) -> str:
    if waiting.refusal:
        return "KLG105"
    return _CODES.get(_held_everywhere(waiting), "KLG101")


def _held_everywhere(waiting: Waiting) -> str:
    """Return what all nodes hold, if it is the first obstacle somewhere; else the first node's first obstacle."""
    for lack in waiting.lacks:
        if all(lack.held in (each.held, *(further.held for further in each.also)) for each in waiting.lacks):
            return lack.held
    return waiting.lacks[0].held if waiting.lacks else ""


def deadlocks(unit: ApplySet, code: str) -> Iterator[Diagnostic]:
    """Yield the rollouts that never end and belong to the rule with this code."""
    for subject in unit.subjects:
        judgement = stuck_anywhere(unit).get(subject.key)
        if judgement is not None and _code(end_of(judgement).waiting) == code:
            yield standstill_anywhere(unit, subject, end_of(judgement), code, strategy_fixes(unit, subject, code))
        elif subject.key in stuck_without_spare_node(unit) and code == "KLG102":
            ports = listed([str(port) for port in port_numbers(subject.workload.spec)])
            waits = f"where no further node takes the new pod, it waits for host port {ports} of an old one"
            yield standstill_somewhere(unit, subject, code, waits, strategy_fixes(unit, subject, code))
    for subject, found in ended(unit, Verdict.STUCK):
        if not spoken_for(subject, found) and not waits_for_gangs(unit, found) and _code(found.waiting) == code:
            yield standstill(unit, subject, found, code, proposals=strategy_fixes(unit, subject, code))
    for subject in unit.subjects:
        judgement = stuck_by_themselves(unit).get(subject.key)
        if judgement is not None and not subject.controller.has_ordinals and _code(end_of(judgement).waiting) == code:
            fixes, without = strategy_fixes(unit, subject, code), "even without the other workloads"
            end = end_of(judgement)
            draft = standstill(unit, subject, end, code, proposals=fixes, occasion=Occasion(without, at_once=True))
            yield from [draft] if draft.certainty == "certain" else ()
    yield from (replace(draft, code=code) for end, draft in harmed(unit) if _code(end.waiting) == code)
    for subject in unit.subjects:
        if rollout_ends(unit, subject):
            scaled = waiting_when_scaled(unit, subject)
            if scaled is not None and is_deadlock(scaled) and _code(end_of(scaled.judgement).waiting) == code:
                yield standstill_when_scaled(unit, scaled, code)


def rollout_ends(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its rollout ends, and the next one as well."""
    found = judgements_in(unit).get(subject.key)
    return found is not None and found.verdict is Verdict.COMPLETES and not waits_later(unit, subject)


def is_deadlock(scaled: ScaledRollout) -> bool:
    """Whether the rollout never ends with the only number of replicas that the autoscaler sets."""
    return scaled.only and scaled.judgement.verdict is Verdict.STUCK


def standstill_when_scaled(unit: ApplySet, scaled: ScaledRollout, code: str) -> Diagnostic:
    """The finding that a rollout does not end, or may not, with the replicas that an autoscaler sets."""
    replicas, proposals = scaled.subject.workload.replicas, strategy_fixes(unit, scaled.subject, code)
    one, sets = scaled.autoscaler, "sets" if scaled.only else "may set"
    after = f"at {counted(replicas, 'replica')}, which {one.name} {sets}"
    end, later = end_of(scaled.judgement), Occasion("" if scaled.only else after)
    draft = standstill(unit, scaled.subject, end, code, proposals=proposals, occasion=later)
    told = f"{after}, {draft.message}" if scaled.only else draft.message
    line = Related(one.manifest.place(one.most), f"it {sets} {counted(replicas, 'replica')}")
    return replace(draft, message=told, cause="rollout when scaled", related=(*draft.related, line))


def harmed(unit: ApplySet) -> Iterator[tuple[End, Diagnostic]]:
    """Yield a finding for each change that stops other rollouts, with the end of the first; its code is open."""
    ends = [(one, end_of(harmed_rollouts(unit)[one.key])) for one in unit.subjects if one.key in harmed_rollouts(unit)]
    by_change = grouped((_change(unit, subject, end).object, (subject, end)) for subject, end in ends)
    manifests = {one.object: one for one in changing(unit)}
    for name, stopped in by_change.items():
        yield stopped[0][1], _quota_deadlock(unit, manifests[name], stopped)


def _change(unit: ApplySet, subject: WorkloadCheck, end: End) -> Manifest:
    """What stops a rollout: the quota that refuses its pod, or the holder of what it waits for, or the first change."""
    refusal, meta = end.waiting.refusal, subject.workload.meta
    holders = {holder.owner for lack in every(end.waiting.lacks) for holder in lack.holders}
    objects = {f"ResourceQuota/{meta.namespace}/{refusal.quota}"} if refusal else set()
    objects |= {one.manifest.object for found in _ended(unit, subject, end) for one in found.jobs}
    return min(
        changing(unit),
        key=lambda one: one.object not in objects and (one.workload is None or one.workload.key not in holders),
    )


def _ended(unit: ApplySet, subject: WorkloadCheck, end: End) -> list[EndedJobs]:
    """The Jobs, one of them new, whose finished pods exhaust the quota."""
    refusal, found = end.waiting.refusal, ended_jobs(unit).get(subject.workload.meta.namespace)
    return [found] if found is not None and found.new and refusal and refusal.quota == found.quota else []


def _quota_deadlock(unit: ApplySet, manifest: Manifest, stopped: list[tuple[WorkloadCheck, End]]) -> Diagnostic:
    (first, end), *_ = stopped
    names = some([workload_name(one.workload) for one, _ in stopped], "workload")
    may = all(one.judgement.verdict is Verdict.MAY_STICK for _, one in stopped)
    closed = not may and is_certain(unit, first, end.judgement)
    wait = wait_of(unit, first, end.waiting, named=True)
    why, keeps, _ = keeping(first.workload)
    ended = _ended(unit, first, end) if manifest.workload is not None else []
    after = f", {ended[0].first()}," if ended else ""
    rollouts = "the next rollout" if len(stopped) == 1 else "the next rollouts"
    ends = "may never end" if may else "never ends" if len(stopped) == 1 else "never end"
    return Diagnostic(
        "",
        manifest.place(("spec", "hard"), "key") if manifest.workload is None else manifest.place(("metadata", "name")),
        f"with this change{after} {rollouts} of {names} {ends}: {wait.clause}, and {why}",
        manifest,
        cause="next rollouts of others",
        severity="warning",
        certainty="certain" if closed else "possible",
        moment="later" if ended else "next",
        scheduler=end.waiting.scheduler or None,
        related=(
            *(
                Related(
                    one.manifest.place(field_pointers.strategy(one.manifest), "key"),
                    ": ".join(filter(None, (workload_name(one.workload), keeping(one.workload)[2]))),
                )
                for one, _ in stopped
            ),
            *stakes(unit, first, end.waiting),
            *(line for found in ended for line in found.lines),
        ),
        trace=story(end.trace, wait, keeps),
        run=end.trace,
        cycle=(*wait.sentences(), *numbers(first.workload)),
        proposals=no_surge_in([one for one, _ in stopped]),
    )


def strategy_fixes(unit: ApplySet, subject: WorkloadCheck, code: str) -> tuple[FixCandidate, ...]:
    """Return fixes with rollout strategies that may not need the resources of the old pods."""
    manifest, replicas = subject.manifest, subject.workload.replicas
    if surges_on_nodes(subject.controller):
        return (no_daemon_surge(manifest),)
    if not subject.controller.leaves_first:
        return ()
    if subject.workload.custom:
        return (no_surge(manifest, replicas), *wider_selector(unit, subject))
    apart = (within_a_revision(manifest, _pods_of_others(unit, subject)),) if code == "KLG103" else ()
    return (no_surge(manifest, replicas), recreate(manifest, replicas), *apart, *wider_selector(unit, subject))


def _pods_of_others(unit: ApplySet, subject: WorkloadCheck) -> tuple[Meta, ...]:
    """The metadata of pods of other owners: of the manifests, and of running ones."""
    selector, namespace = subject.workload.selector, subject.workload.meta.namespace
    made = [one.pod.meta for one in unit.subjects if one.key != subject.key]
    running = [pod.meta for pod in unit.cluster.pods]
    if selector is not None:
        running = [meta for meta in running if meta.namespace != namespace or not selector.matches(meta.labels)]
    return (*made, *running)


def standstill_anywhere(
    unit: ApplySet, subject: WorkloadCheck, end: End, code: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in any cluster."""
    manifest, workload = subject.manifest, subject.workload
    wait = wait_of(unit, subject, end.waiting)
    why, _, label = keeping(workload)
    clause, sentences = wait.clause, tuple(wait.sentences())
    if code in ("KLG102", "KLG103"):
        where = f"the only {'node' if len(end.waiting.lacks) == 1 else 'nodes'} that it may go to"
        holder = "the old pod" if workload.replicas == 1 else "the old pods"
        ports = listed([str(port) for port in port_numbers(workload.spec)])
        what = f"host port {ports} of {where}, held by" if code == "KLG102" else f"a place on {where}, apart from"
        clause = f"the new pod waits for {what} {holder}"
        sentences = (clause,)
    place = manifest.place(field_pointers.strategy(manifest), "key")
    return Diagnostic(
        code,
        place,
        f"the rollout never ends in any cluster: {clause}, and {why}",
        manifest,
        cause="rollout",
        related=(Related(place, label), *why_exclusive(unit, subject, end.waiting)),
        cycle=(*sentences, *numbers(workload)),
        proposals=tuple(proposals),
    )


def standstill_somewhere(
    unit: ApplySet, subject: WorkloadCheck, code: str, waits: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in some clusters; `waits` says in which, and what it waits for.

    It is a note, because this is common; if every node counts as full, it is a warning.
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
