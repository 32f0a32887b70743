"""A node and the pods on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import HostPort, Pod
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.values import Value, replace

_NO_PORTS: frozenset[HostPort] = frozenset()


class NodeInfo(Value):
    """A node with its pods; immutable.

    Attributes:
        node: the node.
        pods: its pods that are not finished, including terminating ones.
        used: the sum of their requests, in the scheduler's units.
        ports: the host ports that they use.
        anti: those with required anti-affinity.
        claimants: those that have claims or hold devices.
        taints: the node's NoSchedule and NoExecute taints.
        memory: cached facts about pods, shared by snapshots.
    """

    node: Node
    pods: tuple[Pod, ...]
    used: Mapping[str, int]
    ports: frozenset[HostPort]
    anti: tuple[Pod, ...]
    taints: tuple[Taint, ...]
    memory: PodMemory
    claimants: tuple[Pod, ...] = ()

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.meta.name

    @property
    def pod_count(self) -> int:
        """The number of pods on it."""
        return len(self.pods) - sum([pod.is_claim for pod in self.claimants])

    def with_pod(self, pod: Pod) -> NodeInfo:
        """The node with one more pod."""
        load = self.memory.load(pod)
        used = dict(self.used)
        for name, amount in load.requests:
            used[name] = used.get(name, 0) + amount
        return NodeInfo(
            self.node,
            (*self.pods, pod),
            used,
            self.ports.union(load.ports) if load.ports else self.ports,
            (*self.anti, pod) if pod.spec.pod_anti_affinity else self.anti,
            self.taints,
            self.memory,
            (*self.claimants, pod) if has_claims(pod) else self.claimants,
        )

    def with_pods(self, pod: Pod, count: int) -> NodeInfo:
        """The node with `count` more equal pods."""
        one = self.with_pod(pod)
        if count <= 1:
            return one if count else self
        used = dict(self.used)
        for name, amount in self.memory.load(pod).requests:
            used[name] = used.get(name, 0) + amount * count
        anti = (*self.anti, *(pod,) * count) if pod.spec.pod_anti_affinity else self.anti
        return replace(one, pods=(*self.pods, *(pod,) * count), used=used, anti=anti)

    def removed(self, pod: Pod) -> NodeInfo:
        """The node after one of its pods is gone for good."""
        left = self.without((pod,))
        load = self.memory.load
        if not load(pod).ports:
            return left
        return replace(left, ports=frozenset([port for other in left.pods for port in load(other).ports]))

    def without(self, pods: Iterable[Pod]) -> NodeInfo:
        """The node in a dry run that evicts some of its pods, compared by identity.

        Their host ports become free even if another pod uses one of them, too: HostPortInfo upstream is a set.
        """
        gone = list(pods)
        used = dict(self.used)
        left: list[Pod] = []
        ports = self.ports
        for pod in self.pods:
            place = next((place for place, one in enumerate(gone) if one is pod), None)
            if place is None:
                left.append(pod)
                continue
            del gone[place]
            load = self.memory.load(pod)
            if load.ports:
                ports = ports.difference(load.ports)
            for name, amount in load.requests:
                used[name] -= amount
                if not used[name]:
                    del used[name]
        return NodeInfo(
            self.node,
            tuple(left),
            used,
            ports,
            tuple(pod for pod in left if pod.spec.pod_anti_affinity) if self.anti else self.anti,
            self.taints,
            self.memory,
            tuple(pod for pod in left if has_claims(pod)) if self.claimants else self.claimants,
        )


def has_claims(pod: Pod) -> bool:
    """Whether a pod has claims or holds devices."""
    return bool(pod.spec.resource_claims or pod.allocations)


def node_info(node: Node, pods: Iterable[Pod], memory: PodMemory, taints: tuple[Taint, ...] | None = None) -> NodeInfo:
    """A node with its pods; `taints` are its NoSchedule and NoExecute taints, if already known."""
    if taints is None:
        taints = tuple(taint for taint in node.taints if taint.blocks)
    placed = tuple(pods)
    if not placed:
        return NodeInfo(node, (), EMPTY, _NO_PORTS, (), taints, memory)
    used: dict[str, int] = {}
    ports: set[HostPort] = set()
    for pod in placed:
        load = memory.load(pod)
        ports.update(load.ports)
        for name, amount in load.requests:
            used[name] = used.get(name, 0) + amount
    anti = tuple(pod for pod in placed if pod.spec.pod_anti_affinity)
    claimants = tuple(pod for pod in placed if has_claims(pod))
    return NodeInfo(node, placed, used, frozenset(ports), anti, taints, memory, claimants)
