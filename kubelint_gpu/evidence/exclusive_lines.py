"""Further places of a rollout that never ends: the line that makes each held thing exclusive."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from itertools import islice

from kubelint_gpu.documents import Pointer
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.evidence.node_lines import clues, requested
from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import QuotaRefusal, ResourceQuota
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.wait import every, quota_amount
from kubelint_gpu.messages.wording import amount, counted, owner_name, some
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, pod_topology_spread
from kubelint_gpu.scheduler.relations import facts_of
from kubelint_gpu.simulation.prepare.workload_change import owner_of, pods_of_others
from kubelint_gpu.simulation.search.blockers import ATTACH
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_ONE_NODE = "ReadWriteOnce"
_HOSTNAME = "kubernetes.io/hostname"
_HASH = "pod-template-hash"
_MOST_HOLDERS = 4
_MOST_SLICES = 2


def stakes(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> tuple[Related, ...]:
    """What is asked for, what makes it exclusive, what binds the pod, and the nodes."""
    if waiting.refusal:
        return exclusive_lines(unit, subject, waiting)
    resource = next((lack.resource for lack in waiting.lacks if lack.resource), "")
    nodes = [lack.node for lack in waiting.lacks]
    found = [*exclusive_lines(unit, subject, waiting)]
    more = {one.resource for lack in waiting.lacks for one in lack.also if one.resource} - {resource}
    found += [place for name in sorted(more) for place in requested(unit, subject, name)]
    return (*found, *clues(unit, subject, resource, nodes), *islice(_holders(unit, subject, waiting), _MOST_HOLDERS))


def shortage_lines(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, resource: str) -> Iterator[Related]:
    """What shows why replicas wait: the limit of the quota that refuses them, else requests, nodes and holders."""
    if judgement.refusal is not None and judgement.refusal.exceeded:
        yield from _quota(unit, subject, judgement.refusal)
        return
    yield from clues(unit, subject, resource, sorted(judgement.eligible))
    yield from holders(unit, subject, resource, judgement.eligible)


def exclusive_lines(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> tuple[Related, ...]:
    """The lines that make exclusive what a pod waits for."""
    if waiting.refusal:
        return tuple(_quota(unit, subject, waiting.refusal))
    lacks = list(every(waiting.lacks))
    plugins, held = {lack.plugin for lack in lacks}, {lack.held for lack in lacks}
    found: list[Related] = []
    if "port" in held:
        found += _ports(subject)
    if inter_pod_affinity.NAME in plugins:
        found += _apart(unit, subject)
    if pod_topology_spread.NAME in plugins:
        found += _spread(subject)
    if "device" in held:
        found += _device_claims(subject)
        found += _slices(unit, {lack.node for lack in lacks if lack.held == "device"})
    if any(lack.held == "volume" and (lack.plugin == ATTACH or facts_of(lack.plugin).blockers) for lack in lacks):
        found += _claims(unit, subject)
    return tuple(found)


def exclusive_claims(unit: ApplySet, subject: WorkloadCheck) -> dict[str, str]:
    """The access mode of each claim of the pod that not every pod can use at once, by the claim's name."""
    modes = {
        claim.meta.name: claim.access_modes
        for claim in unit.cluster.claims
        if claim.meta.namespace == subject.workload.meta.namespace
    }
    named = [str(volume.source.get("claimName", "")) for volume in subject.workload.spec.volumes]
    return {
        name: modes[name][0] for name in named if modes.get(name) and modes[name][0] in (READ_WRITE_ONCE_POD, _ONE_NODE)
    }


def holders(unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Collection[str]) -> tuple[Related, ...]:
    """The running pods of others that hold a resource on some nodes."""
    return told_holders(unit, resource, holding(unit, subject, resource, nodes))


def holding(
    unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Collection[str]
) -> dict[str, list[tuple[str, int]]]:
    """Which owners of running pods, but for the workload itself, hold how much of a resource on which of some nodes."""
    held: dict[str, list[tuple[str, int]]] = {}
    for pod in pods_of_others([subject.workload], unit.cluster.pods):
        number = pod_requests(pod.spec).get(resource, 0)
        if number and pod.spec.node_name in nodes:
            held.setdefault(owner_of(pod) or f"Pod/{pod.key}", []).append((pod.spec.node_name, number))
    return held


def told_holders(unit: ApplySet, resource: str, held: Mapping[str, Sequence[tuple[str, int]]]) -> tuple[Related, ...]:
    """The first few of those who hold a resource, each at the line that says so."""
    return tuple(islice(_told(unit, {(owner, resource): found for owner, found in held.items()}), _MOST_HOLDERS))


def _holders(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> Iterator[Related]:
    """The others that hold a resource: the pods of the inventory, and the workloads applied together with this one."""
    held: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for lack in every(waiting.lacks):
        for holder in lack.holders if lack.resource else ():
            if holder.owner != subject.workload.key:
                held.setdefault((holder.owner, lack.resource), []).append((lack.node, holder.amount))
    yield from _told(unit, held)


def _told(unit: ApplySet, held: Mapping[tuple[str, str], Sequence[tuple[str, int]]]) -> Iterator[Related]:
    for (owner, resource), places in held.items():
        place = place_of(unit, owner, resource, {node for node, _ in places})
        if place is not None:
            whole = amount(resource, sum(number for _, number in places))
            nodes = list(dict.fromkeys(node for node, _ in places))
            yield Related(place, f"{owner_name(owner)} holds {whole} on {some(nodes)}")


def place_of(unit: ApplySet, owner: str, resource: str, nodes: Container[str]) -> Place | None:
    """Where a workload asks for a resource, or where one of its running pods is declared."""
    for other in unit.subjects:
        if other.workload.key == owner:
            return next(
                (other.manifest.place(route) for route in field_pointers.requests(other.manifest, resource)), None
            )
    for declared in unit.world.inventory.objects if unit.world.inventory is not None else ():
        pod = declared.typed
        if not isinstance(pod, Pod) or pod.spec.node_name not in nodes:
            continue
        if (owner_of(pod) or f"Pod/{pod.key}") == owner:
            return unit.world.place(declared)
    return None


def scarce(subject: WorkloadCheck) -> str:
    """The resource to point at where pods do not all fit: an extended one if there is any."""
    resources = extended_resources(subject.workload.spec)
    return resources[0] if resources else "cpu"


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


def _spread(subject: WorkloadCheck) -> Iterator[Related]:
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


def _claims(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    exclusive = exclusive_claims(unit, subject)
    for route in field_pointers.claims(subject.manifest):
        mode = exclusive.get(str(field_pointers.at(subject.manifest, route)))
        if mode is not None:
            users = "one pod at a time" if mode == READ_WRITE_ONCE_POD else "the pods of one node at a time"
            yield Related(subject.manifest.place(route), f"the claim is {mode}: {users}")


def _device_claims(subject: WorkloadCheck) -> Iterator[Related]:
    for route in field_pointers.resource_claims(subject.manifest):
        own = route[-1] == field_pointers.CLAIM_TEMPLATE
        told = "each pod has devices of its own" if own else "all pods share the claim, and go where its devices are"
        yield Related(subject.manifest.place(route), told)


def _slices(unit: ApplySet, nodes: Collection[str]) -> Iterator[Related]:
    """The first of the declared slices of some nodes."""
    declared = unit.world.inventory.of_kind("ResourceSlice") if unit.world.inventory is not None else ()
    found = ((one, one.value.get("spec")) for one in declared)
    mine = [(one, spec) for one, spec in found if isinstance(spec, dict) and spec.get("nodeName") in nodes]
    for one, spec in mine[:_MOST_SLICES]:
        devices = spec.get("devices")
        number = len(devices) if isinstance(devices, list) else 0
        if number:
            told = f"{spec['nodeName']} has {counted(number, 'device')} of {spec.get('driver')}"
            yield Related(unit.world.place(one, ("spec", "driver")), told)


def _quota(unit: ApplySet, subject: WorkloadCheck, refusal: QuotaRefusal) -> Iterator[Related]:
    keys = [one.key for one in refusal.exceeded]
    for key in keys:
        yield from requested(unit, subject, key.removeprefix("requests."))
    if keys:
        yield from quota_limits(unit, subject.workload.meta.namespace, refusal.quota, keys)


def quota_state(quota: ResourceQuota, key: str, used: int) -> str:
    """`2 count/jobs.batch and has 2 in use`: what a quota allows of a key and what is `used`, in thousandths."""
    return f"{quota_amount(canonical(quota.hard[key]), key)} and has {canonical(used)} in use"


def quota_limits(unit: ApplySet, namespace: str, name: str, keys: Sequence[str]) -> Iterator[Related]:
    """Where a ResourceQuota says how much of some keys it allows."""
    quotas = [one for one in unit.cluster.quotas if (one.meta.namespace, one.meta.name) == (namespace, name)]
    for quota, key in ((quota, key) for quota in quotas for key in keys if key in quota.hard):
        told = f"the quota allows {quota_amount(canonical(quota.hard[key]), key)}"
        yield from told_at(unit, "ResourceQuota", name, told, namespace, ("spec", "hard", key))
