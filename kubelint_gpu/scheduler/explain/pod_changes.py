"""Pods that would have to end or to arrive so that a pod fits on a node."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.companions import companion
from kubelint_gpu.scheduler.explain.cluster_changes import (
    Change,
    ChangedCluster,
    PlacedPod,
    PodArrives,
    PodsEnd,
    by_owner,
)
from kubelint_gpu.scheduler.fit import Active, fit_on, judged, prepare
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_info import NodeInfo, node_info
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, pod_topology_spread
from kubelint_gpu.scheduler.preemption import importance, stripped
from kubelint_gpu.scheduler.relations import held

DISTANT = (pod_topology_spread.NAME, inter_pod_affinity.NAME)
# their pods come back, or end with the node
_PERMANENT = ("DaemonSet", "Node")


class LeavingPods:
    """Finds pods that would have to end so that a pod fits."""

    def __init__(self, pod: Pod, snapshot: Snapshot) -> None:
        self.pod = pod
        self.snapshot = snapshot

    def culprits(self, info: NodeInfo, status: Status) -> list[PlacedPod]:
        """The pods, on the node and elsewhere, that can affect the verdict of a filter that looks beyond the node."""
        if status.plugin not in DISTANT:
            return []
        labels = info.node.labels
        spec = self.pod.spec
        keys = {term.topology_key for term in spec.pod_anti_affinity} | {one.topology_key for one in spec.spread}
        found = []
        for pod, name in self._weighing:
            node = self.snapshot.node(name)
            domains = keys.union([term.topology_key for term in pod.spec.pod_anti_affinity])
            if node is not None and any(key in labels and node.node.labels.get(key) == labels[key] for key in domains):
                found.append((pod, name))
        return found[: TOLD.leaving_pods]

    def endings(self, changed: ChangedCluster, status: Status) -> Iterator[PodsEnd]:
        """Yield the pods of one owner that would have to end, for each owner with enough pods; else of several."""
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
        """As few of some pods as must go, the least important ones; empty if it does not help that all go."""
        gone = sorted(placed, key=lambda one: (*importance(one[0]), one[0].key))
        if not gone or not self._helps(changed, gone, active):
            return ()
        for one in tuple(gone):
            trial = [other for other in gone if other is not one]
            if trial and self._helps(changed, trial, active):
                gone = trial
        return tuple(gone)

    def _helps(self, changed: ChangedCluster, gone: Sequence[PlacedPod], active: Active) -> bool:
        devices = any(held(plugin.name) == Held.DEVICE.value for plugin, _ in active)
        if devices or any(name != changed.node for _, name in gone):
            return fit_on(self.pod, changed.snapshot.without(gone), changed.node) is None
        node = changed.snapshot.node(changed.node)
        if node is None:
            return False
        pods = tuple([pod for pod, _ in gone])
        staying = [pod for pod in node.pods if not any(pod is one for one in pods)]
        left = node_info(node.node, staying, node.memory)
        return judged(stripped(active, pods, node), left) is None

    @cached_property
    def _weighing(self) -> list[PlacedPod]:
        """All pods that spreading and pod affinity count for this pod."""
        return list(self._weighed())

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


def arrivals(pod: Pod, status: Status) -> Iterator[tuple[Change, ...]]:
    """Yield the arrival of a pod that meets all affinity terms, if no running pod meets them."""
    found = companion(pod) if status.plugin == inter_pod_affinity.NAME else None
    if found is not None:
        yield (PodArrives(found),)


def _ending(pods: tuple[PlacedPod, ...]) -> PodsEnd:
    return PodsEnd(pods, tuple((owner, len(members)) for owner, members in by_owner(pods).items()))
