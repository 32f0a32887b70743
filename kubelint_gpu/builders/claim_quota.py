"""Claims that a quota or a LimitRange refuses; a StatefulSet creates no pod without its claims.

Behaviour: createPersistentVolumeClaims of pkg/controller/statefulset/stateful_pod_control.go,
pkg/quota/v1/evaluator/core/persistent_volume_claims.go, and plugin/pkg/admission/limitranger, 1.34.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.budget import BUDGET
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import quota_limits, quota_state, told_at
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.limit_range import claim_refusal
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.objects.storage import PersistentVolumeClaim, claims_charge, of_claims, with_default_class
from kubelint_gpu.messages.wording import can_run
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.controllers.ordinals import claim_names
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once

_KIND = "PersistentVolumeClaim"
_WHEN_SCALED = ("spec", "persistentVolumeClaimRetentionPolicy", "whenScaled")


class _OrdinalClaims(Value, eq=False):
    """The claims of a StatefulSet: those of `each` ordinal, and the `names` of all.

    `running` is a number of ordinals; so are those whose claims stay, are `made`, or are `gone` with their pods.
    """

    subject: WorkloadCheck
    each: Sequence[PersistentVolumeClaim]
    names: frozenset[str]
    running: int
    stays: int
    made: int
    gone: int


def refused_claims(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about StatefulSets that do not create all pods, because a quota or a LimitRange refuses claims."""
    said = set()
    for bounds in unit.cluster.limit_ranges:
        for one in _ordinal_claims(unit).get(bounds.meta.namespace, ()):
            broken = [claim_refusal(claim.request or 0, bounds) for claim in one.each] if one.made else []
            if any(broken) and one.subject.key not in said:
                said.add(one.subject.key)
                why = f"LimitRange {bounds.meta.name}: {next(filter(None, broken))}"
                told = f"LimitRange {bounds.meta.name} is here"
                related = told_at(unit, "LimitRange", bounds.meta.name, told, bounds.meta.namespace)
                yield _draft(one.subject, one.running, why, related)
    for quota, key in _limits_of(unit):
        claims = _ordinal_claims(unit).get(quota.meta.namespace, ())
        room = quota.hard[key] - (used := _used(unit, quota, key, claims))
        # the manifests' claims are in the cluster already; what a status counts, it counts without them
        claimed = _claims(unit).get(quota.meta.namespace, ()) if quota.used is not None else ()
        applied = [one for one in claimed if f"{_KIND}/{one.key}" in unit.made]
        wanted = claims_charge(applied, key) + sum(one.made * claims_charge(one.each, key) for one in claims)
        for one in claims:
            charge, judgement = claims_charge(one.each, key), judgements_in(unit).get(one.subject.key)
            if not charge or not one.made or wanted <= room or one.subject.key in said:
                continue
            certain = one.made * charge > room
            placed = one.running + (max(0, room) // charge if certain else 0)
            if judgement is None or placed < judgement.room.placed:
                said.add(one.subject.key)
                why = f"quota {quota.meta.name}, which allows {quota_state(quota, key, used)}"
                related = tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (key,)))
                yield _draft(one.subject, placed, why, related, certain=certain)


def claims_not_created(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about claims in the manifests that exceed a quota, and about the workloads that wait for them."""
    made = {one.object: one for one in unit.manifests if one.kind == _KIND and one.object in unit.made}
    for quota, key in _limits_of(unit) if made else ():
        mine = _claims(unit).get(quota.meta.namespace, ())
        there = claims_charge([one for one in mine if f"{_KIND}/{one.key}" not in made], key)
        used = there if quota.used is None else quota.used.get(key, 0)
        for claim in mine:
            manifest, charge = made.get(f"{_KIND}/{claim.key}"), claims_charge([claim], key)
            if manifest is None or not charge:
                continue
            if used + charge <= quota.hard[key]:
                used += charge
                continue
            del made[manifest.object]
            state = f"quota {quota.meta.name} allows {quota_state(quota, key, used, charge)}"
            told = {manifest: f"the API server refuses to create this claim: {state}"}
            for mounts in mounted_by(unit, claim):
                waits = f"its pods wait for claim {claim.meta.name}, which the API server refuses to create"
                told[mounts] = f"{waits}: {state}"
            for where, text in told.items():
                yield Diagnostic(
                    "KLG105",
                    where.place(("metadata", "name")),
                    text,
                    where,
                    cause=f"object {key}",
                    related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (key,))),
                )


def mounted_by(unit: ApplySet, claim: PersistentVolumeClaim) -> list[Manifest]:
    """The workloads whose pods wait for a claim that is not created."""
    return [one.manifest for one in unit.subjects if claim.key in claim_keys(one.workload) and one.workload.replicas]


def _limits_of(unit: ApplySet) -> list[tuple[ResourceQuota, str]]:
    """The quotas that limit claims, each with the key of the limit."""
    keys = [(quota, key) for quota in unit.cluster.quotas if not quota.scopes for key in quota.hard if of_claims(key)]
    return sorted(keys, key=lambda one: (one[0].meta.name, one[1]))


def _draft(
    subject: WorkloadCheck, placed: int, why: str, related: tuple[Related, ...], *, certain: bool = True
) -> Diagnostic:
    runs = can_run(placed, subject.workload.replicas)
    whose = "the claim of the next one" if placed else "its claim"
    beside = "" if certain else " if the claims of others are made first"
    return Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{runs if certain else runs.replace('only', 'as few as')}{beside}: {whose} is refused by {why}",
        subject.manifest,
        cause="claims",
        certainty="certain" if certain else "possible",
        related=related,
        help=("claims stay when their pods go, unless persistentVolumeClaimRetentionPolicy says otherwise",),
    )


@once
def _claims(unit: ApplySet) -> dict[str, list[PersistentVolumeClaim]]:
    """The claims of each namespace."""
    cluster = unit.cluster
    return grouped((one.meta.namespace, with_default_class(one, cluster.storage_classes)) for one in cluster.claims)


@once
def _ordinal_claims(unit: ApplySet) -> dict[str, list[_OrdinalClaims]]:
    """The claims of the StatefulSets of each namespace."""
    known = {claim.key for claim in unit.cluster.claims}
    found = (_claims_of(unit, subject, known) for subject in unit.subjects if subject.workload.claims)
    return grouped((one.subject.workload.meta.namespace, one) for one in found if one is not None)


def _claims_of(unit: ApplySet, subject: WorkloadCheck, known: Collection[str]) -> _OrdinalClaims | None:
    workload, now = subject.workload, transitions_in(unit).get(subject.key)
    if now is None:
        return None
    first, old = subject.controller.first_ordinal, now.old.replicas if now.existing and now.known else 0
    last, namespace = first + workload.replicas, workload.meta.namespace
    if max(old, workload.replicas) > BUDGET.replicas:
        return None
    ordinals = range(first, max(first + old, last))
    names = {one: claim_names(workload, one) for one in ordinals}
    declared = [one for one in ordinals if all(f"{namespace}/{name}" in known for name in names[one])]
    # what runs has its claims, also where nobody declares them
    there = declared or [one for one in ordinals if one < first + old]
    running = sum(one < last for one in there)
    gone = len(there) - running if field_pointers.at(subject.manifest, _WHEN_SCALED) == "Delete" else 0
    every = frozenset(name for found in names.values() for name in found)
    each = [with_default_class(one, unit.cluster.storage_classes) for one in workload.claims]
    return _OrdinalClaims(subject, each, every, running, len(there) - gone, workload.replicas - running, gone)


def _used(unit: ApplySet, quota: ResourceQuota, key: str, claims: Sequence[_OrdinalClaims]) -> int:
    """The usage after everything that goes is gone."""
    if quota.used is not None:
        return quota.used.get(key, 0) - sum(one.gone * claims_charge(one.each, key) for one in claims)
    mine = frozenset[str]().union(*(one.names for one in claims))
    others = [one for one in _claims(unit).get(quota.meta.namespace, ()) if one.meta.name not in mine]
    return claims_charge(others, key) + sum(one.stays * claims_charge(one.each, key) for one in claims)
