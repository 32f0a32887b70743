"""Scheduling gates that are never removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from kubelint_gpu.analysis.gang_members import admitted_at_once
from kubelint_gpu.analysis.predecessors import acting
from kubelint_gpu.documents import Pointer, value_at
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.gpu.resource_owners import GATES, gate_owner
from kubelint_gpu.kube.objects.collective import QUEUE
from kubelint_gpu.kube.objects.requests import pod_amounts
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.quantity import scheduler_units, shown
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace.answers import once

K = TypeVar("K")
_LABEL: Pointer = ("metadata", "labels", QUEUE)
_VOLCANO: Pointer = ("spec", "queue")
_KINDS = ("LocalQueue", "ClusterQueue", "Queue")
_FEWER = "kueue.x-k8s.io/job-min-parallelism"
_NONE = "no pod is made or scheduled"


@rule("KLG206")
def gate_without_owner(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield scheduling gates that no known controller and no custom resource of the manifests removes."""
    import difflib

    yield from _without_queue(unit)
    gated = [subject for subject in unit.subjects if acting(unit, subject).workload.spec.scheduling_gates]
    if not gated:
        return
    groups = {
        str(manifest.item.value.get("apiVersion", "")).rpartition("/")[0]
        for manifest in (*unit.manifests, *unit.surroundings())
    }
    for subject in gated:
        manifest = subject.manifest
        for index, gate in enumerate(acting(unit, subject).workload.spec.scheduling_gates):
            domain = gate.partition("/")[0] if "/" in gate else ""
            if not gate or gate_owner(gate) or (domain and domain in groups):
                continue
            route = (*field_pointers.pod_spec(manifest), "schedulingGates", index, "name")
            near = difflib.get_close_matches(gate, sorted(GATES), 1, 0.75)
            yield Diagnostic(
                "KLG206",
                manifest.place(route),
                f"no known controller removes the scheduling gate {gate}: its pods are never scheduled until "
                "something does",
                manifest,
                cause=gate,
                help=(f"did you mean {near[0]}, which {GATES[near[0]]} removes?",) if near else (),
                proposals=rewritten(manifest, route, near),
            )


def _without_queue(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads that Kueue or Volcano never admits; only if queues are declared."""
    volcano = {one.name for one in _declared(unit) if api_group(one.item.value) == "scheduling.volcano.sh"}
    asked = [one for one in unit.subjects if volcano or QUEUE in one.workload.meta.labels]
    for parts in grouped((one.manifest.place(("metadata", "name")), one) for one in asked).values():
        manifest, (why, certain) = parts[0].manifest, _never_admitted(unit, parts)
        value, pointer = manifest.item.value, _LABEL
        queue = value_at(value, _VOLCANO) if volcano and api_group(value) == "batch.volcano.sh" else None
        if isinstance(queue, str) and queue not in ("", "default", *volcano) and not is_placeholder(queue):
            certain, pointer = False, _VOLCANO
            why = f"Volcano admits nothing for Queue {queue}, which is not among these manifests: {_NONE}"
        if not why or not manifest.present(pointer):
            continue
        yield Diagnostic(
            "KLG206",
            manifest.place(pointer),
            why,
            manifest,
            cause=f"queue {value_at(value, pointer)}",
            certainty="certain" if certain else "possible",
            severity="error" if certain else "warning",
        )


def _never_admitted(unit: ApplySet, parts: Sequence[WorkloadCheck]) -> tuple[str, bool]:
    """Return why Kueue never admits an object with a queue; empty if it may, or if no queue is declared.

    The second value is true if these manifests declare both queues, and the object requests more than the quota.

    Behaviour: the flavor assigner of Kueue, v0.19. A queue of a cohort may borrow, so its quota is ignored.
    """
    local, cluster = _queues(unit)
    meta = parts[0].workload.meta
    name = meta.labels.get(QUEUE)
    if not name or not (local or cluster):
        return "", False
    if (meta.namespace, name) not in local:
        return (
            f"Kueue admits nothing for LocalQueue {name}, which namespace {meta.namespace} does not have among these "
            f"manifests: until it is there {_NONE}"
        ), False
    behind = Fields(local[meta.namespace, name], (), []).down("spec").text("clusterQueue")
    if not cluster or not behind:
        return "", False
    if behind not in cluster:
        missing = f"its ClusterQueue {behind} is not among these manifests"
        return f"Kueue admits nothing for LocalQueue {name}: {missing}: {_NONE}", False
    spec = Fields(cluster[behind], (), []).down("spec")
    if "resourceGroups" in spec and "namespaceSelector" not in spec:
        return (
            f"Kueue admits nothing for ClusterQueue {behind}: without namespaceSelector it is for no namespace: {_NONE}"
        ), False
    found = next(_uncovered(parts, spec), "")
    short = found or next(_lacking(parts, spec), "")
    if short:
        mine = {(one.kind, one.name) for one in unit.manifests}
        certain = not found and {("LocalQueue", name), ("ClusterQueue", behind)} <= mine
        return f"Kueue never admits it: {short} ClusterQueue {behind}: {_NONE}", certain
    found = next(_lacking_to_roll(parts, spec), "")
    return f"Kueue admits no new pod of a rollout, {found} ClusterQueue {behind}: it never ends" if found else "", False


def _asked(parts: Sequence[WorkloadCheck]) -> Mapping[str, Sequence[int]]:
    """Return the total requests of the pods of each template, by resource."""
    return grouped(
        (name, amount * admitted_at_once(part))
        for part in parts
        for name, amount in pod_amounts(part.workload.spec).items()
        if amount
    )


def _uncovered(parts: Sequence[WorkloadCheck], spec: Fields) -> Iterator[str]:
    """Yield the resources of an object's pods that a ClusterQueue does not cover."""
    groups = list(spec.children("resourceGroups"))
    covered = {name for group in groups for name in group.texts("coveredResources")}
    unknown = sorted(_asked(parts).keys() - covered)
    if groups and unknown:
        written = [pod_amounts(one.manifest.workload.spec) for one in parts if one.manifest.workload is not None]
        added = [name for name in unknown if not any(one.get(name) for one in written)]
        by = f" (a LimitRange adds {'it' if added == unknown[:1] == unknown else listed(added)})" if added else ""
        yield f"its pods ask for {listed(unknown)}{by}, which no resource group covers in"


def _lacking(parts: Sequence[WorkloadCheck], spec: Fields) -> Iterator[str]:
    """Yield the resources of which an object's pods request more than a ClusterQueue has."""
    asked = _asked(parts)
    for name, quotas in _quotas(parts, spec, asked.keys()):
        # the pods of one template have one flavor
        for wanted, most, has in (
            (max(asked[name]), max(quotas), "no flavor has more than"),
            (sum(asked[name]), sum(quotas), "its flavors have only"),
        ):
            if wanted > most:
                yield f"it asks for {_shown(name, wanted)} of {name}, and {has} {_shown(name, most)} in"


def _lacking_to_roll(parts: Sequence[WorkloadCheck], spec: Fields) -> Iterator[str]:
    """Yield the resources that a ClusterQueue lacks for new pods beside old ones that wait for them."""
    if any(one.controller.recreates or not one.controller.surge(one.workload.replicas) for one in parts):
        return
    amounts = [pod_amounts(one.workload.spec) for one in parts]
    for name, quotas in _quotas(parts, spec, {name for one in amounts for name, amount in one.items() if amount}):
        rests = sum(one.get(name, 0) * part.workload.replicas for one, part in zip(amounts, parts, strict=True))
        wanted = sum(one.get(name, 0) * _beside_new(part) for one, part in zip(amounts, parts, strict=True))
        if rests <= sum(quotas) < wanted:
            has = f"and its flavors have only {_shown(name, sum(quotas))} in"
            yield f"which takes {_shown(name, wanted)} of {name} with the old pods that stay, {has}"


def _beside_new(part: WorkloadCheck) -> int:
    """Return the number of old pods that stay and of new pods that must be ready first: one, or a whole group."""
    replicas, controller = part.workload.replicas, part.controller
    new = controller.surge(replicas) if part.workload.custom else 1
    return replicas - controller.unavailable(replicas) + new


def _quotas(
    parts: Sequence[WorkloadCheck], spec: Fields, names: Collection[str]
) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the quotas of a ClusterQueue's flavors for resources; nothing if it may borrow, or fewer pods suffice."""
    cohort = spec.text("cohort") or spec.text("cohortName")
    for group in () if cohort or _FEWER in parts[0].workload.meta.annotations else spec.children("resourceGroups"):
        flavors = [one for flavor in group.children("flavors") for one in flavor.children("resources")]
        for name in sorted({*names} & {*group.texts("coveredResources")}):
            found = [one.quantity("nominalQuota") for one in flavors if one.text("name") == name]
            quotas = [one for one in found if one is not None]
            if quotas:
                yield name, quotas


def _shown(name: str, number: int) -> str:
    return shown(name, scheduler_units(name, number))


@once
def _queues(unit: ApplySet) -> tuple[Mapping[tuple[str, str], dict[str, Any]], Mapping[str, dict[str, Any]]]:
    """Return the declared LocalQueues by namespace and name, and ClusterQueues by name; duplicates are left out."""
    found = _declared(unit)
    local = grouped(((one.namespace or "default", one.name), one) for one in found if one.kind == "LocalQueue")
    cluster = grouped((one.name, one) for one in found if one.kind == "ClusterQueue")
    return _once_declared(local), _once_declared(cluster)


def _declared(unit: ApplySet) -> list[Manifest]:
    return [one for one in (*unit.manifests, *unit.surroundings(_KINDS)) if one.kind in _KINDS]


def _once_declared(found: Mapping[K, Sequence[Manifest]]) -> dict[K, dict[str, Any]]:
    return {key: same[0].item.value if len(same) == 1 else {} for key, same in found.items()}
