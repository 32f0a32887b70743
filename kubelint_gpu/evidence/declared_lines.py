"""Places of objects that a verdict depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE, canonical
from kubelint_gpu.messages.why_fewer import in_use, quota_amount
from kubelint_gpu.workspace.apply_set import ApplySet


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
