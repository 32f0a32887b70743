"""Which nodes and topology domains are alike for the pods in play: what happens in one can happen in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests, running_requests
from kubelint_gpu.scheduler.framework.node_info import has_claims
from kubelint_gpu.scheduler.relations import attends, first_alike, node_tokens, topology_keys
from kubelint_gpu.simulation.asked import asked
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    AWAITED,
    BROKEN,
    EVICTED,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    UNBOUND,
    Content,
)
from kubelint_gpu.simulation.model.pod_types import PodTypes
from kubelint_gpu.values import replace

_SETTLED = {STARTING: READY, BROKEN: READY, EVICTED: LEAVING}


def without_phases(content: Content) -> Content:
    """The content without phases, which do not matter to a filter that looks at one node only."""
    if all(phase == READY for _, phase, _ in content):
        return content
    counts = summed((kind, count) for kind, _, count in content)
    return tuple((kind, READY, count) for kind, count in sorted(counts.items()))


class PodEquivalence:
    """Contents of nodes as filters see them; `first` has for each kind the first kind that is equal to it."""

    def __init__(self, kinds: Sequence[PodType], fixed: Sequence[Pod]) -> None:
        self.first = first_alike([kind.pod for kind in kinds], fixed)
        self._priorities = [kind.priority for kind in kinds]
        self._folded: dict[Content, Content] = {}

    def folded(self, content: Content) -> Content:
        """The content with equal pods counted together; whether a pod is ready does not matter."""
        found = self._folded.get(content)
        if found is None:
            found = self._folded[content] = content if content == ABSENT else self._merged(content)
        return found

    def folded_held(self, here: Content) -> Content:
        """The allocations of the pods of a node, with equal pods counted together."""
        counts: dict[tuple[int, int], int] = {}
        for kind, number, count in here:
            key = (self.first[kind], number)
            counts[key] = counts.get(key, 0) + count
        return tuple(sorted([(kind, number, count) for (kind, number), count in counts.items()]))

    def facing(self, kind: int, content: Content, at_home: bool) -> Content:
        """The content of a node for a pod of a kind: nominated pods count unless their priority is lower."""
        for _, phase, _ in content:
            if phase in UNBOUND:
                break
        else:
            return content
        seen = []
        for other, phase, count in content:
            left = count
            if phase == NOMINATED and other >= 0:
                if self._priorities[other] < self._priorities[kind]:
                    continue
                left -= at_home and other == kind
            elif phase == AWAITED:
                continue
            if left:
                seen.append((other, phase, left))
        return tuple(seen)

    def _merged(self, content: Content) -> Content:
        counts: dict[tuple[int, int], int] = {}
        for kind, phase, count in content:
            key = (self.first[kind], _SETTLED.get(phase, phase))
            counts[key] = counts.get(key, 0) + count
        return tuple(sorted([(kind, phase, count) for (kind, phase), count in counts.items()]))


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


EQUAL_ZONES = "equal-zones"
Domain = tuple[range, ...]
"""The classes of nodes of one domain, in the same order as those of a domain that is like it."""


def equal_domains(
    nodes: Iterable[Node],
    signature: NodeSignature,
    mark: Callable[[Node], tuple[Hashable, ...]],
    pod_types: PodTypes,
    names: Sequence[str],
    classes: Sequence[range],
) -> tuple[tuple[Domain, ...], ...]:
    """Groups of equal domains of the only label with domains of several nodes; only the label's value differs.

    `signature` and `mark` cover all that matters about a node except its pods. All nodes of one class have one value of
    the label.
    """
    label = signature.domain
    if not label or not asked((EQUAL_ZONES,)) or any(has_claims(kind.pod) for kind in pod_types.kinds):
        return ()
    runs = grouped((name, (number, (number, name) in pod_types.unready)) for number, name in pod_types.homes)
    every = {node.name: node for node in nodes}
    traits = {
        name: (signature.of(node, without=label), *mark(node), tuple(sorted(runs.get(name, ()))))
        for name, node in every.items()
    }
    members: dict[str, Counter[Hashable]] = {}
    for name, node in every.items():
        if label in node.labels:
            members.setdefault(node.labels[label], Counter())[traits[name]] += 1
    found: dict[str, list[range]] = {domain: [] for domain in members}
    for part in classes:
        domain = every[names[part.start]].labels.get(label)
        if domain is not None:
            found[domain].append(part)
    groups: dict[Hashable, list[Domain]] = {}
    for domain, parts in found.items():
        ordered = sorted(parts, key=lambda part: sorted(repr(traits[names[place]]) for place in part))
        groups.setdefault(frozenset(members[domain].items()), []).append(tuple(ordered))
    return tuple(tuple(group) for group in groups.values() if len(group) > 1 and group[0])


def in_order(nodes: list[Content], domains: Sequence[Sequence[Domain]]) -> list[Content]:
    """The contents of nodes, with those of equal domains in sorted order."""
    for group in domains:
        held = sorted([[nodes[part.start : part.stop] for part in domain] for domain in group])
        for domain, contents in zip(group, held, strict=True):
            for part, content in zip(domain, contents, strict=True):
                nodes[part.start : part.stop] = content
    return nodes
