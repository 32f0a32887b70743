"""Rollouts whose new ReplicaSet a quota of objects refuses: no pod of the new template is ever asked for."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.change import is_made
from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.stakes import quota_limits
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.kube.quantity import canonical
from kubelint_gpu.kube.quota import ResourceQuota
from kubelint_gpu.kube.rolling import DeploymentStrategy

_KEY = "count/replicasets.apps"
_KINDS = ("Deployment", "ReplicaSet")
_ONE = 1000


def refused_replica_sets(unit: Unit) -> Iterator[Draft]:
    """Rollouts of Deployments for which a quota leaves no ReplicaSet.

    The old ReplicaSet stays when its pods are gone, so that no order of events helps (Deployment controller, 1.34).
    """
    quotas = [quota for quota in unit.cluster.quotas if _KEY in quota.hard and not quota.scopes]
    for subject in unit.subjects if quotas else ():
        transition, strategy = unit.transitions.get(id(subject)), subject.workload.strategy
        if transition is None or not transition.rolls or not isinstance(strategy, DeploymentStrategy):
            continue
        if strategy.paused:
            continue
        for quota in sorted(quotas, key=lambda one: one.meta.name):
            used = _used(unit, quota)
            if is_made(unit, subject):
                if used + _ONE > quota.hard[_KEY]:
                    # not even its first ReplicaSet is made
                    continue
                used += _ONE
            if quota.meta.namespace == subject.workload.meta.namespace and used + _ONE > quota.hard[_KEY]:
                yield _draft(unit, subject, strategy, quota, used)
                break


def _used(unit: Unit, quota: ResourceQuota) -> int:
    """What the quota counts at least before anything is applied: one ReplicaSet of each Deployment, in thousandths."""
    before = {
        transition.new.key
        for transition in unit.transitions.values()
        if transition.existing
        and transition.new.kind in _KINDS
        and transition.new.meta.namespace == quota.meta.namespace
    }
    return max(len(before) * _ONE, quota.used.get(_KEY, 0) if quota.used is not None else 0)


def _draft(unit: Unit, subject: Subject, strategy: DeploymentStrategy, quota: ResourceQuota, used: int) -> Draft:
    manifest, made = subject.manifest, is_made(unit, subject)
    rollout = "once it runs, a rollout" if made else "the rollout"
    first = "never ends once the old pods are gone" if strategy.recreate else "never begins"
    allowed = f"{canonical(quota.hard[_KEY])} {_KEY} and has {canonical(used)} in use"
    return Draft(
        "KLG105",
        manifest.place(routes.strategy(manifest), "key"),
        f"{rollout} {first}: the new ReplicaSet is refused by quota {quota.meta.name}, which allows {allowed}, and the "
        "old ReplicaSet is kept until the rollout is complete",
        manifest,
        cause="new ReplicaSet",
        severity="warning" if made else None,
        related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (_KEY,))),
        help=("leave room for the new ReplicaSet and for the old ones that revisionHistoryLimit keeps",),
    )
