"""Related places of a finding: the request, the node selection, and the inventory's lines about nodes."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence

from kubelint_gpu.documents import Pointer
from kubelint_gpu.evidence.declared_lines import binding, overhead, quota_limits, told_at
from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.groups import grouped, in_order
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.requests import is_extended, pod_requests
from kubelint_gpu.messages.wording import amount, bare, listed, owner_name, some, verb
from kubelint_gpu.scheduler.plugins.node_ports import taken
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.prepare.workload_change import owner_of, pods_of_others
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_LINES = 4


def clues(
    unit: ApplySet,
    subject: WorkloadCheck,
    resource: str,
    nodes: Sequence[str],
    *,
    takes: bool = True,
    holders: bool = False,
) -> tuple[Related, ...]:
    """The request, the selectors, and the possible nodes.

    `takes`: the `nodes` could take the pod. With `holders`, for a few nodes, the resources of other pods are added.
    """
    few = holders and len(nodes) <= _MOST_LINES
    return (
        *requested(unit, subject, resource),
        *_binding(unit, subject, nodes, takes=takes),
        *(_with_holders(unit, subject, nodes, resource) if few else node_clues(unit, nodes, resource)[:_MOST_LINES]),
    )


def _with_holders(unit: ApplySet, subject: WorkloadCheck, nodes: Sequence[str], resource: str) -> Sequence[Related]:
    """Return the amounts of a resource on nodes, and those held by other running pods."""
    held = holding(unit, subject, resource, nodes)
    alike = grouped((_held_on(held, name, resource), name) for name in nodes)
    found = [(clue, text) for text, names in alike.items() for clue in node_clues(unit, names, resource)]
    return [replace(clue, message=f"{clue.message}{text}") for clue, text in found]


def _held_on(held: Mapping[str, Sequence[tuple[str, int]]], node: str, resource: str) -> str:
    """`, 1 of which StatefulSet research/notebook holds`; empty if nothing is held there."""
    amounts = {owner: sum(number for name, number in places if name == node) for owner, places in held.items()}
    names = sorted(owner_name(owner) for owner, number in amounts.items() if number)
    total = bare(resource, sum(amounts.values()))
    return f", {total} of which {some(names, 'workload')} {verb('hold', len(names))}" if names else ""


def holding(
    unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Collection[str], *, lasting: bool = False
) -> dict[str, list[tuple[str, int]]]:
    """Return the amounts of a resource that other running pods, or those it cannot evict, hold on nodes, by owner."""
    held: dict[str, list[tuple[str, int]]] = {}
    for pod in pods_of_others([subject.workload], unit.cluster.pods):
        number = pod_requests(pod.spec).get(resource, 0)
        if number and pod.spec.node_name in nodes and not (lasting and gives_way(pod.spec, subject.workload.spec)):
            held.setdefault(owner_of(pod) or f"Pod/{pod.key}", []).append((pod.spec.node_name, number))
    return held


def lasting_holders(unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Collection[str]) -> list[str]:
    """Return the owners of other pods that hold a resource on some nodes and cannot be evicted for its pods."""
    places = holding(unit, subject, resource, nodes, lasting=True)
    held = {owner: sum(number for _, number in each) for owner, each in places.items()}
    return sorted(held, key=lambda owner: (-held[owner], owner))


def requested(unit: ApplySet, subject: WorkloadCheck, resource: str) -> Iterator[Related]:
    """Yield the lines in which a workload asks for a resource, and those where its RuntimeClass adds to it."""
    each = pod_requests(subject.workload.spec).get(resource, 0)
    if not each:
        return
    unknown = {problem.pointer for problem in subject.manifest.problems if problem.placeholder}
    yield from taken_by_each(subject.manifest, resource, each, unknown)
    yield from overhead(unit, subject, resource)


def taken_by_each(
    manifest: Manifest, resource: str, each: int, unknown: Container[Pointer] = frozenset()
) -> Iterator[Related]:
    """Yield the lines in which containers ask for a resource, with the amount that a pod takes, in its own units.

    If several containers ask for it, the label says that the number is their sum or, with init containers, which run
    before the others, the most at one time.
    """
    routes = [*field_pointers.requests(manifest, resource)]
    which = f"its {len(routes)} containers need"
    together = f", what {which} together" if len(routes) > 1 else ""
    if together and any("initContainers" in route for route in routes):
        together = f", the most that {which} at one time"
    for route in routes:
        least = "at least " if route in unknown else ""
        yield Related(manifest.place(route), f"each pod takes {least}{amount(resource, each)}{together}")


def _binding(unit: ApplySet, subject: WorkloadCheck, nodes: Sequence[str], *, takes: bool) -> Iterator[Related]:
    found = unit.alone(subject).fit if takes and nodes else None
    if found is not None and found.schedulable:
        # what waits on some of them may go to all that its selectors leave
        nodes = in_order(frozenset((*found.fits, *nodes)))
    if not nodes or len(nodes) == len(unit.cluster.nodes) or not subject.places_pods:
        return
    only = f"only {some(nodes)} can take it" if takes else f"this leaves {some(nodes)}"
    for route in field_pointers.selectors(subject.manifest):
        yield Related(field_pointers.selector_place(subject.manifest, route), only)
        only = "and this binds it too"
    yield from binding(unit, subject, only)


def node_clues(unit: ApplySet, names: Sequence[str], resource: str) -> Sequence[Related]:
    """The lines of the inventory with the amounts of a resource; nodes of one line are merged."""
    known, key = _known_clues(unit), (*names, resource)
    if key not in known:
        known[key] = [*_node_clues(unit, names, resource)]
    return known[key]


@once
def _known_clues(_unit: ApplySet) -> dict[tuple[str, ...], Sequence[Related]]:
    """A cache: many workloads can use the same nodes."""
    return {}


def _node_clues(unit: ApplySet, names: Sequence[str], resource: str) -> Iterator[Related]:
    said: dict[tuple[Place, str], list[str]] = {}
    for name in names:
        declared = unit.world.declared("Node", name)
        node = unit.empty.node(name)
        if declared is None or node is None:
            continue
        has, place = "", unit.world.place(declared)
        if resource and resource not in node.node.allocatable:
            has = f"no {resource}"
        if resource in node.node.allocatable:
            status = declared.value.get("status")
            part = "allocatable" if isinstance(status, dict) and status.get("allocatable") else "capacity"
            has = amount(resource, node.node.allocatable[resource])
            place = unit.world.place(declared, ("status", part, resource))
        said.setdefault((place, has), []).append(name)
    for (place, has), nodes in said.items():
        one = len(nodes) == 1
        if not has:
            yield Related(place, f"{some(nodes)} {'is' if one else 'are'} declared here")
            continue
        each = "" if one or has.startswith("no ") else " each"
        yield Related(place, f"{some(nodes)} {'has' if one else 'have'} {has}{each}")


def scarce(subject: WorkloadCheck) -> str:
    """The resource to point at if pods do not all fit: an extended one if there is any."""
    resources = extended_resources(subject.workload.spec)
    return resources[0] if resources else "cpu"


def requested_device(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    """The lines in which a workload asks for an extended resource, if it asks for any."""
    return requested(unit, subject, scarce(subject)) if is_extended(scarce(subject)) else iter(())


def refusing_quota(unit: ApplySet, subject: WorkloadCheck, refusal: QuotaRefusal) -> Iterator[Related]:
    """Yield the requests, and the limits of the quota that refuses them."""
    keys = [one.key for one in refusal.exceeded]
    for key in keys:
        yield from requested(unit, subject, key.removeprefix("requests."))
    if keys:
        yield from quota_limits(unit, subject.workload.meta.namespace, refusal.quota, keys)


def place_of(unit: ApplySet, owner: str, resource: str, nodes: Container[str]) -> Place | None:
    """The place where a workload asks for a resource, or where one of its running pods is declared."""
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


def port_lines(unit: ApplySet, subject: WorkloadCheck, nodes: Container[str]) -> Iterator[Related]:
    """Yield the host ports that it asks for and that running pods of others use on some nodes, and these pods."""
    rest = pods_of_others([subject.workload], unit.cluster.pods)
    held = [(pod, taken(subject.workload.spec, pod.spec)) for pod in rest if pod.spec.node_name in nodes]
    for route in field_pointers.host_ports(subject.manifest):
        port = field_pointers.at(subject.manifest, route)
        if any(port in ports for _, ports in held):
            yield Related(subject.manifest.place(route), f"each pod takes host port {port}")
    for pod, ports in [one for one in held if one[1]][:_MOST_LINES]:
        has = f"{owner_name(owner_of(pod) or f'Pod/{pod.key}')} has host port {listed(list(map(str, ports)))}"
        yield from told_at(unit, "Pod", pod.meta.name, f"{has} on {pod.spec.node_name}", pod.meta.namespace)


def too_much_for(unit: ApplySet, subject: WorkloadCheck, resource: str, names: Collection[str]) -> str:
    """A clause with the request of each pod and the largest amount of these nodes, if that is less."""
    asked = pod_requests(subject.workload.spec).get(resource, 0)
    most = max((one.allocatable.get(resource, 0) for one in unit.cluster.nodes if one.name in names), default=asked)
    has = f"and no such node has more than {bare(resource, most)}" if most else "which no such node has"
    return f": each asks for {amount(resource, asked)}, {has}" if most < asked else ""
