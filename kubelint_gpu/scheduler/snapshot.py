"""The cluster as one scheduling attempt sees it: nodes and the pods on them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.errors import InvalidObject
from kubelint_gpu.kube.node import Node
from kubelint_gpu.kube.pod import HostPort, Pod
from kubelint_gpu.kube.taints import Taint
from kubelint_gpu.scheduler.memory import Memory
from kubelint_gpu.scheduler.profile import DEFAULT_PROFILE, Profile
from kubelint_gpu.scheduler.version import Behaviour, behaviour, minor_of


class NodeInfo(NamedTuple):
    """A node and what is on it; never changed.

    Attributes:
        node: the node.
        pods: the pods on it that are not finished; terminating ones are among them.
        used: the sum of their requests, in the scheduler's units.
        ports: the host ports they take.
        anti: those of them with required anti-affinity.
        taints: the node's NoSchedule and NoExecute taints.
        memory: what is remembered of pods across snapshots.
    """

    node: Node
    pods: tuple[Pod, ...]
    used: Mapping[str, int]
    ports: tuple[HostPort, ...]
    anti: tuple[Pod, ...]
    taints: tuple[Taint, ...]
    memory: Memory

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.meta.name

    def with_pod(self, pod: Pod) -> NodeInfo:
        """This node with one more pod."""
        load = self.memory.load(pod)
        used = dict(self.used)
        for name, amount in load.requests:
            used[name] = used.get(name, 0) + amount
        return NodeInfo(
            self.node,
            (*self.pods, pod),
            used,
            self.ports + load.ports if load.ports else self.ports,
            (*self.anti, pod) if pod.spec.pod_anti_affinity else self.anti,
            self.taints,
            self.memory,
        )

    def without(self, pods: Iterable[Pod]) -> NodeInfo:
        """This node without some of its pods, which are told by identity."""
        gone = {id(pod) for pod in pods}
        used = dict(self.used)
        ports = False
        for pod in self.pods:
            if id(pod) in gone:
                load = self.memory.load(pod)
                ports = ports or bool(load.ports)
                for name, amount in load.requests:
                    used[name] -= amount
        left = tuple(pod for pod in self.pods if id(pod) not in gone)
        return NodeInfo(
            self.node,
            left,
            used,
            tuple(port for pod in left for port in self.memory.load(pod).ports) if ports else self.ports,
            tuple(pod for pod in self.anti if id(pod) not in gone) if self.anti else self.anti,
            self.taints,
            self.memory,
        )
