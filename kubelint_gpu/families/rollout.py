"""Will it ever end: what the explorer says of rollouts."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.any_cluster import stuck_anywhere
from kubelint_gpu.analysis.certainty import outgrown
from kubelint_gpu.analysis.held_by_gangs import holding
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.scaled import ScaledRollout, waiting_when_scaled
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.custom_rollouts import custom_deadlocks, custom_pods_pending
from kubelint_gpu.builders.ended_jobs import kept_pods, stopped_by_ended
from kubelint_gpu.builders.job_quota import refused_job_pods
from kubelint_gpu.builders.node_pins import wider_selector
from kubelint_gpu.builders.object_quota import full_histories, refused_objects
from kubelint_gpu.builders.on_delete import replaced_by_hand
from kubelint_gpu.builders.pending_daemon_pods import daemon_pods_pending
from kubelint_gpu.builders.pending_replicas import pending_replicas
from kubelint_gpu.builders.removed_objects import waiting_for_gone
from kubelint_gpu.builders.replica_set_quota import refused_replica_sets
from kubelint_gpu.builders.starving_jobs import starving
from kubelint_gpu.builders.stuck_rollout import (
    End,
    end_of,
    ended,
    spoken_for,
    standstill,
    standstill_anywhere,
    surges_on_nodes,
    waits_later,
)
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.engine.remedies import no_daemon_surge, no_surge, recreate, within_a_revision
from kubelint_gpu.families.gang import jobs_hold_each_other
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.messages.wording import counted, cut_off, listed, verb, workload_name, workload_names
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import MOST
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_PORTS = ("NodePorts",)
_PLACES = ("InterPodAffinity", "PodTopologySpread")
_VOLUMES = ("VolumeRestrictions", "VolumeBinding", "VolumeZone", "NodeVolumeLimits", "VolumeAttach")


def _code(waiting: Waiting) -> str:
    """Which rule a rollout that never ends belongs to: what the old pods hold."""
    if waiting.refusal:
        return "KLG105"
    plugin = waiting.lacks[0].plugin if waiting.lacks else ""
    if plugin in _PORTS:
        return "KLG102"
    if plugin in _PLACES:
        return "KLG103"
    return "KLG104" if plugin in _VOLUMES else "KLG101"


def _stuck(unit: ApplySet, code: str) -> Iterator[Diagnostic]:
    for subject in unit.subjects:
        judgement = stuck_anywhere(unit).get(subject.key)
        if judgement is not None and _code(end_of(judgement).waiting) == code:
            yield standstill_anywhere(unit, subject, end_of(judgement), code, _proposals(unit, subject, code))
    for subject, found in ended(unit, Verdict.STUCK):
        if not spoken_for(subject, found) and not _told_of_jobs(unit, found) and _code(found.waiting) == code:
            yield standstill(unit, subject, found, code, proposals=_proposals(unit, subject, code))
    for subject in unit.subjects:
        if _ends(unit, subject):
            scaled = waiting_when_scaled(unit, subject)
            if scaled is not None and _is_sure(scaled) and _code(end_of(scaled.judgement).waiting) == code:
                yield _scaled(unit, scaled, code)


def _ends(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its rollout ends, and the next one as well."""
    found = judgements_in(unit).get(subject.key)
    return found is not None and found.verdict is Verdict.COMPLETES and not waits_later(unit, subject)


def _is_sure(scaled: ScaledRollout) -> bool:
    """Whether the rollout never ends at the one number of replicas that the autoscaler sets."""
    return scaled.only and scaled.judgement.verdict is Verdict.STUCK


@rule("KLG101")
def rollout_deadlock(unit: ApplySet) -> Iterator[Diagnostic]:
    """The new pod waits for what the old pods hold, and they are kept until it is available."""
    yield from _stuck(unit, "KLG101")
    yield from custom_deadlocks(unit)


@rule("KLG102")
def rollout_deadlock_port(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a host port."""
    return _stuck(unit, "KLG102")


@rule("KLG103")
def rollout_deadlock_affinity(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a place under anti-affinity or spreading."""
    return _stuck(unit, "KLG103")


@rule("KLG104")
def rollout_deadlock_volume(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a volume."""
    return _stuck(unit, "KLG104")


@rule("KLG105")
def rollout_deadlock_quota(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a quota: the new pod is not even created."""
    yield from _stuck(unit, "KLG105")
    yield from refused_objects(unit)
    yield from refused_replica_sets(unit)
    yield from full_histories(unit)
    for subject, end, jobs in stopped_by_ended(unit):
        draft = standstill(unit, subject, end, "KLG105", proposals=_proposals(unit, subject, "KLG105"))
        have = "has" if len(jobs) == 1 else "have"
        told = f"once {listed([workload_name(one.workload) for one in jobs])} {have} ended, {draft.message}"
        yield replace(draft, message=told, cause="ended jobs", related=(*draft.related, *kept_pods(jobs)))


@rule("KLG107")
def rollout_may_stick(unit: ApplySet) -> Iterator[Diagnostic]:
    """Some order of events, or some placement, gets stuck."""
    for subject, one in ended(unit, Verdict.MAY_STICK):
        if not spoken_for(subject, one) and not _told_of_jobs(unit, one):
            yield standstill(unit, subject, one, "KLG107", proposals=_proposals(unit, subject, "KLG107"))
    for subject in unit.subjects:
        found = judgements_in(unit).get(subject.key)
        if _ends(unit, subject):
            yield from _when_scaled(unit, subject)
        if found is not None and found.verdict is Verdict.UNDECIDED:
            yield Diagnostic(
                "KLG107",
                subject.manifest.place(field_pointers.strategy(subject.manifest), "key"),
                f"whether the rollout ends is undecided: {_unseen(found)}",
                subject.manifest,
                cause="undecided",
                severity="note",
                certainty="possible",
                undecided=True,
            )


def _when_scaled(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """The rollout ends with as many replicas as are written, and not with as many as an autoscaler may set."""
    scaled = waiting_when_scaled(unit, subject)
    if scaled is not None and not _is_sure(scaled):
        yield _scaled(unit, scaled, "KLG107")


def _scaled(unit: ApplySet, scaled: ScaledRollout, code: str) -> Diagnostic:
    may, replicas = scaled.judgement.verdict is Verdict.MAY_STICK, scaled.subject.workload.replicas
    proposals = _proposals(unit, scaled.subject, code)
    draft = standstill(unit, scaled.subject, end_of(scaled.judgement), code, may=may, proposals=proposals)
    meta, sets = scaled.autoscaler, "sets" if scaled.only else "may set"
    told = f"at {counted(replicas, 'replica')}, which HorizontalPodAutoscaler {meta.name} {sets}, {draft.message}"
    line = Related(meta.place(MOST), f"it {sets} {counted(replicas, 'replica')}")
    return replace(draft, message=told, cause="rollout when scaled", related=(*draft.related, line))


@rule("KLG109")
def scale_up_pending(unit: ApplySet) -> Iterator[Diagnostic]:
    """Not all replicas can run at once, whatever is rolled out."""
    yield from custom_pods_pending(unit)
    yield from waiting_for_gone(unit)
    for subject in unit.subjects:
        refused_pods = tuple(refused_job_pods(unit, subject))
        yield from refused_pods or starving(unit, subject)
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None or judgement.placed >= judgement.wanted or outgrown(unit, subject, judgement):
            continue
        if subject.controller.node_bound:
            yield from daemon_pods_pending(unit, subject, judgement)
        elif judgement.eligible and judgement.verdict is None:
            yield from pending_replicas(unit, subject, judgement)
    yield from replaced_by_hand(unit)


def _told_of_jobs(unit: ApplySet, end: End) -> bool:
    """Whether a pod waits for what Jobs hold of which KLG113 says that they hold it for ever: that is the cause."""
    whole = {one.new.key for one in transitions_in(unit).values() if one.whole}
    jobs = holding(end.waiting) & whole
    told = jobs_hold_each_other(unit) if jobs else ()
    return any(not jobs.isdisjoint(draft.cause.split()) for draft in told if not draft.undecided)


def _proposals(unit: ApplySet, subject: WorkloadCheck, code: str) -> tuple[FixCandidate, ...]:
    manifest, replicas = subject.manifest, subject.workload.replicas
    if surges_on_nodes(subject.controller):
        return (no_daemon_surge(manifest),)
    if not subject.controller.has_replica_sets:
        return ()
    apart = (within_a_revision(manifest),) if code == "KLG103" else ()
    return (no_surge(manifest, replicas), recreate(manifest, replicas), *apart, *wider_selector(unit, subject))


def _unseen(found: Judgement) -> str:
    if found.unknown:
        return f"{found.unknown} are not looked at"
    if found.company:
        others = f"{workload_names(found.company)} {verb('change', len(found.company))}"
        alone = "never ends" if found.by_itself is Verdict.STUCK else "may never end"
        alone = "ends" if found.by_itself is Verdict.COMPLETES else alone
        return f"by itself it {alone}, but {others} at the same moment; {cut_off(found.states)}"
    return cut_off(found.states)
