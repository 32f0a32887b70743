"""The claims that StatefulSets create for their pods, one for each template and ordinal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.storage import (
    READ_WRITE_ONCE,
    PersistentVolume,
    PersistentVolumeClaim,
    with_default_class,
)
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.scheduler.relations import slots
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import claim_names, with_claims
from kubelint_gpu.simulation.prepare.volumes import driver_of, of_template, with_bound_claims
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ClaimSpec, ResourceClaimTemplate

_CLAIM = "persistentVolumeClaim"
# sources of which no node takes a limited number
_DEVICES, _TEMPLATE = "resourceClaimName", "resourceClaimTemplateName"
_UNCOUNTED = ("", "nfs", "cephfs", "glusterfs", "hostPath")


def with_settled_claims(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Transition], Cluster]:
    """Return the transitions and the cluster once all workloads run: claims are bound, irrelevant ones are removed."""
    users = [one for transition in transitions for one in (transition.old, transition.new)]
    made, fresh = _template_claims(cluster, transitions)
    cluster = replace(cluster, claims=(*cluster.claims, *made)) if made else cluster
    return _without_shared_claims(transitions, with_bound_claims(cluster, users, fresh))


def _template_claims(
    cluster: Cluster, transitions: Sequence[Transition]
) -> tuple[list[PersistentVolumeClaim], set[str]]:
    """The missing claims of ordinals before and after a change, and the keys of those that are new.

    Claims whose volume could be on every node are left out: they decide nothing.
    """
    known = {claim.key for claim in cluster.claims}
    counted = _counted_drivers(cluster, transitions)
    made: list[PersistentVolumeClaim] = []
    fresh: set[str] = set()
    for one in transitions:
        workload = one.new
        first = controller_of(workload).first_ordinal if workload.claims else 0
        there = first + one.old.replicas if one.existing else first
        for ordinal in _ordinals(one):
            for template, name in zip(workload.claims, claim_names(workload, ordinal), strict=True):
                claim = of_template(template, name, workload.meta.namespace, cluster, counted)
                if claim is not None and claim.key not in known:
                    made.append(claim)
                    fresh.update({claim.key} if ordinal >= there else ())
    return made, fresh


def _ordinals(one: Transition) -> range:
    """The ordinals for whose pods a workload creates claims, up to the budget for replicas."""
    first = controller_of(one.new).first_ordinal if one.new.claims else 0
    most = min(BUDGET.replicas, max(one.old.replicas, one.new.replicas)) if one.new.claims else 0
    return range(first, first + most)


def _counted_drivers(cluster: Cluster, transitions: Sequence[Transition]) -> frozenset[str]:
    """Return the drivers whose volumes, existing ones and those of templates, may exceed a node's limit."""
    limits = [item for one in cluster.csi_nodes for item in one.limits.items()]
    if not limits:
        return frozenset()
    classes = {one.name: driver_of(one) for one in cluster.storage_classes}
    brought: Counter[str] = Counter()
    for one in transitions:
        for template in one.new.claims:
            claim = with_default_class(template, cluster.storage_classes)
            brought[classes.get(claim.class_name, "")] += len(_ordinals(one))
    attached = len(cluster.claims) + len(cluster.volume_attachments)
    return frozenset(driver for driver, limit in limits if brought[driver] and brought[driver] + attached > limit)


def wanted_storage(workload: Workload, pods: Sequence[Pod], cluster: Cluster, empty: Snapshot) -> frozenset[str]:
    """The storage that a workload competes for: unbound volumes of a class, and a node's attach limit of a driver."""
    first = controller_of(workload).first_ordinal
    claiming = [with_claims(pod, workload, first, cluster) for pod in pods]
    return _open_classes(workload, cluster).union(*(slots(pod, empty) for pod in claiming))


def _open_classes(workload: Workload, cluster: Cluster) -> frozenset[str]:
    """The classes of the unbound claims of a workload's pods: others that use one may take its volumes."""
    opened = {claim.meta.name: claim for claim in cluster.claims if not claim.volume_name}
    if not opened:
        return frozenset()
    names = {*direct_claims(workload.spec)}
    first = controller_of(workload).first_ordinal if workload.claims else 0
    for ordinal in range(first, first + min(BUDGET.replicas, workload.replicas)) if workload.claims else ():
        names.update(claim_names(workload, ordinal))
    namespace = workload.meta.namespace
    mine = (one for name, one in opened.items() if name in names and one.meta.namespace == namespace)
    return frozenset(one.class_name for one in mine)


def _without_shared_claims(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Transition], Cluster]:
    """The same without claims that decide nothing; claims of a single pod are generated from a template."""
    transitions, cluster = with_lone_claims_made(transitions, cluster)
    claims = _shared(cluster)
    if not claims:
        return list(transitions), cluster

    def light(workload: Workload) -> Workload:
        spec = _without(workload.spec, workload.meta.namespace, claims)
        return workload if spec is workload.spec else replace(workload, spec=spec)

    found = []
    for one in transitions:
        new = light(one.new)
        found.append(replace(one, new=new, old=new if one.old is one.new else light(one.old)))
    pods = tuple(
        replace(pod, spec=_without(pod.spec, pod.meta.namespace, claims)) if pod.spec.volumes else pod
        for pod in cluster.pods
    )
    return found, replace(cluster, pods=pods)


def _shared(cluster: Cluster) -> frozenset[str]:
    """The bound claims, as `namespace/name`, that any number of pods may use on every node."""
    volumes = {volume.meta.name: volume for volume in cluster.volumes}
    return frozenset(
        claim.key for claim in cluster.claims if _is_shared(claim, volumes.get(claim.volume_name), cluster)
    )


def _without(spec: PodSpec, namespace: str, claims: frozenset[str]) -> PodSpec:
    left = tuple(
        volume
        for volume in spec.volumes
        if volume.kind != _CLAIM or f"{namespace}/{volume.source.get('claimName', '')}" not in claims
    )
    return spec if len(left) == len(spec.volumes) else replace(spec, volumes=left)


def _is_shared(claim: PersistentVolumeClaim, volume: PersistentVolume | None, cluster: Cluster) -> bool:
    if volume is None or claim.phase != "Bound" or claim.meta.terminating:
        return False
    if claim.for_one_pod or READ_WRITE_ONCE in claim.access_modes:
        return False
    counted = volume.kind not in _UNCOUNTED and (volume.kind != "csi" or bool(cluster.csi_nodes))
    return volume.node_affinity is None and not volume.meta.labels and not counted


def with_lone_claims_made(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Transition], Cluster]:
    """The transitions and the cluster with each such claim generated from a template; equal claims share one.

    Claims that are allocated or that a quota may count stay as they are.
    """
    if not cluster.resource_claims or cluster.quotas:
        return list(transitions), cluster
    from kubelint_gpu.kube.dra.claim import ResourceClaimTemplate

    specs = [one.new.spec for one in transitions] + [pod.spec for pod in cluster.pods]
    specs += [one.old.spec for one in transitions if one.old is not one.new]
    named = Counter(str(entry[_DEVICES]) for spec in specs for entry in spec.resource_claims if _DEVICES in entry)
    free = {one.key: one for one in cluster.resource_claims if not (one.allocation or one.reserved_for or one.idle)}
    made: dict[tuple[str, ClaimSpec], ResourceClaimTemplate] = {}
    gone: set[str] = set()

    def entry_of(entry: FrozenMap[str, Any], namespace: str) -> FrozenMap[str, Any]:
        claim = free.get(f"{namespace}/{entry.get(_DEVICES)}")
        if claim is None or claim.meta.terminating or named[claim.meta.name] > 1:
            return entry
        gone.add(claim.key)
        meta = replace(claim.meta, name=f"~{claim.meta.name}")  # as no template is called
        template = made.setdefault((namespace, claim.spec), ResourceClaimTemplate(meta, claim.spec))
        rest = {key: value for key, value in entry.items() if key != _DEVICES}
        return FrozenMap({**rest, _TEMPLATE: template.meta.name})

    found = list(transitions)
    for place, one in enumerate(transitions):
        bare = one.new.spec.resource_claims and not controller_of(one.new).replaces_lost
        if bare and one.new.replicas == 1 and one.old is one.new and not one.existing:
            entries = tuple([entry_of(entry, one.new.meta.namespace) for entry in one.new.spec.resource_claims])
            new = replace(one.new, spec=replace(one.new.spec, resource_claims=entries))
            found[place] = replace(one, new=new, old=new)
    left = tuple(one for one in cluster.resource_claims if one.key not in gone)
    return found, replace(cluster, resource_claims=left, claim_templates=(*cluster.claim_templates, *made.values()))
