"""Lines of the inventory with the facts that decide a finding, such as quotas and RuntimeClasses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.objects.runtime_class import FIELD, RuntimeClass, runtime_class_of
from kubelint_gpu.kube.values.quantity import ONE, canonical, scheduler_units
from kubelint_gpu.messages.why_fewer import in_use, quota_amount
from kubelint_gpu.messages.wording import amount
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
