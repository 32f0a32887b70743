"""Unknown objects, unreadable, undeclared or contradictory: what they can change in a unit.

Objects that only restrict (quotas, limits, disruption budgets, device taints) cannot make a finding wrong: it holds
with more of them, too. An unreadable node leaves the list of nodes open, which each rule takes into account.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Unread
from kubelint_gpu.inventory.declarations.inventory import MAY_BE
from kubelint_gpu.kube.objects.label_algebra import alternatives
from kubelint_gpu.kube.objects.priority import PREEMPT
from kubelint_gpu.kube.objects.requests import is_extended, pod_requests
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_OF_VOLUMES = frozenset(
    ("CSIDriver", "CSINode", "CSIStorageCapacity", "PersistentVolume", "PersistentVolumeClaim", "StorageClass")
)
_OF_DEVICES = frozenset(("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"))
_CLAIMING = frozenset(("persistentVolumeClaim", "ephemeral"))


@once
def decisive(unit: ApplySet) -> tuple[Unread, ...]:
    """The unreadable objects with which something of the unit might run that does not run without them."""
    inventory = unit.world.inventory if unit.has_nodes else None
    found = (*(inventory.unread if inventory is not None else ()), *_contradictory_classes(unit))
    unread = tuple(one for one in found if any(_decides(one, unit, subject) for subject in unit.subjects))
    return (*unread, *_guessed_models(unit), *_guessed_classes(unit))


def _contradictory_classes(unit: ApplySet) -> Iterator[Unread]:
    """The classes that only other files declare, and not all of them alike, unless all pods have the class."""
    written = (one.manifest.workload for one in unit.subjects)
    named = {one.spec.priority_class_name for one in (*written, *unit.cluster.pods) if one is not None}
    for name, group in grouped((one.name, one) for one in unit.beside.of_kinds(("PriorityClass",))).items():
        meanings = {(one.item.value.get("value"), one.item.value.get("preemptionPolicy") or PREEMPT) for one in group}
        mine = any(one.kind == "PriorityClass" and one.name == name for one in unit.manifests)
        if len(meanings) > 1 and named != {name} and not mine and unit.world.declared("PriorityClass", name) is None:
            yield Unread("PriorityClass", name, paths=tuple(sorted({one.path for one in group})))


def _guessed_classes(unit: ApplySet) -> Iterator[Unread]:
    """The storage classes of claims with volumes that are no objects, if no storage class is declared at all.

    Such a class binds its claims at once; but it may also exist and wait for the first pod.
    """
    if not unit.has_nodes or unit.cluster.storage_classes:
        return
    classes = {one.storage_class for one in unit.cluster.volumes}
    named = frozenset().union(*(claim_keys(one.workload) for one in unit.subjects))
    claims = [one for one in unit.cluster.claims if one.key in named and not one.volume_name]
    claims += [template for one in unit.subjects for template in one.workload.claims]
    for name in sorted({one.class_name for one in claims} & classes - {""}):
        yield Unread("StorageClass", name)


def _guessed_models(unit: ApplySet) -> Iterator[Unread]:
    """GPU models that may be different ones, with other labels that pods of the unit select or avoid."""
    written = {node.meta.annotations.get(MAY_BE, ""): node for node in unit.possible_nodes} if unit.has_nodes else {}
    for text, node in sorted(written.items()):
        said = json.loads(text) if text else {"labels": {}}
        may_be = {key: (node.labels[key], *values) for key, values in said["labels"].items()}
        bounds = (bound for one in unit.subjects for found in alternatives(one.workload.spec) for bound in found)
        if any(
            len({bound.allowed.has(value or None) for value in may_be.get(bound.requirement.key, ())}) > 1
            for bound in bounds
        ):
            yield Unread("GPU model", said["model"])


def undeclared_claims(unit: ApplySet, manifest: Manifest | None) -> tuple[str, ...]:
    """The undeclared PersistentVolumeClaims of a workload; they are assumed to suit every node."""
    workload = manifest.workload if manifest is not None else None
    if workload is None or not unit.has_nodes:
        return ()
    missing = claim_keys(workload) - _declared_claims(unit)
    return tuple(sorted(filter(None, (key.partition("/")[2] for key in missing))))


@once
def _declared_claims(unit: ApplySet) -> frozenset[str]:
    """The claims of the inventory and of the manifests, as `namespace/name`."""
    return frozenset(one.key for one in unit.cluster.claims)


def _decides(one: Unread, unit: ApplySet, subject: WorkloadCheck) -> bool:
    workload, spec = subject.workload, subject.workload.spec
    if not one.kind:
        return True
    near = (*spec.pod_affinity, *spec.pod_anti_affinity)
    if one.kind in _OF_VOLUMES:
        return bool(workload.claims) or any(volume.kind in _CLAIMING for volume in spec.volumes)
    if one.kind in _OF_DEVICES:
        asked = [name for name in pod_requests(spec) if is_extended(name)]
        mapped = any(name in unit.supply.mapped or one.kind == "DeviceClass" for name in asked)
        return bool(spec.resource_claims) or mapped
    if one.kind == "PriorityClass":
        written = subject.manifest.workload
        named = written.spec.priority_class_name if written is not None else ""
        unsaid = (pod.spec.priority_class_name for pod in unit.cluster.pods if pod.spec.priority is None)
        return (one.default and not named) or any(name and one.name in (name, "") for name in (named, *unsaid))
    if one.kind == "RuntimeClass":
        return bool(spec.runtime_class_name) and one.name in (spec.runtime_class_name, "")
    if one.kind == "Namespace":
        return any(term.namespace_selector is not None for term in near)
    return one.kind == "Pod" and (bool(near or spec.spread) or _may_own(one, subject))


def _may_own(one: Unread, subject: WorkloadCheck) -> bool:
    """Whether an unreadable pod may belong to a workload."""
    workload, meta = subject.workload, subject.workload.meta
    if one.namespace not in (meta.namespace, ""):
        return False
    if one.owner:
        return one.owner.endswith(f"/{meta.name}")
    return not one.labels or workload.selector is None or workload.selector.matches(one.labels)
