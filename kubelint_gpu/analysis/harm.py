"""The effects of a change on the next rollouts of unchanged workloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.analysis.ended_jobs import ended_jobs
from kubelint_gpu.analysis.predecessors import is_left_alone
from kubelint_gpu.analysis.rollout_facts import is_over, judged_beside_removed, judgements_in, next_rollouts
from kubelint_gpu.analysis.scenarios import Scenario, beside_pods, next_time, now
from kubelint_gpu.analysis.transitions import is_changed, transitions_in
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


@once
def harmed_rollouts(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """The next rollouts of unchanged workloads that ended before this change and do not end after it.

    Empty if the change itself does not end: another finding reports that.
    """
    transitions = transitions_in(unit)
    same = [one for one in unit.subjects if one.key in transitions and not is_changed(unit, one)]
    left = {one.key for one in same if one.controller.rolls and transitions[one.key].existing}
    left -= next_rollouts(unit).judgements.keys()
    if not left or not changing(unit) or not all(_ends_now(unit, key) for key in transitions):
        return {}
    coming = {key: Transition(transitions[key].new, transitions[key].new) for key in left}
    after, ended = next_time(now(unit), coming), [one for one in ended_jobs(unit).values() if one.new]
    if ended:
        gone = {job.key for one in ended for job in one.jobs}
        stay = {key: one for key, one in after.transitions.items() if key not in gone}
        after = beside_pods(replace(after, transitions=stay), [pod for one in ended for pod in one.pods])
    found = after.judgements(left)
    found = {key: one for key, one in found.items() if one.waits}
    if not found:
        return {}
    before = _before(unit, coming).judgements(found)
    return {key: one for key, one in found.items() if before[key].verdict is Verdict.COMPLETES}


@once
def short_as_before(unit: ApplySet) -> frozenset[WorkloadKey]:
    """The unchanged workloads that lacked as many replicas before the change."""
    short = {key: one for key in _left_alone(unit) if (one := judgements_in(unit)[key]).room.placed < one.room.wanted}
    before = _before(unit, {}).judgements(short) if short else {}
    return frozenset(key for key, one in before.items() if one.room.placed <= short[key].room.placed)


@once
def _left_alone(unit: ApplySet) -> frozenset[WorkloadKey]:
    return frozenset(one.key for one in unit.subjects if is_left_alone(unit, one) and one.key in transitions_in(unit))


def _before(unit: ApplySet, coming: Mapping[WorkloadKey, Transition]) -> Scenario:
    """The cluster before the change, with some rollouts; workloads that restart repeatedly had no pods then."""
    there = {key: one for key, one in transitions_in(unit).items() if one.existing or key in _left_alone(unit)}
    as_it_was = {
        key: coming.get(key, Transition(one.old, one.old, rolls=False) if one.existing else one)
        for key, one in there.items()
    }
    return Scenario(as_it_was, unit.cluster_before, unit.growth, unit.budget)


@once
def changing(unit: ApplySet) -> tuple[Manifest, ...]:
    """The workloads and quotas that changed.

    Pods that end or are not recreated do not count, unless a quota counts finished ones.
    """
    ended = {job.key for one in ended_jobs(unit).values() for job in one.jobs}
    good = (one for one in unit.subjects if one.controller.replaces_lost)
    lasting = (one for one in good if not one.controller.terminates or one.key in ended)
    workloads = (one.manifest for one in lasting if is_changed(unit, one))
    quotas = (one for one in (*unit.neighbours, *unit.manifests) if one.kind == "ResourceQuota" and _differs(unit, one))
    return (*workloads, *quotas)


def _ends_now(unit: ApplySet, key: WorkloadKey) -> bool:
    """Whether this change of a workload reaches its end; a new workload has no rollout, so its pods must find room."""
    found = judgements_in(unit)[key]
    return is_over(unit, key) if transitions_in(unit)[key].existing else not found.room.is_short


def _differs(unit: ApplySet, one: Manifest) -> bool:
    before = unit.before.get(one.object)
    return one.object in unit.made if before is None else before.item.value.get("spec") != one.item.value.get("spec")


def has_others(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether other objects have workloads that roll out or stay beside this one."""
    objects = {one.key: one.manifest.object for one in unit.subjects}
    return any(objects.get(key) != subject.manifest.object for key in transitions_in(unit))


class BesideGone(Value):
    """A workload that runs, or rolls out, only after an object is deleted that is no longer in the manifests.

    `judgement` is the one while that object exists, `waiting` what it waits for, and `holders` the owners that hold it.
    """

    subject: WorkloadCheck
    judgement: Judgement
    waiting: Waiting
    holders: list[str]


def waiting_for_gone(unit: ApplySet) -> Iterator[BesideGone]:
    """Yield all workloads of a unit that wait for a deleted object."""
    for subject in unit.subjects if unit.gone else ():
        now, later = judgements_in(unit).get(subject.key), judged_beside_removed(unit).get(subject.key)
        if now is None or later is None or subject.controller.runs_to_completion:
            continue
        if not is_changed(unit, subject) or not subject.admitted or not _is_worse(later, now):
            continue
        waiting = later.room.waiting
        if later.waits and later.runs.trace is not None:
            waiting = next((one for one in later.runs.trace.waiting if one.owner == subject.workload.key), None)
        elif later.room.refusal is not None:
            waiting = Waiting(subject.key, subject.controller.rolls, later.room.missing, refusal=later.room.refusal)
        names = _holders(unit, subject, waiting) if waiting is not None else []
        if waiting is not None and names:
            yield BesideGone(subject, later, waiting, names)


def _is_worse(beside: Judgement, now: Judgement) -> bool:
    """Whether the removed object keeps replicas from running that find room without it, or a rollout from its end.

    A rollout that never ends anyway does not begin before all replicas run.
    """
    if now.room.is_short or beside.room.is_short:
        return not now.room.is_short
    return now.ends and not beside.ends


def _holders(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> list[str]:
    gone = {one.workload.key: one.workload for one in unit.gone if one.workload is not None}
    if waiting.refusal is not None:
        refusing = subject.workload.meta.namespace, waiting.refusal.quota
        quotas = [one for one in unit.cluster.quotas if (one.meta.namespace, one.meta.name) == refusing]
        return [key for key, one in sorted(gone.items()) if any(quota.covers(one.pod("old")) for quota in quotas)]
    return sorted({owner for lack in waiting.lacks for owner in lack.owners} & gone.keys())
