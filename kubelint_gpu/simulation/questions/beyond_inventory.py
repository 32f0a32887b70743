"""Hypothetical nodes, as generous as any node could be: a result that they do not change is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice, product

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.label_algebra import ANYTHING, Allowed, allowed, alternatives
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.storage import PersistentVolume
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import NODE_NAME_FIELD, Requirement
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import HOSTNAME, fit_lone
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.values import Value, replace

MOST_NODES = SIMULATION.further_nodes

_Form = dict[tuple[bool, str], Allowed]
"""What a node's name (True) and its labels (False) may be."""


class FurtherNodes(Value):
    """Hypothetical nodes, and for each pod that was asked about, whether they take it.

    None if that is not known, because a volume of the pod does not exist before it has a node.
    """

    nodes: tuple[Node, ...]
    takes: tuple[bool | None, ...]


def further_nodes(pods: Sequence[Pod], cluster: Cluster, enough: int, guests: Sequence[Pod] = ()) -> FurtherNodes:
    """The hypothetical nodes for some pods: without taints, and with more of every resource than all pods need.

    They have the labels that the pods ask for, but not the name or host name of a declared node, nor its local volumes.
    Pods that keep each other apart find up to `enough` nodes. `guests` are pods for which no node is created; whatever
    they ask for is there.
    """
    further = _Further((*pods, *guests), cluster)
    found = [further.taken(pod, min(enough, MOST_NODES)) for pod in pods]
    return FurtherNodes(tuple(further.nodes), tuple(found))


class _Further:
    def __init__(self, pods: Sequence[Pod], cluster: Cluster) -> None:
        self.nodes: list[Node] = []
        self._cluster = replace(cluster, pods=())
        self._known: dict[object, bool | None] = {}
        self._names = {node.name for node in cluster.nodes}
        self._hosts = {node.labels.get(HOSTNAME, "") for node in cluster.nodes}
        self._allocatable = FrozenMap({name: SIMULATION.plenty for pod in pods for name in takes(pod)})

    def taken(self, pod: Pod, most: int) -> bool | None:
        key = (pod.meta.namespace, pod.meta.labels, pod.spec)
        if key not in self._known:
            self._known[key] = self._added(pod, most)
        return self._known[key]

    def _added(self, pod: Pod, most: int) -> bool | None:
        """Add hypothetical nodes for the pod; return whether they take it."""
        plain = replace(pod, spec=replace(pod.spec, volumes=()))
        if not any(self._accepts(node, plain) for form in _forms(pod, ()) for node in self._made(form, pod, 1)):
            return False
        volumes = _volumes(pod, self._cluster)
        if volumes is None:
            return None
        if any(self._is_at_home(volume) for volume in volumes):
            return False
        before = len(self.nodes)
        for form in _forms(pod, volumes):
            for volume in volumes:
                self._keep_apart(form, volume)
            made = self._made(form, pod, most if _keep_apart(pod) else 1)
            if made and self._accepts(made[0], pod):
                self.nodes += made
                self._names |= {node.name for node in made}
                self._hosts |= {node.labels[HOSTNAME] for node in made}
                if not _keep_apart(pod):
                    break
        return len(self.nodes) > before

    def _made(self, form: _Form, pod: Pod, most: int) -> list[Node]:
        """Return up to `most` nodes of a form; fewer if their name or host name must be one of a few.

        They cover as many topology domains as possible.
        """
        names, hosts = set(self._names), set(self._hosts)
        found: list[Node] = []
        domains: dict[str, set[str]] = {term.topology_key: set() for term in pod.spec.pod_anti_affinity}
        domains |= {one.topology_key: set() for one in pod.spec.spread}
        while len(found) < most:
            node = self._node(form, pod, names, hosts, domains)
            if node is None:
                break
            found.append(node)
            names.add(node.name)
            hosts.add(node.labels[HOSTNAME])
            for key, given in domains.items():
                given.update((node.labels[key],) if key in node.labels else ())
        return found

    def _node(
        self, form: _Form, pod: Pod, names: set[str], hosts: set[str], domains: Mapping[str, set[str]]
    ) -> Node | None:
        fresh = next(text for number in count(1) if (text := f"beyond-{number}") not in names | hosts)
        name = _one_value(form.get((True, NODE_NAME_FIELD), ANYTHING), names, fresh)
        host = _one_value(
            form.get((False, HOSTNAME), ANYTHING), hosts, fresh if name is None or name in hosts else name
        )
        if name is None or host is None:
            return None
        labels = {HOSTNAME: host}
        for key in (
            *(one.topology_key for one in pod.spec.pod_affinity),
            *(one.topology_key for one in pod.spec.spread),
        ):
            if form.get((False, key), ANYTHING).has(name):
                labels.setdefault(key, name)
        for (is_name, key), one in form.items():
            if not (is_name or key in labels or one.absent):
                value = _one_value(one, domains.get(key, ()), name) or _one_value(one, (), name)
                if value is None:
                    return None
                labels[key] = value
        return Node(Meta(name, labels=FrozenMap(labels)), allocatable=self._allocatable)

    def _accepts(self, node: Node, pod: Pod) -> bool:
        snapshot = Snapshot.of(replace(self._cluster, nodes=(node,)))
        return fit_lone(pod, snapshot).schedulable

    def _is_at_home(self, volume: PersistentVolume) -> bool:
        """Whether it is a local volume of a declared node."""
        return volume.kind == "local" and any(volume.reachable_from(node.labels) for node in self._cluster.nodes)

    def _keep_apart(self, form: _Form, volume: PersistentVolume) -> None:
        """Give labels by which drivers identify single nodes only once, like host names."""
        for key in {one.key for term in _terms(volume) for one in term}:
            known = [(node.labels[key], node) for node in self._cluster.nodes if key in node.labels]
            if known and all(value in (node.name, node.labels.get(HOSTNAME)) for value, node in known):
                taken = frozenset(value for value, _ in known)
                form[False, key] = form.get((False, key), ANYTHING) & Allowed(excluded=taken)


def _forms(pod: Pod, volumes: Sequence[PersistentVolume]) -> Iterator[_Form]:
    """Yield the properties of a node that can take the pod and its volumes, one form for each alternative."""
    choices: list[Sequence[Iterable[tuple[bool, Requirement]]]] = [
        [[(bound.field, bound.requirement) for bound in bounds] for bounds in alternatives(pod.spec)]
    ]
    choices += [[[(False, one) for one in term] for term in _terms(volume)] for volume in volumes]
    for chosen in islice(product(*choices), SIMULATION.further_forms):
        form: _Form = {}
        for is_name, one in (pair for part in chosen for pair in part):
            form[is_name, one.key] = form.get((is_name, one.key), ANYTHING) & allowed(one)
        yield form


def _terms(volume: PersistentVolume) -> list[tuple[Requirement, ...]]:
    found = volume.node_affinity
    return [()] if found is None else [term.expressions for term in found.terms]


def _one_value(found: Allowed, taken: Iterable[str], fresh: str) -> str | None:
    """An allowed value that is not taken, preferably `fresh`; None if there is none."""
    left = found & Allowed(absent=False, excluded=frozenset(taken))
    return fresh if left.has(fresh) else left.example


def _volumes(pod: Pod, cluster: Cluster) -> list[PersistentVolume] | None:
    """The volumes of the pod's claims; None if a claim is not bound yet."""
    claims = {claim.key: claim for claim in cluster.claims}
    volumes = {volume.meta.name: volume for volume in cluster.volumes}
    found = []
    for name in direct_claims(pod.spec):
        claim = claims.get(f"{pod.meta.namespace}/{name}")
        if claim is None or claim.volume_name not in volumes:
            return None
        found.append(volumes[claim.volume_name])
    return found


def _keep_apart(pod: Pod) -> bool:
    """Whether one node may not be enough for all pods of the kind."""
    spec = pod.spec
    ports = any(container.host_ports for container in spec.containers)
    return ports or bool(spec.pod_anti_affinity or spec.volumes) or any(one.do_not_schedule for one in spec.spread)
