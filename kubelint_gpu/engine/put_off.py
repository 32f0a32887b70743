"""Findings about pods that this change does not create yet: they hold later, when such pods are created."""

from __future__ import annotations

from kubelint_gpu.analysis.predecessors import is_left_alone, is_made, makes_none, makes_only_old
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.field_pointers import UPDATE_STRATEGY, replicas
from kubelint_gpu.workspace.workload_check import WorkloadCheck

OF_ROLLOUT = "rollout"
"""The cause of findings about a rollout that gets stuck: of what is left alone it was under way before."""
OF_NEW_PODS = "new-pods"
"""The tag of rules whose findings are about the pods that are made of a template."""


class Kept(Value):
    """Why running pods keep their template.

    Attributes:
        until: what this change does, and what must happen before pods of the new template are created.
        pointer: the field that causes this.
        why: what that field does.
    """

    until: str
    pointer: Pointer
    why: str


def put_off(unit: ApplySet, draft: Diagnostic) -> Diagnostic | None:
    """The draft, moved to later if it is about pods of a template that this change does not create.

    None if the change leaves the template as it is and creates no pod: the problem existed before.
    """
    of_new_pods, of_rollout = OF_NEW_PODS in rule(draft.code).tags, draft.cause == OF_ROLLOUT
    if draft.moment != "now" or draft.manifest is None or not (of_new_pods or of_rollout):
        return draft
    subject = next((one for one in unit.subjects if one.manifest is draft.manifest), None)
    if subject is None or not (of_new_pods or is_left_alone(unit, subject)):
        return draft
    if is_left_alone(unit, subject):
        return None
    if subject.workload.by_shape:
        # nobody knows how many pods there are
        return draft
    if makes_none(unit, subject):
        kept = _kept(subject)
        return _of_evicted(unit, subject, draft) or (_later(subject, draft, kept) if kept is not None else None)
    return draft if is_made(unit, subject) or not _is_over(unit, subject) else when_made(subject, draft)


def _of_evicted(unit: ApplySet, subject: WorkloadCheck, draft: Diagnostic) -> Diagnostic | None:
    """The draft, if this change preempts pods, which return with the template; else None."""
    judged = judgements_in(unit)
    now, key = judged.get(subject.key), subject.workload.key
    if now is not None and now.room.placed < now.room.alone:
        return draft if now.room.at_best in (None, now.room.placed) else replace(draft, certainty="possible")
    evicted = any(eviction.owner == key for one in judged.values() for eviction in one.runs.evicts)
    return replace(draft, certainty="possible") if evicted else None


def when_admitted(unit: ApplySet, subject: WorkloadCheck, draft: Diagnostic) -> Diagnostic:
    """Return the draft about refused new pods, moved to later if this change creates no such pods."""
    none = not (subject.workload.replicas or subject.controller.node_bound)
    if is_left_alone(unit, subject) or (is_made(unit, subject) and not none):
        return draft
    if not (none or makes_none(unit, subject) or makes_only_old(unit, subject)):
        return draft
    return _of_evicted(unit, subject, draft) or (
        when_made(subject, draft) if _kept(subject) is not None else replace(draft, severity="warning", moment="later")
    )


def when_made(subject: WorkloadCheck, draft: Diagnostic) -> Diagnostic:
    """The draft, moved to when nothing keeps the template from its pods any more."""
    kept = _kept(subject)
    return draft if kept is None else _later(subject, draft, kept)


def _later(subject: WorkloadCheck, draft: Diagnostic, kept: Kept) -> Diagnostic:
    return replace(
        draft,
        message=f"with this change {kept.until}, {draft.message}",
        cause=f"{draft.cause} by hand",
        severity="warning" if draft.certainty == "certain" else draft.severity,
        moment="later",
        related=(Related(subject.manifest.place(kept.pointer), kept.why), *draft.related),
    )


def keeping(subject: WorkloadCheck) -> Pointer:
    """The field that keeps a template from running pods."""
    kept = _kept(subject)
    return kept.pointer if kept is not None else ("spec",)


def _is_over(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether this change of the workload ends with pods of its old template or without pods."""
    now = judgements_in(unit).get(subject.key)
    if now is None or now.room.is_short or not now.ends:
        return False
    # a DaemonSet leaves nodes that its template does not choose, also with OnDelete
    return bool(now.room.wanted) or not subject.controller.node_bound


def _kept(subject: WorkloadCheck) -> Kept | None:
    controller = subject.controller
    if not subject.workload.replicas and not controller.node_bound:
        return Kept(
            "it has no pods, and once it has replicas again",
            replicas(subject.manifest),
            "no replicas: no pod is made of the template until there are some",
        )
    if controller.paused:
        return Kept(
            "nothing is rolled out, and once it is resumed",
            ("spec", "paused"),
            "paused: its pods keep their template, and none is made of a new one",
        )
    if controller.on_delete and controller.rolls:
        return Kept(
            "its old pods run on, and once they are deleted by hand (OnDelete)",
            (*UPDATE_STRATEGY, "type"),
            "OnDelete: a pod keeps its template until somebody deletes it, and comes back with the new one",
        )
    if controller.partition:
        below = controller.first_ordinal + controller.partition
        return Kept(
            "the pods below its partition run on, and once it is lowered to 0",
            (*UPDATE_STRATEGY, "rollingUpdate", "partition"),
            f"partition: ordinals below {below} keep their template, and come back with it, until it is lowered",
        )
    return None
