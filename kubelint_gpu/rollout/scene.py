"""The nodes of an exploration: those that matter, sorted into classes that no pod in play can tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.node import Node
from kubelint_gpu.kube.pod import HostPort, Pod
from kubelint_gpu.kube.requests import pod_requests
from kubelint_gpu.kube.selectors import NodeSelector, Requirement
from kubelint_gpu.rollout.actor import Kind
from kubelint_gpu.rollout.model import Model
from kubelint_gpu.rollout.participant import Cast
from kubelint_gpu.rollout.places import Places
from kubelint_gpu.scheduler import Snapshot, fit


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything one exploration needs.

    Attributes:
        cast: who takes part.
        model: what can happen.
        places: where.
        local: whether what happens on one node never depends on another.
        eligible: per kind, the nodes that take it when nothing else runs.
    """

    cast: Cast
    model: Model
    places: Places
    local: bool
    eligible: tuple[frozenset[str], ...] = ()


def eligible_nodes(pod: Pod, empty: Snapshot) -> frozenset[str]:
    """The nodes that take the pod when nothing else runs."""
    return frozenset(fit(pod, empty).fits)


def build_scene(cluster: Cluster, cast: Cast, fixed: Sequence[Pod]) -> Scene:
    """Set the stage: `fixed` are the running pods that stay where they are whatever happens."""
    bare = replace(cluster, pods=())
    empty = Snapshot.of(bare)
    eligible = [eligible_nodes(kind.pod, empty) for kind in cast.kinds]
    homes = {name for _, name in cast.homes}
    wanted = frozenset().union(*eligible) | homes
    local = _locality(cast.kinds, fixed, cluster.nodes)
    all_local = all(local)
    signature = _Signature(cast.kinds, eligible, fixed, cluster.nodes, not all_local)
    groups: dict[Hashable, list[str]] = {}
    for node in sorted(cluster.nodes, key=lambda found: found.name):
        if node.name in wanted:
            groups.setdefault(signature.of(node), []).append(node.name)
    most = _most_pods(cast) + 1
    names: list[str] = []
    classes: list[range] = []
    for members in groups.values():
        members.sort(key=lambda name: (name not in homes, name))
        kept = members[: max(most, sum(name in homes for name in members))] if all_local else members
        classes.append(range(len(names), len(names) + len(kept)))
        names += kept
    if all_local:
        kept_names = frozenset(names)
        nodes = tuple(node for node in cluster.nodes if node.name in kept_names)
        stage = replace(
            cluster,
            nodes=nodes,
            pods=tuple(pod for pod in fixed if pod.spec.node_name in kept_names or cluster.quotas),
        )
    else:
        stage = replace(cluster, pods=tuple(fixed))
    places = Places(stage, cast.kinds, tuple(names), tuple(classes), local)
    return Scene(cast, Model(cast.kinds, cast.actors, places), places, all_local, tuple(eligible))


def _most_pods(cast: Cast) -> int:
    """More pods than can ever be alive at once: all wanted, terminating, surging."""
    return sum(3 * max(count, 1) for count in cast.wanted) + sum(
        3 * getattr(actor, "replicas", 0) for actor in cast.actors
    )


def _locality(kinds: Sequence[Kind], fixed: Sequence[Pod], nodes: Sequence[Node]) -> tuple[bool, ...]:
    """Per kind: whether its fit on a node depends on that node alone."""
    unique: dict[str, bool] = {}

    def is_unique(key: str) -> bool:
        if key not in unique:
            values = [node.labels[key] for node in nodes if key in node.labels]
            unique[key] = len(values) == len(set(values))
        return unique[key]

    wide = [
        (pod, term)
        for pod in (*(kind.pod for kind in kinds), *fixed)
        for term in pod.spec.pod_anti_affinity
        if not is_unique(term.topology_key)
    ]

    def is_local(pod: Pod) -> bool:
        if pod.spec.pod_affinity or any(constraint.do_not_schedule for constraint in pod.spec.spread):
            return False
        if any(volume.kind in ("persistentVolumeClaim", "ephemeral") for volume in pod.spec.volumes):
            return False
        if any(not is_unique(term.topology_key) for term in pod.spec.pod_anti_affinity):
            return False
        return not any(term.selector is not None and term.selector.matches(pod.meta.labels) for _, term in wide)

    return tuple(is_local(kind.pod) for kind in kinds)


class _Signature:
    """What tells nodes apart for the pods in play."""

    def __init__(
        self,
        kinds: Sequence[Kind],
        eligible: Sequence[frozenset[str]],
        fixed: Sequence[Pod],
        nodes: Sequence[Node],
        wide: bool,
    ) -> None:
        self._eligible = eligible
        self._resources = sorted({name for kind in kinds for name in pod_requests(kind.pod.spec)} | {"pods"})
        self._on: dict[str, list[Pod]] = {}
        for pod in fixed:
            self._on.setdefault(pod.spec.node_name, []).append(pod)
        self._requirements: list[Requirement] = []
        self._topology: list[tuple[str, bool]] = []
        if wide:
            self._requirements = sorted({found for kind in kinds for found in _requirements(kind.pod)}, key=str)
            keys = {key for kind in kinds for key in _topology_keys(kind.pod)}
            keys |= {key for pod in fixed for key in _topology_keys(pod)}
            for key in sorted(keys):
                values = Counter(node.labels[key] for node in nodes if key in node.labels)
                self._topology.append((key, all(count == 1 for count in values.values())))
        self._wide = wide

    def of(self, node: Node) -> Hashable:
        """Equal for nodes that are alike."""
        pods = self._on.get(node.name, ())
        used: Counter[str] = Counter(pods=len(pods))
        for pod in pods:
            used.update(pod_requests(pod.spec))
        free = tuple(node.allocatable.get(name, 0) - used[name] for name in self._resources)
        ports = tuple(sorted((port.port, port.protocol, port.ip) for pod in pods for port in _ports(pod)))
        anti = tuple(
            sorted(str((pod.meta.namespace, pod.spec.pod_anti_affinity)) for pod in pods if pod.spec.pod_anti_affinity)
        )
        found: tuple[Hashable, ...] = (
            tuple(node.name in names for names in self._eligible),
            free,
            tuple(node.allocatable.get(name, 0) for name in self._resources),
            ports,
            anti,
            tuple(sorted((pod.meta.namespace, tuple(sorted(pod.meta.labels.items()))) for pod in pods))
            if anti or self._wide
            else (),
        )
        if not self._wide:
            return found
        return (
            *found,
            tuple(requirement.matches(node.labels) for requirement in self._requirements),
            tuple((key in node.labels) if unique else node.labels.get(key) for key, unique in self._topology),
            node.taints,
        )


def _ports(pod: Pod) -> Iterable[HostPort]:
    return (port for part in (pod.spec.containers, pod.spec.init_containers) for one in part for port in one.host_ports)


def _requirements(pod: Pod) -> Iterable[Requirement]:
    if pod.spec.node_selector:
        for key, value in pod.spec.node_selector.items():
            yield Requirement(key, "In", (value,))
    selector: NodeSelector | None = pod.spec.node_affinity
    if selector is not None:
        for term in selector.terms:
            yield from term.expressions


def _topology_keys(pod: Pod) -> Iterable[str]:
    for term in (*pod.spec.pod_affinity, *pod.spec.pod_anti_affinity):
        yield term.topology_key
    for constraint in pod.spec.spread:
        if constraint.do_not_schedule:
            yield constraint.topology_key
