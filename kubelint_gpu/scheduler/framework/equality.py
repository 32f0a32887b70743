"""What makes two nodes equal, and two pods on them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Mapping, Sequence

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.node_info import NodeInfo, NodeSet
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.values import Value, replace

FEW_NODES = PLACEMENT.few_nodes


class NodeEquivalence(Value):
    """What nodes have in common, each part as a number.

    Attributes:
        labels: their labels; for labels with many values only that they exist.
        gate: taints and `unschedulable`.
        room: what is allocatable.
        pods: the kinds of their pods, which determine what is used.
    """

    labels: int
    gate: int
    room: int
    pods: int


class Equal(Value):
    """Nodes grouped by equivalence, sorted by name, and the equivalence of each node by its name."""

    nodes: Mapping[NodeEquivalence, Sequence[NodeInfo]]
    likeness: Mapping[str, NodeEquivalence]


def sorted_out(nodes: Iterable[NodeInfo], among: NodeSet, memory: PodMemory) -> Equal:
    """Group the nodes of a set, with their pods, by equivalence."""
    found: dict[NodeEquivalence, list[NodeInfo]] = {}
    by_name: dict[str, NodeEquivalence] = {}
    nobody = memory.number(())
    for info, parts in zip(nodes, among.likeness, strict=True):
        likeness = by_name[info.node.meta.name] = NodeEquivalence(*parts, _kinds(info) if info.pods else nobody)
        found.setdefault(likeness, []).append(info)
    return Equal(found, by_name)


def moved(equal: Equal, changed: NodeInfo) -> Equal:
    """The grouped nodes after the pods of one node changed."""
    name = changed.name
    before = equal.likeness[name]
    after = replace(before, pods=_kinds(changed))
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


def kind_of(pod: Pod, memory: PodMemory) -> int:
    """A number that is equal for pods that filters and preemption treat equally, except for their age."""
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
