"""What would have to happen so that a pod fits on a node; nothing is proposed that the filters do not confirm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.taints import Taint, untolerated
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    Change,
    ChangedCluster,
    LabelSet,
    NodeJoins,
    TaintGoes,
    Uncordoned,
    after,
    joining,
    uncordoned,
)
from kubelint_gpu.scheduler.explain.placement_labels import HOSTNAME, MissingLabel, WantedLabels
from kubelint_gpu.scheduler.explain.pod_changes import LeavingPods, arrivals
from kubelint_gpu.scheduler.fit import fit_on
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_affinity, node_resources_fit, node_unschedulable, taint_toleration
from kubelint_gpu.values import Value

JOINING = "joining-node"
GATES = (node_unschedulable.NAME, taint_toleration.NAME, node_affinity.NAME)
_RESOURCES = node_resources_fit.NAME


class Remedy(Value):
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
        self.labels = WantedLabels(pod.spec)
        self.requests = {
            name: amount
            for name, amount in pod_requests(pod.spec, pod_level=snapshot.behaviour.pod_level_resources).items()
            if amount
        }
        self.leaving = LeavingPods(pod, snapshot)

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
        for ending in self.leaving.endings(changed, status):
            if self._status(after(changed, ending)) is None:
                yield (*opened, ending)
        if opened:
            return
        for mended in (*arrivals(self.pod, status), *self._growth(changed, status)):
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
        untainted = self._untolerated(uncordoned(node))
        joined = joining(node, name, (*own, *labels), more, untainted)
        change = NodeJoins(joined, node.name, labels, tuple(more.items()), untainted)
        return change if self._fits_after(ChangedCluster(self.snapshot, name), (change,)) else None

    @cached_property
    def labels_exist(self) -> bool:
        """Whether any node has the labels and the name that the pod requires."""
        return self.labels.are_met([info.node for info in self.snapshot.nodes])

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
            missing = self.labels.lack(node)
            if missing is not None and missing.settable:
                return tuple(LabelSet(key, value) for key, value in missing.labels)
        return ()

    def _untolerated(self, node: Node) -> tuple[Taint, ...]:
        return untolerated(node.taints, self.pod.spec.tolerations)

    def _growth(self, changed: ChangedCluster, status: Status) -> Iterator[tuple[Change, ...]]:
        """As much more of each resource that the node lacks."""
        node = changed.snapshot.node(changed.node)
        if status.plugin != _RESOURCES or node is None:
            return
        lacking = []
        wanted = {**self.requests, "pods": 1}
        used = {**node.used, "pods": node.pod_count}
        for resource, amount in wanted.items():
            now = node.node.allocatable.get(resource, 0)
            needed = used.get(resource, 0) + amount
            if needed > now:
                lacking.append(CapacityGrows(resource, needed, now))
        yield tuple(lacking)
