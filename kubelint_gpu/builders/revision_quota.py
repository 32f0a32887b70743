"""Rollouts whose new ReplicaSet or ControllerRevision a quota of objects refuses: no new pod is ever asked for."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.object_quota import is_refused, quotas_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import quota_limits, quota_state
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.values import dataclass

_OWNERS = {"ReplicaSet": ("Deployment", "ReplicaSet"), "ControllerRevision": ("StatefulSet", "DaemonSet")}


@dataclass(frozen=True, slots=True)
class RefusedRevision:
    """The object for a template that a quota refuses; `used` is what the quota counts then, in thousandths.

    `first` says that it is the first one, so that no pod of the workload ever runs.
    """

    subject: WorkloadCheck
    quota: ResourceQuota
    used: int
    first: bool = False

    @property
    def key(self) -> str:
        """What the quota limits."""
        return _key(self.kind)

    @property
    def kind(self) -> str:
        """The kind of the object: ReplicaSet or ControllerRevision."""
        return self.subject.controller.revision_kind

    @property
    def ends(self) -> str:
        """What becomes of the rollout: a predicate."""
        recreates = self.subject.controller.recreates and not self.first
        return "never ends once the old pods are gone" if recreates else "never begins"


def refused_revisions(unit: ApplySet) -> Iterator[Diagnostic]:
    """The findings about workloads to which a quota refuses the object for a template."""
    for found in revisions_refused(unit):
        yield _never_runs(unit, found) if found.first else _never_rolls(unit, found)


def revisions_refused(unit: ApplySet) -> Iterator[RefusedRevision]:
    """Rollouts for whose template a quota leaves no object, and workloads that get not even the first.

    The old one stays when its pods are gone, so that no order of events helps; without a ControllerRevision a sync ends
    before any pod is looked at (Deployment, StatefulSet and DaemonSet controllers, 1.34).
    """
    for kind in _OWNERS:
        quotas = [quota for quota in quotas_of(unit) if _key(kind) in quota.hard]
        made = {quota.meta: 0 for quota in quotas}
        for subject in unit.subjects if quotas else ():
            transition, controller = transitions_in(unit).get(subject.key), subject.controller
            if transition is None or not transition.rolls or controller.revision_kind != kind:
                continue
            if not controller.paused and not is_refused(unit, subject):
                yield from _refused(unit, subject, made)


def _refused(unit: ApplySet, subject: WorkloadCheck, made: dict[Meta, int]) -> Iterator[RefusedRevision]:
    """What the first quota that refuses it refuses; counts what is `made` under each."""
    key = _key(subject.controller.revision_kind)
    for quota in quotas_of(unit):
        if quota.meta not in made or quota.meta.namespace != subject.workload.meta.namespace:
            continue
        used, room = _used(unit, quota, subject.controller.revision_kind), quota.hard[key]
        if is_made(unit, subject):
            used += made[quota.meta]
            made[quota.meta] += ONE
            if used + ONE > room:
                yield RefusedRevision(subject, quota, used, first=True)
                return
            used += ONE
        elif room < ONE and (quota.used is None or not quota.used.get(key, 0)):
            yield RefusedRevision(subject, quota, 0, first=True)
            return
        if used + ONE > room:
            yield RefusedRevision(subject, quota, used)
            return


def _key(kind: str) -> str:
    return f"count/{kind.lower()}s.apps"


def _used(unit: ApplySet, quota: ResourceQuota, kind: str) -> int:
    """What the quota counts at least before anything is applied: one object of each workload, in thousandths."""
    before = {
        transition.new.key
        for transition in transitions_in(unit).values()
        if transition.existing
        and transition.new.kind in _OWNERS[kind]
        and transition.new.meta.namespace == quota.meta.namespace
    }
    return max(len(before) * ONE, quota.used.get(_key(kind), 0) if quota.used is not None else 0)


def _never_runs(unit: ApplySet, found: RefusedRevision) -> Diagnostic:
    """The finding that a workload gets not even its first template."""
    manifest = found.subject.manifest
    return Diagnostic(
        "KLG105",
        manifest.place(("metadata", "name")),
        f"no pod of it ever runs: its first {_refused_by(found)}",
        manifest,
        cause=f"first {found.kind}",
        related=tuple(quota_limits(unit, found.quota.meta.namespace, found.quota.meta.name, (found.key,))),
    )


def _never_rolls(unit: ApplySet, found: RefusedRevision) -> Diagnostic:
    """The finding that a rollout does not go on, now or after this change has made the workload."""
    manifest, kind, later = found.subject.manifest, found.kind, is_made(unit, found.subject)
    rollout = "this change starts it, and the next rollout" if later else "the rollout"
    kept = f"the old {kind} is kept until the rollout is complete"
    return Diagnostic(
        "KLG105",
        manifest.place(field_pointers.strategy(manifest), "key"),
        f"{rollout} {found.ends}: the new {_refused_by(found)}, and {kept}",
        manifest,
        cause=f"new {kind}",
        severity="warning" if later else None,
        moment="next" if later else "now",
        related=tuple(quota_limits(unit, found.quota.meta.namespace, found.quota.meta.name, (found.key,))),
        help=(f"leave room for the new {kind} and for the old ones that revisionHistoryLimit keeps",),
    )


def _refused_by(found: RefusedRevision) -> str:
    state = quota_state(found.quota, found.key, found.used)
    return f"{found.kind} is refused by quota {found.quota.meta.name}, which allows {state}"
