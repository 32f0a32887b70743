"""Related places of a stuck rollout: the line that makes each held thing exclusive."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.kube.kinds.custom_strategy import kept_apart
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE, READ_WRITE_ONCE_POD
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, pod_topology_spread
from kubelint_gpu.scheduler.relations import facts_of
from kubelint_gpu.simulation.search.blocked import ATTACH
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_HOSTNAME = "kubernetes.io/hostname"
_HASH = "pod-template-hash"


def exclusive_lines(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> tuple[Related, ...]:
    """Return the lines that make the awaited resource exclusive."""
    lacks = list(every(waiting.lacks))
    plugins, held = {lack.plugin for lack in lacks}, {lack.held for lack in lacks}
    found: list[Related] = []
    if "port" in held:
        found += _ports(subject)
    if inter_pod_affinity.NAME in plugins:
        found += _apart(unit, subject)
    if pod_topology_spread.NAME in plugins:
        found += spread_lines(subject)
    if "device" in held:
        found += device_lines(unit, subject, {lack.node for lack in lacks if lack.held == "device"})
    if any(lack.held == "volume" and (lack.plugin == ATTACH or facts_of(lack.plugin).blockers) for lack in lacks):
        found += exclusive_claim_lines(unit, subject)
    return tuple(found)


def _ports(subject: WorkloadCheck) -> Iterator[Related]:
    for route in field_pointers.host_ports(subject.manifest):
        written = route[-1] == "hostPort"
        port = field_pointers.at(subject.manifest, route)
        why = "" if written else ", because the pod uses the host's network"
        yield Related(subject.manifest.place(route), f"one pod of a node can have host port {port}{why}")


def _apart(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    terms = own_terms(subject.pod, subject.workload.spec.pod_anti_affinity, unit.empty)
    for route, term in zip(field_pointers.anti_affinity(subject.manifest), terms, strict=False):
        key = field_pointers.at(subject.manifest, (*route, "topologyKey"))
        place = "node" if key == _HOSTNAME else f"value of {key}"
        told = f"one {place} has one such pod at most, and {_counting(subject, route)}"
        if _holds_hash(subject, route, "mismatchLabelKeys"):
            told = f"old and new pods never share one {place}, pods of one revision may"
        elif not term.matches(subject.pod):
            told = f"no pod of it goes to a {place} with a pod that this selects"
        yield Related(subject.manifest.place((*route, "topologyKey")), told)
    way = kept_apart(subject.manifest.item.value) if subject.workload.custom else None
    if way is not None:
        yield Related(subject.manifest.place(way, "key"), "Argo Rollouts keeps new pods from the nodes of the old ones")


def spread_lines(subject: WorkloadCheck) -> Iterator[Related]:
    """Yield the constraints that keep its pods spread."""
    for route in field_pointers.spread(subject.manifest):
        skew = field_pointers.at(subject.manifest, (*route, "maxSkew"))
        told = f"no place may be more than {skew} ahead of the emptiest, and {_counting(subject, route)}"
        yield Related(subject.manifest.place((*route, "whenUnsatisfiable")), told)


def _counting(subject: WorkloadCheck, route: Pointer) -> str:
    """Whether a term or constraint counts the pods of all revisions."""
    within = _holds_hash(subject, route, "matchLabelKeys")
    return "only pods of one revision count" if within else "old and new pods both count"


def _holds_hash(subject: WorkloadCheck, route: Pointer, field: str) -> bool:
    keys = field_pointers.at(subject.manifest, (*route, field))
    return isinstance(keys, list) and _HASH in keys


def exclusive_claims(unit: ApplySet, subject: WorkloadCheck) -> tuple[str, ...]:
    """The claims of the pod that not every pod can use at once, each with its access mode."""
    return tuple(f"{name} ({mode})" for name, mode in _modes(unit, subject).items())


def _modes(unit: ApplySet, subject: WorkloadCheck) -> dict[str, str]:
    """The access mode of each claim of the pod that not every pod can use at once, by the claim's name."""
    modes = {one.key: one.access_modes for one in unit.cluster.claims}
    keys = {name: f"{subject.workload.meta.namespace}/{name}" for name in direct_claims(subject.workload.spec)}
    named = {name: modes[key][0] for name, key in keys.items() if modes.get(key)}
    return {name: mode for name, mode in named.items() if mode in (READ_WRITE_ONCE_POD, READ_WRITE_ONCE)}


def exclusive_claim_lines(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    """Yield the lines that name these claims, each with the pods that can use it at once."""
    exclusive = _modes(unit, subject)
    for route in field_pointers.claims(subject.manifest):
        mode = exclusive.get(str(field_pointers.at(subject.manifest, route)))
        if mode is not None:
            users = "one pod at a time" if mode == READ_WRITE_ONCE_POD else "the pods of one node at a time"
            yield Related(subject.manifest.place(route), f"the claim is {mode}: {users}")


_MOST_SLICES = 2


def device_lines(unit: ApplySet, subject: WorkloadCheck, nodes: Collection[str]) -> Iterator[Related]:
    """Yield the claims of a pod, and the first declared slices of some nodes."""
    for route in field_pointers.resource_claims(subject.manifest):
        own = route[-1] == field_pointers.CLAIM_TEMPLATE
        told = "each pod has devices of its own" if own else "all pods share the claim, and go where its devices are"
        yield Related(subject.manifest.place(route), told)
    here = ((key, slices) for key, slices in _declared_devices(unit).items() if key[0] in nodes)
    for (node, driver), slices in islice(here, _MOST_SLICES):
        told = f"{node} has {counted(sum(number for _, number in slices), 'device')} of {driver}"
        yield Related(unit.world.place(slices[0][0], ("spec", "driver")), told)


@once
def _declared_devices(unit: ApplySet) -> dict[tuple[str, str], list[tuple[Declared, int]]]:
    """The declared slices with devices of one node, by node and driver, each with its number of devices."""
    declared = unit.world.inventory.of_kind("ResourceSlice") if unit.world.inventory is not None else ()
    found = ((one, one.value.get("spec")) for one in declared)
    return grouped(
        ((str(spec["nodeName"]), str(spec.get("driver"))), (one, len(spec["devices"])))
        for one, spec in found
        if isinstance(spec, dict) and isinstance(spec.get("devices"), list) and spec.get("nodeName")
    )
