"""Workloads that together ask for more than there is, so that certainly not all of their pods run.

A resource of some nodes, or some devices, are too few if the pods that can use nothing else ask for more in total. This
is counted without a search, for any number of workloads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

from kubelint_gpu.analysis.devices.asked_devices import device_demands
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.transitions import may_be_placed, transitions_in
from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.simulation.growth import possible_nodes
from kubelint_gpu.simulation.prepare.workload_change import is_temporary, own_pods, pods_of_others
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


class Part(Value):
    """A node's amount of a resource, or one of its devices; the node is empty for a device of several nodes."""

    node: str
    device: Hashable
    amount: int


class Requested(Value):
    """What all pods of a workload take of one thing.

    Attributes:
        key: the workload.
        label: the name for messages.
        amount: how much they take.
        source: the parts of the cluster that they can use.
    """

    key: WorkloadKey
    label: str
    amount: int
    source: frozenset[Part]


class Overcommitment(Value):
    """A part of a cluster that is too small for some workloads.

    Attributes:
        label: what is short.
        nodes: the names of the nodes.
        total: how much there is.
        amounts: how much each workload asks for.
    """

    label: str
    nodes: tuple[str, ...]
    total: int
    amounts: Mapping[WorkloadKey, int]


@once
def overcommitments(unit: ApplySet) -> Mapping[WorkloadKey, Overcommitment]:
    """Return, for each of the workloads, the smallest part of the cluster that is too small for all of them.

    If several resources are short, it is the one of which the smallest share of what they ask for is there.
    """
    lasting = [] if may_be_placed(unit) else [one for one in unit.subjects if _counts(unit, one)]
    if len(lasting) < 2:
        return {}
    found: dict[WorkloadKey, Overcommitment] = {}
    asked = grouped(pair for one in lasting for pair in _demands(unit, one))
    short = [one for name, demands in asked.items() for one in _exceeded(name, demands)]
    for one in sorted(short, key=lambda one: one.total / sum(one.amounts.values())):
        for key in one.amounts:
            found.setdefault(key, one)
    return found


def _counts(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether all of its pods must run permanently, on known nodes, and none runs yet."""
    judgement, change = judgements_in(unit).get(subject.key), transitions_in(unit).get(subject.key)
    controller = subject.controller
    if judgement is None or change is None or not _eligible(unit, subject) or judgement.room.refusal is not None:
        return False
    open_ = (None, Verdict.UNDECIDED, *((Verdict.MAY_STICK,) if controller.node_bound else ()))
    room = judgement.room
    known = 0 < room.alone < room.wanted or room.at_best == room.placed < room.wanted
    if judgement.verdict not in open_ or known:
        # its own finding says what it lacks
        return False
    lasts = controller.node_bound or (subject.places_pods and not controller.runs_to_completion)
    if not lasts or subject.workload.approximate:
        return False
    if (unit.before and change.existing) or own_pods(subject.workload, unit.cluster.pods):
        return False
    return unit.is_closed and not unit.may_outgrow(subject)


def _eligible(unit: ApplySet, subject: WorkloadCheck) -> frozenset[str]:
    """The nodes that take its pod when nothing else runs; empty if nodes may join that no judgement names."""
    found, alone = judgements_in(unit)[subject.key].room.eligible, unit.alone(subject).fit
    if found or alone is None or unit.may_grow_for(subject):
        return found
    return frozenset(alone.fits)


def _demands(unit: ApplySet, subject: WorkloadCheck) -> Iterator[tuple[str, Requested]]:
    """Yield the total requests of its pods, by resource or class."""
    wanted, eligible = judgements_in(unit)[subject.key].room.wanted, _eligible(unit, subject)
    for resource, each in pod_requests(subject.workload.spec).items():
        if each and allocatable_only(unit, resource):
            source = _parts(unit, resource, eligible)
            yield resource, Requested(subject.key, resource, wanted * each, source)
    # which devices nodes that join have is not counted
    for name, label, each, devices in () if unit.may_grow_for(subject) else device_demands(unit, subject):
        known, key = _known_parts(unit), (label, eligible)
        if key not in known:
            known[key] = frozenset(Part(node, device, 1) for node, device in devices if node in eligible)
        yield name, Requested(subject.key, label, wanted * each, known[key])


def allocatable_only(unit: ApplySet, resource: str) -> bool:
    """Whether only the allocatable amount of nodes limits a resource, and not devices or anything else."""
    return not (resource in unit.supply.mapped or unit.supply.given_out_elsewhere(resource))


def _parts(unit: ApplySet, resource: str, names: frozenset[str]) -> frozenset[Part]:
    known = _known_parts(unit)
    if (resource, names) not in known:
        there = [name for name in names if name in nodes_at_most(unit)]
        known[resource, names] = frozenset(Part(name, "", free_at_most(unit, name, resource)) for name in there)
    return known[resource, names]


@once
def _known_parts(_unit: ApplySet) -> dict[tuple[str, frozenset[str]], frozenset[Part]]:
    """A cache of the nodes' amounts of a resource: many workloads can use the same nodes."""
    return {}


@once
def nodes_at_most(unit: ApplySet) -> Mapping[str, Node]:
    """Return the nodes that exist when pools are at their maximum, by name."""
    grown = possible_nodes(unit.growth, SIMULATION.pool_nodes)
    return {one.name: one for one in (*unit.cluster.nodes, *(grown.nodes if grown is not None else ()))}


def free_at_most(unit: ApplySet, name: str, resource: str) -> int:
    """Return how much of a resource a node has left beside running pods that certainly stay."""
    node = nodes_at_most(unit).get(name)
    held = _held_for_good(unit).get(name, {}).get(resource, 0)
    return 0 if node is None else max(0, node.allocatable.get(resource, 0) - held)


@once
def _held_for_good(unit: ApplySet) -> Mapping[str, Mapping[str, int]]:
    """Return, by node, the resources of running pods that are not applied here, do not end and cannot be preempted."""
    workloads = [one.new for one in transitions_in(unit).values()]
    highest = max((one.spec.priority or 0 for one in workloads), default=0)
    found: dict[str, Counter[str]] = {}
    for pod in pods_of_others(workloads, unit.cluster.pods):
        leaves = pod.finished or pod.meta.terminating or is_temporary(pod) or (pod.spec.priority or 0) < highest
        if pod.spec.node_name and not leaves:
            found.setdefault(pod.spec.node_name, Counter()).update(pod_requests(pod.spec))
    return found


def _exceeded(name: str, demands: Sequence[Requested]) -> Iterator[Overcommitment]:
    """Yield the smallest sources that are too small for the workloads without another source."""
    by_source = grouped((one.source, one) for one in demands)
    whole = frozenset[Part]().union(*by_source)
    sources = sorted(by_source, key=len) if len(by_source) <= SIMULATION.sources else []
    told: list[frozenset[Part]] = []
    for source in (*sources, *([whole] if whole not in by_source else [])):
        if any(one <= source for one in told):
            continue
        inside = [one for other, of_it in by_source.items() if other <= source for one in of_it]
        amounts: dict[WorkloadKey, int] = {}
        for one in inside:
            amounts[one.key] = amounts.get(one.key, 0) + one.amount
        total = sum(one.amount for one in source)
        if len(amounts) > 1 and sum(amounts.values()) > total > 0:
            told.append(source)
            label = by_source[source][0].label if source in by_source else name
            yield Overcommitment(label, tuple(sorted({one.node for one in source})), total, amounts)
