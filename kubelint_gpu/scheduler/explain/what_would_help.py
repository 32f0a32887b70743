"""What would have to happen so that a pod fits on a node; nothing is proposed that the filters do not confirm."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.label_algebra import Allowed, NumberBound, allowed, alternatives, satisfied
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.taints import Taint, untolerated
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler.candidate import importance, stripped
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    Change,
    ChangedCluster,
    LabelSet,
    NodeJoins,
    PodArrives,
    PodsEnd,
    TaintGoes,
    Uncordoned,
    after,
    relabelled,
    uncordoned,
)
from kubelint_gpu.scheduler.explain.holders import PlacedPod, by_owner
from kubelint_gpu.scheduler.explain.placement_labels import HOSTNAME, MissingLabel, lack
from kubelint_gpu.scheduler.fit import Active, fit_on, judged, prepare
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.node_info import NodeInfo, node_info
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import (
    inter_pod_affinity,
    node_affinity,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    taint_toleration,
)
from kubelint_gpu.values import dataclass, replace

JOINING = "joining-node"
GATES = (node_unschedulable.NAME, taint_toleration.NAME, node_affinity.NAME)
_RESOURCES = node_resources_fit.NAME
DISTANT = (pod_topology_spread.NAME, inter_pod_affinity.NAME)
# their pods come back, or end with the node
_PERMANENT = ("DaemonSet", "Node")


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes after which a pod fits.

    Attributes:
        changes: what happens, all of it; where it is pods that end, those of the first of `nodes`.
        nodes: the names of the nodes on which the pod then fits, each after its own such changes.
    """

    changes: tuple[Change, ...]
    nodes: tuple[str, ...]


class RemedySearch:
    """The search for one pod in one cluster."""

    def __init__(self, pod: Pod, snapshot: Snapshot) -> None:
        self.pod = pod
        self.snapshot = snapshot
        self.alternatives: tuple[tuple[NumberBound, ...], ...] = alternatives(pod.spec)
        self.requests = {
            name: amount
            for name, amount in pod_requests(pod.spec, pod_level=snapshot.behaviour.pod_level_resources).items()
            if amount
        }
        self._distant: list[PlacedPod] | None = None
        self._labels_exist: bool | None = None

    def on(self, name: str) -> Iterator[tuple[Change, ...]]:
        """The ways in which the pod would come to fit on a node, the likeliest first; none where it fits."""
        changed = ChangedCluster(self.snapshot, name)
        opened: list[Change] = []
        status = self._status(changed)
        for _ in GATES:
            found = self._opening(changed.here, status) if status is not None else ()
            if not found:
                break
            for change in found:
                changed = after(changed, change)
            opened += found
            status = self._status(changed)
        if status is None:
            if opened:
                yield tuple(opened)
            return
        if status.plugin in GATES or not status.plugin:
            return
        for ending in self._endings(changed, status):
            if self._status(after(changed, ending)) is None:
                yield (*opened, ending)
        if opened:
            return
        for mended in (*self._arrivals(status), *self._growth(changed, status)):
            if mended and self._fits_after(changed, mended):
                yield mended

    def joining(self, node: Node, missing: MissingLabel | None = None) -> NodeJoins | None:
        """The node like another one on which the pod would fit if it joined; None where no such node would help.

        It has the labels that `missing` names, enough of what is asked for, and no taint that keeps the pod away.
        """
        name = (missing.name or dict(missing.labels).get(HOSTNAME) if missing is not None else None) or JOINING
        while name == JOINING and self.snapshot.node(name) is not None:
            name += "-"
        if self.snapshot.node(name) is not None:
            return None
        labels = missing.labels if missing is not None else ()
        own = ((HOSTNAME, name),) if HOSTNAME in node.labels and HOSTNAME not in dict(labels) else ()
        wanted = {**self.requests, "pods": 1}
        more = {resource: amount for resource, amount in wanted.items() if amount > node.allocatable.get(resource, 0)}
        plain = uncordoned(relabelled(node, (*own, *labels)))
        untainted = self._untolerated(plain)
        joined = replace(
            plain,
            meta=replace(plain.meta, name=name, uid=name),
            taints=tuple(taint for taint in plain.taints if taint not in untainted),
            allocatable=FrozenMap({**plain.allocatable, **more}),
        )
        change = NodeJoins(joined, node.name, labels, tuple(more.items()), untainted)
        return change if self._fits_after(ChangedCluster(self.snapshot, name), (change,)) else None

    def lack(self, node: Node) -> MissingLabel | None:
        """What a node lacks of the labels that the pod requires."""
        return lack(node, self.alternatives)

    @property
    def labels_exist(self) -> bool:
        """Whether any node has the labels and the name that the pod requires."""
        if self._labels_exist is None:
            nodes = [info.node for info in self.snapshot.nodes]
            self._labels_exist = any(
                satisfied(bounds, node.labels, node.name) for bounds in self.alternatives for node in nodes
            )
        return self._labels_exist

    def culprits(self, info: NodeInfo, status: Status) -> list[PlacedPod]:
        """The pods on which the verdict of a filter that looks beyond the node may rest, on the node and elsewhere."""
        if status.plugin not in DISTANT:
            return []
        labels = info.node.labels
        spec = self.pod.spec
        keys = {term.topology_key for term in spec.pod_anti_affinity} | {one.topology_key for one in spec.spread}
        found = []
        for pod, name in self._weighing():
            node = self.snapshot.node(name)
            domains = keys.union([term.topology_key for term in pod.spec.pod_anti_affinity])
            if node is not None and any(key in labels and node.node.labels.get(key) == labels[key] for key in domains):
                found.append((pod, name))
        return found[: TOLD.leaving_pods]

    def _status(self, changed: ChangedCluster) -> Status | None:
        return fit_on(self.pod, changed.snapshot, changed.node)

    def _fits_after(self, changed: ChangedCluster, changes: Iterable[Change]) -> bool:
        for change in changes:
            changed = after(changed, change)
        return self._status(changed) is None

    def _opening(self, node: Node, status: Status) -> tuple[Change, ...]:
        """What lifts a rejection that is about the node and not about what runs on it."""
        if status.plugin == node_unschedulable.NAME:
            return (Uncordoned(),)
        if status.plugin == taint_toleration.NAME:
            return tuple(TaintGoes(taint) for taint in self._untolerated(node))
        if status.plugin == node_affinity.NAME:
            missing = self.lack(node)
            if missing is not None and missing.settable:
                return tuple(LabelSet(key, value) for key, value in missing.labels)
        return ()

    def _untolerated(self, node: Node) -> tuple[Taint, ...]:
        return untolerated(node.taints, self.pod.spec.tolerations)

    def _endings(self, changed: ChangedCluster, status: Status) -> Iterator[PodsEnd]:
        """Pods of one owner that would have to end, for each owner that has enough; else of several."""
        begun = prepare(self.pod, changed.snapshot)
        node = changed.snapshot.node(changed.node)
        if isinstance(begun, Status) or node is None:
            return
        here = [(pod, changed.node) for pod in node.pods]
        distant = [one for one in self.culprits(node, status) if one[1] != changed.node]
        every = [
            placed
            for owner, members in by_owner((*here, *distant)).items()
            if owner.kind not in _PERMANENT
            for placed in members
        ]
        single = []
        for members in by_owner(every).values():
            found = self._fewest(changed, members, begun.active)
            if found:
                single.append(_ending(found))
        if not single:
            found = self._fewest(changed, every, begun.active)
            if found:
                single.append(_ending(found))
        single.sort(key=lambda ending: (not ending.terminating, len(ending.pods), ending.owners))
        yield from single[: TOLD.leaving_owners]

    def _fewest(self, changed: ChangedCluster, placed: Sequence[PlacedPod], active: Active) -> tuple[PlacedPod, ...]:
        """As few of some pods as must go, the least important ones; none where it does not help if all go."""
        gone = sorted(placed, key=lambda one: (*importance(one[0]), one[0].key))
        if not gone or not self._helps(changed, gone, active):
            return ()
        for one in tuple(gone):
            trial = [other for other in gone if other is not one]
            if trial and self._helps(changed, trial, active):
                gone = trial
        return tuple(gone)

    def _helps(self, changed: ChangedCluster, gone: Sequence[PlacedPod], active: Active) -> bool:
        if self.pod.spec.resource_claims or any(name != changed.node for _, name in gone):
            return self._status(changed._replace(snapshot=changed.snapshot.without(gone))) is None
        node = changed.snapshot.node(changed.node)
        if node is None:
            return False
        pods = tuple([pod for pod, _ in gone])
        staying = [pod for pod in node.pods if not any(pod is one for one in pods)]
        left = node_info(node.node, staying, node.memory)
        return judged(stripped(active, pods, node), left) is None

    def _arrivals(self, status: Status) -> Iterator[tuple[Change, ...]]:
        """A pod that meets all affinity terms, where they are what no running pod meets."""
        terms = self.pod.spec.pod_affinity
        if status.plugin != inter_pod_affinity.NAME or not terms or any(term.selector is None for term in terms):
            return
        by_key: dict[str, Allowed] = {}
        values: dict[str, list[str]] = {}
        for term in terms:
            for requirement in term.selector.requirements if term.selector is not None else ():
                by_key[requirement.key] = by_key.get(requirement.key, Allowed()) & allowed(requirement)
                values.setdefault(requirement.key, []).extend(requirement.values)
        labels = {}
        for key, one in by_key.items():
            option = next((value for value in (*values[key], None, "true") if one.has(value)), "")
            if option:
                labels[key] = option
        namespaces = [name for term in terms for name in term.namespaces] or [self.pod.meta.namespace]
        meta = Meta(name="arriving-pod", namespace=namespaces[0], uid="arriving-pod", labels=FrozenMap(labels))
        yield (PodArrives(Pod(meta, PodSpec())),)

    def _growth(self, changed: ChangedCluster, status: Status) -> Iterator[tuple[Change, ...]]:
        """As much more of each resource that the node lacks."""
        node = changed.snapshot.node(changed.node)
        if status.plugin != _RESOURCES or node is None:
            return
        lacking = []
        wanted = {**self.requests, "pods": 1}
        used = {**node.used, "pods": len(node.pods)}
        for resource, amount in wanted.items():
            now = node.node.allocatable.get(resource, 0)
            needed = used.get(resource, 0) + amount
            if needed > now:
                lacking.append(CapacityGrows(resource, needed, now))
        yield tuple(lacking)

    def _weighing(self) -> list[PlacedPod]:
        """All pods that spreading and pod affinity count for this pod."""
        if self._distant is None:
            self._distant = list(self._weighed())
        return self._distant

    def _weighed(self) -> Iterator[PlacedPod]:
        begun = prepare(self.pod, self.snapshot)
        if isinstance(begun, Status):
            return
        counting = [(plugin, state) for plugin, state in begun.active if plugin.name in DISTANT]
        known: dict[Hashable, bool] = {}
        for info in self.snapshot.nodes if counting else ():
            for pod in info.pods:
                kind = kind_of(pod, self.snapshot.memory)
                if not known.get(kind):
                    known[kind] = any(
                        plugin.without is not None and plugin.without(state, (pod,), info) != state
                        for plugin, state in counting
                    )
                if known[kind]:
                    yield pod, info.name


def _ending(pods: tuple[PlacedPod, ...]) -> PodsEnd:
    return PodsEnd(pods, tuple((owner, len(members)) for owner, members in by_owner(pods).items()))
