"""How many pods of a workload find places, and why no more do."""

from __future__ import annotations

from collections.abc import Collection

from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.rollout.growth import possible_nodes
from kubelint_gpu.rollout.locality import companions
from kubelint_gpu.rollout.participant import own_pods
from kubelint_gpu.rollout.placeable import placeable
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.shortage import first_without_node, reasons_of, taken_with_evictions
from kubelint_gpu.values import replace


def room_for(unit: Unit, subject: Subject, most: int, *, further: bool = False) -> int:
    """How many of its pods, up to `most`, find places beside what the inventory says is running.

    Pools have grown as far as they may; with `further` there are nodes beyond the inventory, too.
    All of them where they must be near to pods of workloads that are applied with it.
    """
    others = [one.pod for one in unit.subjects if one is not subject]
    if companions(subject.pod, others, unit.running):
        return most
    joined = possible_nodes(unit.growth, most)
    nodes = joined.nodes if joined is not None else ()
    declared = unit.further.cluster.nodes if further else unit.cluster.nodes
    return placeable(subject.workload, replace(unit.cluster, nodes=(*declared, *nodes)), most)


def lacking(
    unit: Unit, subject: Subject, placed: int, nodes: Collection[str]
) -> tuple[str | None, dict[str, tuple[str, ...]]]:
    """Why no pod more than `placed` of a workload finds a node.

    The scheduler's text, and for each reason the nodes of `nodes` that it keeps the pod from.
    Pools have grown as far as they may; then the text is left out, as no scheduler says it today.
    """
    growing = {pool.name for pool in unit.growing_for(subject)}
    joined = possible_nodes([growth for growth in unit.growth if growth.template.name in growing], placed + 1)
    snapshot = unit.running
    if joined is not None:
        snapshot = Snapshot.of(replace(unit.cluster, nodes=(*unit.cluster.nodes, *joined.nodes)))
    found = first_without_node(subject.pod, snapshot, placed)
    if found.fit is not None and found.fit.schedulable:
        return None, {}
    return None if joined is not None else found.message, reasons_of(found, nodes)


def room_by_eviction(unit: Unit, subject: Subject, most: int) -> int:
    """How many of its pods, up to `most`, get a node if some of what others run is evicted; 0 if nothing is."""
    own = own_pods(subject.workload, unit.cluster.pods)
    mine = [(pod, pod.spec.node_name) for pod in own if unit.running.node(pod.spec.node_name) is not None]
    taken, evicted = taken_with_evictions(subject.pod, unit.running.without(mine), most)
    return taken if evicted else 0
