"""What makes two nodes equal, and two pods on them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory

FEW_NODES = 24
_MANY_VALUES = 16


class NodeEquivalence(NamedTuple):
    """What nodes have in common, each part as a number.

    Attributes:
        labels: their labels, of wide ones only that they are there.
        gate: taints and `unschedulable`.
        room: what is allocatable.
        pods: the kinds of their pods, which tell what is used.
    """

    labels: int
    gate: int
    room: int
    pods: int


class Equal(NamedTuple):
    """Nodes by likeness, in the order of their names, and the likeness of each node by its name."""

    nodes: Mapping[NodeEquivalence, Sequence[NodeInfo]]
    likeness: Mapping[str, NodeEquivalence]


def sorted_out(nodes: Iterable[NodeInfo], wide: frozenset[str], memory: PodMemory) -> Equal:
    """The nodes by likeness."""
    found: dict[NodeEquivalence, list[NodeInfo]] = {}
    by_name: dict[str, NodeEquivalence] = {}
    number = memory.number
    for info in nodes:
        node = info.node
        labels = number(frozenset((key, None if key in wide else value) for key, value in node.meta.labels.items()))
        gate, room = number((info.taints, node.unschedulable)), number(node.allocatable)
        likeness = by_name[node.meta.name] = NodeEquivalence(labels, gate, room, _kinds(info))
        found.setdefault(likeness, []).append(info)
    return Equal(found, by_name)


def moved(equal: Equal, changed: NodeInfo) -> Equal:
    """The nodes by likeness after the pods of one node changed."""
    name = changed.name
    before = equal.likeness[name]
    after = before._replace(pods=_kinds(changed))
    nodes = dict(equal.nodes)
    left = [node for node in nodes[before] if node.node.meta.name != name]
    if left:
        nodes[before] = left
    else:
        del nodes[before]
    joined = [*nodes.get(after, ())]
    insort(joined, changed, key=lambda node: node.node.meta.name)
    nodes[after] = joined
    return Equal(nodes, {**equal.likeness, name: after})


def wide_labels(nodes: Sequence[NodeInfo]) -> frozenset[str]:
    """The label keys that have many values, such as `kubernetes.io/hostname`."""
    values: dict[str, set[str]] = {}
    for info in nodes:
        for key, value in info.node.meta.labels.items():
            values.setdefault(key, set()).add(value)
    most = min(_MANY_VALUES, len(nodes) // 2)
    return frozenset(key for key, found in values.items() if len(found) > most)


def kind_of(pod: Pod, memory: PodMemory) -> int:
    """A number that pods share which are equal in all that filters and preemption look at but their age."""
    return memory.of("kind", pod, lambda pod: memory.number(_kind(pod, memory)))


def _kinds(node: NodeInfo) -> int:
    memory = node.memory
    return memory.number(tuple(sorted([kind_of(pod, memory) for pod in node.pods])))


def _kind(pod: Pod, memory: PodMemory) -> Hashable:
    spec, meta = pod.spec, pod.meta
    volumes = (spec.volumes, spec.resource_claims, meta.name) if spec.volumes or spec.resource_claims else None
    return (
        meta.namespace,
        meta.labels,
        spec.priority or 0,
        meta.terminating,
        memory.load(pod),
        spec.pod_anti_affinity,
        volumes,
    )
