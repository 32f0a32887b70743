"""What must change so that a pod fits on a node; every proposal is confirmed by the filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.label_algebra import Allowed, NumberBound, alternatives, satisfied
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.taints import Taint, untolerated
from kubelint_gpu.kube.values.selectors import Requirement
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
from kubelint_gpu.scheduler.explain.pod_changes import LeavingPods, arrivals
from kubelint_gpu.scheduler.fit import fit_on
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_affinity, node_resources_fit, node_unschedulable, taint_toleration
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

HOSTNAME = "kubernetes.io/hostname"
# What these say of a node is so or is not: nobody sets them to make a pod fit.
_TELLING = ("kubernetes.io", "k8s.io", "nvidia.com", "amd.com", "intel.com")
_FREE = ("node-role.kubernetes.io", "node-restriction.kubernetes.io")
JOINING = "joining-node"
GATES = (node_unschedulable.NAME, taint_toleration.NAME, node_affinity.NAME)
_RESOURCES = node_resources_fit.NAME


class MissingLabel(Value):
    """What a node lacks to meet one alternative of a pod's node requirements.

    Attributes:
        requirements: the unmet requirements.
        labels: labels to set, or to remove if None, so that it meets them.
        name: the required node name; empty if any will do.
    """

    requirements: tuple[Requirement, ...]
    labels: tuple[tuple[str, str | None], ...]
    name: str = ""

    @property
    def settable(self) -> bool:
        """Whether somebody can set these labels on an existing node."""
        return not self.name and not any(is_telling(key) for key, _ in self.labels)


def is_telling(key: str) -> bool:
    """Whether a label describes the node's place or hardware, so that it cannot be chosen freely."""
    domain, slash, _ = key.rpartition("/")
    if not slash or domain in _FREE:
        return False
    return domain.endswith(_TELLING)


class WantedLabels:
    """The labels and the name that a pod requires of its node."""

    def __init__(self, spec: PodSpec) -> None:
        self._alternatives = alternatives(spec)
        bounds = [bound for found in self._alternatives for bound in found]
        self._keys = sorted({bound.requirement.key for bound in bounds if not bound.field})
        self._named = any(bound.field for bound in bounds)
        self._known: dict[tuple[str | None, ...], MissingLabel | None] = {}

    def lack(self, node: Node) -> MissingLabel | None:
        """What a node lacks to meet the alternative that it comes closest; None if no labels can help."""
        alike = (node.name if self._named else None, *map(node.labels.get, self._keys))
        if alike not in self._known:
            found = [one for one in (_lack(node, bounds) for bounds in self._alternatives) if one is not None]
            least = min(found, key=lambda one: (not one.settable, len(one.requirements)), default=None)
            self._known[alike] = least
        return self._known[alike]

    def are_met(self, nodes: Sequence[Node]) -> bool:
        """Whether any of some nodes meets the requirements."""
        return any(satisfied(bounds, node.labels, node.name) for bounds in self._alternatives for node in nodes)


def _lack(node: Node, bounds: Sequence[NumberBound]) -> MissingLabel | None:
    charge(1 + len(bounds))
    by_subject = grouped((bound.subject, bound) for bound in bounds)
    unmet: list[Requirement] = []
    labels: list[tuple[str, str | None]] = []
    name = ""
    for (field, key), members in by_subject.items():
        together = Allowed()
        for member in members:
            together &= member.allowed
        current = node.name if field else node.labels.get(key)
        if together.has(current):
            continue
        options = [option for option in _options(members, together) if together.has(option)]
        if not options:
            return None
        unmet += [member.requirement for member in members if not member.allowed.has(current)]
        if field:
            name = options[0] or ""
        else:
            labels.append((key, options[0]))
    return MissingLabel(tuple(unmet), tuple(labels), name)


def _options(members: Iterable[NumberBound], together: Allowed) -> Iterable[str | None]:
    for member in members:
        if member.requirement.operator == "In":
            yield from member.requirement.values
    if together.above is not None:
        yield str(together.above + 1)
    if together.below is not None:
        yield str(together.below - 1)
    yield None
    yield "true"


def actual(requirement: Requirement, nodes: Iterable[Node], most: int) -> tuple[str, ...]:
    """The values that nodes have in place of the required ones, sorted; empty if there are more than `most`."""
    found: set[str] = set()
    for node in nodes:
        labels: Mapping[str, str] = node.labels
        value = labels.get(requirement.key)
        if value is not None:
            found.add(value)
            if len(found) > most:
                return ()
    return tuple(sorted(found))


class Remedy(Value):
    """Changes after which a pod fits.

    Attributes:
        changes: all necessary changes; pods that end are those of the first of `nodes`.
        nodes: the names of the nodes on which the pod fits after such changes.
    """

    changes: tuple[Change, ...]
    nodes: tuple[str, ...]


class RemedySearch:
    """The search for remedies for one pod in one cluster."""

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
        """Yield the changes that make a pod fit on a node, the most likely first; none if it fits."""
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
        """A copy of a node on which the pod would fit if it joined; None if no such node helps.

        It has the labels of `missing`, enough of the requested resources, and no taint that keeps the pod away.
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
        """The changes that lift a rejection by a property of the node, not by its pods."""
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
        """Yield the growth of each resource that the node lacks."""
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
