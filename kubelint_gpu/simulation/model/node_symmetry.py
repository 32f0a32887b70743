"""Which properties of nodes matter for the pods in play: nodes with one signature form one class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests, running_requests
from kubelint_gpu.scheduler.relations import attends, node_tokens, topology_keys
from kubelint_gpu.values import replace


class NodeSignature:
    """Classifies nodes by all properties that a filter, preemption, or a topology could look at.

    With `wide`, nodes look at each other: labels that terms and constraints name count too.
    `seen` are pods that stay and have a term about a pod in play, or the reverse.
    """

    def __init__(
        self,
        cluster: Cluster,
        pods: Sequence[Pod],
        eligible: Sequence[frozenset[str]],
        fixed: Sequence[Pod],
        wide: bool,
    ) -> None:
        self._eligible = [*dict.fromkeys(eligible)]
        self._resources = sorted({name for pod in pods for name in pod_requests(pod.spec)} | {"pods"})
        self._on: dict[str, list[Pod]] = {}
        for pod in fixed:
            self._on.setdefault(pod.spec.node_name, []).append(pod)
        self._attended: dict[tuple[object, ...], bool] = {}
        self._apart_from_topology: dict[str, Hashable] = {}
        self._pods = list({(pod.meta.namespace, pod.meta.labels, pod.spec): pod for pod in pods}.values())
        self._highest = max((pod.spec.priority or 0 for pod in pods), default=0)
        self._tokens = node_tokens(pods, cluster, wide=wide)
        self._topology: list[tuple[str, bool]] = []
        for key in sorted(topology_keys((*pods, *fixed) if wide else pods)):
            values = Counter(node.labels[key] for node in cluster.nodes if key in node.labels)
            self._topology.append((key, all(count == 1 for count in values.values())))

    @property
    def domain(self) -> str:
        """The only label whose domains have several nodes; empty if there is none, or more than one."""
        shared = [key for key, unique in self._topology if not unique]
        return shared[0] if len(shared) == 1 else ""

    def of(self, node: Node, without: str = "") -> Hashable:
        """A signature that is equal for equal nodes. The value of the label `without` does not count."""
        name = node.meta.name
        if name not in self._apart_from_topology:
            pods = self._on.get(name, ())
            allocatable = node.allocatable
            self._apart_from_topology[name] = (
                tuple([name in names for names in self._eligible]),
                tuple([allocatable.get(resource, 0) for resource in self._resources]),
                self._signature(pods) if pods else (),
                tuple([token(node, pods) for token in self._tokens]),
            )
        labels = node.labels
        domains = [(key in labels) if unique or key == without else labels.get(key) for key, unique in self._topology]
        return self._apart_from_topology[name], tuple(domains)

    def _signature(self, pods: Sequence[Pod]) -> tuple[Hashable, ...]:
        """A signature of the pods that stay on a node."""
        used: Counter[str] = Counter(pods=len(pods))
        for pod in pods:
            used.update(running_requests(pod))
        return (
            tuple([used[name] for name in self._resources]),
            tuple(sorted([self._evictable(pod) for pod in pods if (pod.spec.priority or 0) < self._highest])),
            tuple(sorted([repr((pod.meta.namespace, pod.meta.labels, pod.spec)) for pod in pods if self.is_seen(pod)])),
        )

    def is_seen(self, pod: Pod) -> bool:
        """Whether a pod that stays or a pod in play has a term about the other."""
        # the same pod on another node pays attention to the same
        key = (pod.meta.namespace, pod.meta.labels, replace(pod.spec, node_name=""))
        if key not in self._attended:
            self._attended[key] = any(attends(pod, one) or attends(one, pod) for one in self._pods)
        return self._attended[key]

    @staticmethod
    def _evictable(pod: Pod) -> str:
        spec = pod.spec
        return repr(
            (pod.meta.namespace, sorted(pod.meta.labels.items()), spec.priority, sorted(pod_requests(spec).items()))
        )
