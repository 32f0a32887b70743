"""Rollouts whose new ReplicaSet a quota of objects refuses: no pod of the new template is ever asked for."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.transitions import is_made, transitions_in
from kubelint_gpu.builders.object_quota import is_refused, quotas_of
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.evidence.exclusive_lines import quota_limits, quota_state
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.values import dataclass
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_KEY = "count/replicasets.apps"
_KINDS = ("Deployment", "ReplicaSet")


@dataclass(frozen=True, slots=True)
class RefusedReplicaSet:
    """A ReplicaSet that a quota refuses to a Deployment; `used` is what the quota counts then, in thousandths.

    `first` says that it is the first one, so that no pod of the Deployment ever runs.
    """

    subject: WorkloadCheck
    quota: ResourceQuota
    used: int
    first: bool = False

    @property
    def ends(self) -> str:
        """What becomes of the rollout: a predicate."""
        recreates = self.subject.controller.recreates and not self.first
        return "never ends once the old pods are gone" if recreates else "never begins"


def refused_replica_sets(unit: ApplySet) -> Iterator[Diagnostic]:
    """The findings about Deployments to which a quota refuses a ReplicaSet."""
    for found in replica_sets_refused(unit):
        yield (_never_made if found.first else _draft)(unit, found)


def replica_sets_refused(unit: ApplySet) -> Iterator[RefusedReplicaSet]:
    """Rollouts of Deployments for which a quota leaves no ReplicaSet, and Deployments that get not even the first.

    The old ReplicaSet stays when its pods are gone, so that no order of events helps (Deployment controller, 1.34).
    """
    quotas = [quota for quota in quotas_of(unit) if _KEY in quota.hard]
    made = {quota.meta: 0 for quota in quotas}
    for subject in unit.subjects if quotas else ():
        transition, controller = transitions_in(unit).get(subject.key), subject.controller
        if transition is None or not transition.rolls or not controller.has_replica_sets:
            continue
        if controller.paused or is_refused(unit, subject):
            continue
        for quota in quotas:
            if quota.meta.namespace != subject.workload.meta.namespace:
                continue
            used, room = _used(unit, quota), quota.hard[_KEY]
            if is_made(unit, subject):
                used += made[quota.meta]
                made[quota.meta] += ONE
                if used + ONE > room:
                    yield RefusedReplicaSet(subject, quota, used, first=True)
                    break
                used += ONE
            elif room < ONE and (quota.used is None or not quota.used.get(_KEY, 0)):
                yield RefusedReplicaSet(subject, quota, 0, first=True)
                break
            if used + ONE > room:
                yield RefusedReplicaSet(subject, quota, used)
                break


def _never_made(unit: ApplySet, found: RefusedReplicaSet) -> Diagnostic:
    manifest, quota, used = found.subject.manifest, found.quota, found.used
    return Diagnostic(
        "KLG105",
        manifest.place(("metadata", "name")),
        f"no pod of it ever runs: its first ReplicaSet is refused by quota {quota.meta.name}, which allows "
        f"{quota_state(quota, _KEY, used)}",
        manifest,
        cause="first ReplicaSet",
        related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (_KEY,))),
    )


def _used(unit: ApplySet, quota: ResourceQuota) -> int:
    """What the quota counts at least before anything is applied: one ReplicaSet of each Deployment, in thousandths."""
    before = {
        transition.new.key
        for transition in transitions_in(unit).values()
        if transition.existing
        and transition.new.kind in _KINDS
        and transition.new.meta.namespace == quota.meta.namespace
    }
    return max(len(before) * ONE, quota.used.get(_KEY, 0) if quota.used is not None else 0)


def _draft(unit: ApplySet, found: RefusedReplicaSet) -> Diagnostic:
    manifest, made, quota, used = found.subject.manifest, is_made(unit, found.subject), found.quota, found.used
    rollout = "this change starts it, and the next rollout" if made else "the rollout"
    allowed = quota_state(quota, _KEY, used)
    return Diagnostic(
        "KLG105",
        manifest.place(field_pointers.strategy(manifest), "key"),
        f"{rollout} {found.ends}: the new ReplicaSet is refused by quota {quota.meta.name}, which allows {allowed}, "
        "and the old ReplicaSet is kept until the rollout is complete",
        manifest,
        cause="new ReplicaSet",
        severity="warning" if made else None,
        moment="next" if made else "now",
        related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (_KEY,))),
        help=("leave room for the new ReplicaSet and for the old ones that revisionHistoryLimit keeps",),
    )
