"""Lines of the inventory with the facts that decide a finding: quotas, RuntimeClasses, volumes that few nodes reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.objects.runtime_class import FIELD, RuntimeClass, runtime_class_of
from kubelint_gpu.kube.objects.storage import PersistentVolume, with_default_class
from kubelint_gpu.kube.values.quantity import ONE, canonical, scheduler_units
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.messages.why_fewer import in_use, quota_amount
from kubelint_gpu.messages.wording import amount, listed
from kubelint_gpu.scheduler import attempt
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import makes_claim
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def told_at(
    unit: ApplySet, kind: str, name: str, told: str, namespace: str = "", route: Pointer = ()
) -> tuple[Related, ...]:
    """A line about an object at its place: in the manifests, beside them or in the inventory; empty if in none."""
    for manifest in (*unit.manifests, *unit.beside.named(kind, name), *unit.neighbours):
        within = not namespace or (manifest.namespace or "default") == namespace
        if (manifest.kind, manifest.name) == (kind, name) and within:
            return (Related(manifest.place(route or ("metadata", "name")), told),)
    declared = unit.world.declared(kind, name, namespace)
    return (Related(unit.world.place(declared, route), told),) if declared is not None else ()


def quota_state(quota: ResourceQuota, key: str, used: int, asked: int = 0, owners: Iterable[str] = ()) -> str:
    """`2 count/jobs.batch and has 2 in use`: the limit of a key, its `used` amount and the `asked` one.

    All are in thousandths; the asked amount is only shown if something is left. Each of the `owners`, which are keys of
    workloads, uses one.
    """
    asks = f", and it asks for {canonical(asked)}" if asked and used < quota.hard[key] else ""
    state = in_use(canonical(used), key, [(one, ONE) for one in owners])
    return f"{quota_amount(canonical(quota.hard[key]), key)} and has {state}{asks}"


def quota_limits(unit: ApplySet, namespace: str, name: str, keys: Sequence[str]) -> Iterator[Related]:
    """Yield the places where a ResourceQuota limits some keys."""
    quotas = [one for one in unit.cluster.quotas if (one.meta.namespace, one.meta.name) == (namespace, name)]
    for quota, key in ((quota, key) for quota in quotas for key in keys if key in quota.hard):
        told = f"the quota allows {quota_amount(canonical(quota.hard[key]), key)}"
        yield from told_at(unit, "ResourceQuota", name, told, namespace, ("spec", "hard", key))


_OVERHEAD: Pointer = ("overhead", "podFixed")
_SELECTOR: Pointer = ("scheduling", "nodeSelector")


def class_of(unit: ApplySet, subject: WorkloadCheck) -> RuntimeClass | None:
    """The RuntimeClass of its pods; None if they name none, or it is unknown."""
    return runtime_class_of(subject.workload.spec, unit.cluster.runtime_classes)


def adds_requirement(manifest: Manifest, pointer: Pointer) -> bool:
    """Whether a node requirement, by its pointer in the pod spec, comes from a RuntimeClass."""
    written = (*field_pointers.pod_spec(manifest), *pointer)
    return pointer[0] == "nodeSelector" and not manifest.present(written) and manifest.present(_named(manifest))


def source_of(manifest: Manifest, pointer: Pointer) -> Pointer:
    """The source of a node requirement: its own line, or the name of the class that adds it."""
    if adds_requirement(manifest, pointer):
        return _named(manifest)
    return (*field_pointers.pod_spec(manifest), *pointer)


def overhead(unit: ApplySet, subject: WorkloadCheck, resource: str) -> Iterator[Related]:
    """Yield the line that says how much of a resource each pod takes beyond the requests of its containers."""
    found = class_of(unit, subject)
    number = found.overhead.get(resource, 0) if found is not None else 0
    if found is not None and number:
        added = amount(resource, scheduler_units(resource, number))
        told = f"RuntimeClass {found.name} adds {added} to each pod"
        yield from told_at(unit, "RuntimeClass", found.name, told, route=(*_OVERHEAD, resource))


def binding(unit: ApplySet, subject: WorkloadCheck, only: str) -> Iterator[Related]:
    """Yield the lines of a class that bind pods to some nodes; `only` says to which."""
    found = class_of(unit, subject)
    for key, value in sorted(found.node_selector.items()) if found is not None else ():
        if found is not None and adds_requirement(subject.manifest, ("nodeSelector", key)):
            told = f"RuntimeClass {found.name} asks for nodes with {key}={value}: {only}"
            yield from told_at(unit, "RuntimeClass", found.name, told, route=(*_SELECTOR, key))
            only = "and this binds it too"


def _named(manifest: Manifest) -> Pointer:
    return (*field_pointers.pod_spec(manifest), FIELD)


ELSEWHERE = "make the volume where its pods can run: volumeBindingMode WaitForFirstConsumer of its StorageClass does"
THERE = "add a node that reaches the volume, or copy its data to the volume of a new claim: it stays where it was made"


def volume_ties(unit: ApplySet, subject: WorkloadCheck) -> dict[str, str]:
    """Return, for each claim of its pods, the volume and the nodes that reach it, if not all nodes do."""
    volumes = {one.meta.name: one for one in unit.cluster.volumes}
    keys, first = claim_keys(subject.workload), controller_of(subject.workload).first_ordinal
    found = {}
    for claim in unit.cluster.claims:
        volume = volumes.get(claim.volume_name) if claim.bound else None
        mine = claim.key in keys or (subject.workload.claims and makes_claim(subject.workload, claim.key, first))
        if mine and volume is not None and not all(volume.reachable_from(one.labels) for one in unit.possible_nodes):
            found[claim.meta.name] = f"has volume {volume.meta.name} that only nodes with {_nodes(volume)} reach"
    return found


def reunion(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Return how to bring its pods and their volumes together; nothing for a class that already waits for pods."""
    ties, space, classes = volume_ties(unit, subject), subject.workload.meta.namespace, unit.cluster.storage_classes
    claims = [one for one in unit.cluster.claims if one.meta.namespace == space and one.meta.name in ties]
    waiting = {one.name for one in classes if one.wait_for_first_consumer}
    volumes = [one for one in unit.cluster.volumes if one.meta.name in {claim.volume_name for claim in claims}]
    lost = any(not any(one.reachable_from(node.labels) for node in unit.possible_nodes) for one in volumes)
    waits = any(with_default_class(one, classes).class_name in waiting for one in claims)
    return THERE if lost or waits else ELSEWHERE


def fits_without_volumes(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a node would take its pod without volumes."""
    pod = replace(subject.pod, spec=replace(subject.pod.spec, volumes=()))
    tried = (attempt(pod, snapshot).fit for snapshot in (unit.empty, unit.grown) if snapshot is not None)
    return any(fit is not None and fit.fits for fit in tried)


def tie_lines(unit: ApplySet, subject: WorkloadCheck, most: int = 3) -> Iterator[Related]:
    """Yield the places where the pod names such claims, and where these are declared."""
    ties, namespace = volume_ties(unit, subject), subject.workload.meta.namespace
    for route in field_pointers.claims(subject.manifest):
        name = str(field_pointers.at(subject.manifest, route))
        if name in ties:
            yield Related(subject.manifest.place(route), f"the claim {ties[name]}")
    for name, told in list(ties.items())[:most]:
        yield from told_at(unit, "PersistentVolumeClaim", name, f"claim {name} {told}", namespace)


def _nodes(volume: PersistentVolume) -> str:
    selector = volume.node_affinity or NodeSelector()
    ways = []
    for term in selector.terms:
        asked = [(one.key, one.operator, one.values) for one in (*term.expressions, *term.fields)]
        told = [
            f"{key} {listed(values, 'or')}" if way == "In" else f"{key} {way} {values}" for key, way, values in asked
        ]
        ways.append(" and ".join(told))
    return " or ".join(ways)
