"""Changes of a cluster that can make a pod fit, and the cluster after a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge, quota_refusal, quota_usage
from kubelint_gpu.kube.objects.taints import UNSCHEDULABLE_KEY, Taint
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value, replace

PlacedPod = tuple[Pod, str]
"""A pod and the name of the node that it is on."""


class Holder(Value):
    """Pods of one owner that hold something.

    Attributes:
        owner: their owner.
        pods: `namespace/name` of each, sorted.
        nodes: the names of their nodes, sorted.
        amounts: what they hold together of the resources in question, in the scheduler's units.
        priority: their priority.
        lower: whether that is lower than the pod's, so that it might preempt them.
        terminating: whether they are being deleted.
        devices: the devices that are allocated to them.
    """

    owner: Owner
    pods: tuple[str, ...]
    nodes: tuple[str, ...]
    amounts: Mapping[str, int]
    priority: int
    lower: bool
    terminating: bool = False
    devices: tuple[str, ...] = ()


def by_owner(placed: Iterable[PlacedPod]) -> dict[Owner, list[PlacedPod]]:
    """Pods by owner, in the order of the owners."""
    found = grouped((pod.meta.maker, (pod, node)) for pod, node in placed)
    return {owner: found[owner] for owner in sorted(found)}


def holders(
    placed: Iterable[PlacedPod], resources: Sequence[str], priority: int, memory: PodMemory
) -> tuple[Holder, ...]:
    """Group pods by owner with their resources, the largest holders first.

    The resource `pods` counts the pods; `priority` is that of the waiting pod.
    """
    groups: dict[tuple[Owner, int, bool], list[PlacedPod]] = {}
    for pod, node in placed:
        key = (pod.meta.maker, pod.spec.priority or 0, pod.meta.terminating)
        groups.setdefault(key, []).append((pod, node))
    found = []
    for (owner, own_priority, terminating), members in groups.items():
        amounts = dict.fromkeys(resources, 0)
        for pod, _ in members:
            for name, amount in memory.load(pod).requests:
                if name in amounts:
                    amounts[name] += amount
        if "pods" in amounts:
            amounts["pods"] = sum(not pod.is_claim for pod, _ in members)
        found.append(
            Holder(
                owner,
                tuple(sorted(pod.key for pod, _ in members)),
                tuple(sorted({node for _, node in members})),
                {name: amount for name, amount in amounts.items() if amount},
                own_priority,
                own_priority < priority,
                terminating,
                tuple([str(device) for pod, _ in members for device in held_devices(pod)]),
            )
        )

    def weight(holder: Holder) -> tuple[object, ...]:
        return (*[-holder.amounts.get(name, 0) for name in resources], -len(holder.pods), holder.owner, holder.priority)

    return tuple(sorted(found, key=weight))


class PodsEnd(Value):
    """Pods end or leave; `owners` has the number of pods for each owner."""

    pods: tuple[PlacedPod, ...]
    owners: tuple[tuple[Owner, int], ...]

    @property
    def terminating(self) -> bool:
        """Whether all of these pods are already being deleted."""
        return all(pod.meta.terminating for pod, _ in self.pods)


class PodArrives(Value):
    """A pod that the waiting one must be near runs on the node."""

    pod: Pod


class TaintGoes(Value):
    """A taint is removed from the node."""

    taint: Taint


class LabelSet(Value):
    """A label of the node is set, or removed if `value` is None."""

    key: str
    value: str | None


class Uncordoned(Value):
    """The node takes new pods again."""


class CapacityGrows(Value):
    """The node has more of a resource; `allocatable` and `now` are in the scheduler's units."""

    resource: str
    allocatable: int
    now: int


class NodeJoins(Value):
    """A node joins.

    Attributes:
        node: the node.
        like: the name of the node that it copies; the following fields are the differences.
        labels: changed labels; None is a removed label.
        allocatable: resources of which it has more.
        untainted: taints that it does not have.
    """

    node: Node
    like: str
    labels: tuple[tuple[str, str | None], ...] = ()
    allocatable: tuple[tuple[str, int], ...] = ()
    untainted: tuple[Taint, ...] = ()


class QuotaGrows(Value):
    """A ResourceQuota allows more: `hard` of a key, in thousandths."""

    quota: str
    key: str
    hard: int
    now: int


Change = PodsEnd | PodArrives | TaintGoes | LabelSet | Uncordoned | CapacityGrows | NodeJoins | QuotaGrows


class ChangedCluster(Value):
    """A cluster, and the name of the node in it that a pod should fit on."""

    snapshot: Snapshot
    node: str

    @property
    def here(self) -> Node:
        """The node. Raises KeyError if there is no such node."""
        found = self.snapshot.node(self.node)
        if found is None:
            raise KeyError(self.node)
        return found.node

    def with_node(self, node: Node) -> ChangedCluster:
        """The cluster with the node added, or in place of the one with the same name."""
        return ChangedCluster(self.snapshot.with_node(node), node.name)


def after(changed: ChangedCluster, change: Change) -> ChangedCluster:
    """The cluster after a change of the node or of the cluster.

    Raises:
        KeyError: the change is about a missing node.
    """
    if isinstance(change, PodsEnd):
        return replace(changed, snapshot=changed.snapshot.without(change.pods))
    if isinstance(change, PodArrives):
        return replace(changed, snapshot=assume(change.pod, changed.snapshot, changed.node))
    if isinstance(change, NodeJoins):
        return changed.with_node(change.node)
    if isinstance(change, QuotaGrows):
        cluster = changed.snapshot.cluster
        quotas = tuple(
            replace(quota, hard=FrozenMap({**quota.hard, change.key: change.hard}))
            if f"{quota.meta.namespace}/{quota.meta.name}" == change.quota
            else quota
            for quota in cluster.quotas
        )
        return replace(changed, snapshot=changed.snapshot.with_cluster(replace(cluster, quotas=quotas)))
    return changed.with_node(_changed(changed.here, change))


def _changed(node: Node, change: TaintGoes | LabelSet | Uncordoned | CapacityGrows) -> Node:
    if isinstance(change, TaintGoes):
        return replace(node, taints=tuple(taint for taint in node.taints if taint != change.taint))
    if isinstance(change, Uncordoned):
        return uncordoned(node)
    if isinstance(change, CapacityGrows):
        return replace(node, allocatable=FrozenMap({**node.allocatable, change.resource: change.allocatable}))
    return relabelled(node, ((change.key, change.value),))


def uncordoned(node: Node) -> Node:
    """The node without the mark and the taint of `kubectl cordon`."""
    return replace(
        node, unschedulable=False, taints=tuple(taint for taint in node.taints if taint.key != UNSCHEDULABLE_KEY)
    )


def relabelled(node: Node, labels: tuple[tuple[str, str | None], ...]) -> Node:
    """The node with some labels set, or removed if they are None."""
    changes = dict(labels)
    kept = {key: value for key, value in node.labels.items() if key not in changes}
    added = {key: value for key, value in changes.items() if value is not None}
    return replace(node, meta=replace(node.meta, labels=FrozenMap({**kept, **added})))


def joining(
    node: Node,
    name: str,
    labels: tuple[tuple[str, str | None], ...],
    more: Mapping[str, int],
    untainted: tuple[Taint, ...],
) -> Node:
    """A copy of a node with another name, other labels, more of some resources, and without some taints."""
    found = uncordoned(relabelled(node, labels))
    return replace(
        found,
        meta=replace(found.meta, name=name, uid=name),
        taints=tuple(taint for taint in found.taints if taint not in untainted),
        allocatable=FrozenMap({**found.allocatable, **more}),
    )


def refused_by_quota(pod: Pod, snapshot: Snapshot) -> tuple[str, tuple[QuotaGrows, ...]]:
    """The message of a quota that refuses the pod, and the growth of every exhausted quota that would admit it.

    The message is empty if none refuses it. There is no growth if the refusal has another reason.
    """
    refused = quota_refusal(pod, snapshot.cluster.quotas, snapshot.pods)
    if refused is None:
        return "", ()
    found: list[QuotaGrows] = []
    charge = pod_charge(pod.spec)
    for quota in sorted(snapshot.cluster.quotas, key=lambda quota: quota.meta.name):
        if quota.covers(pod):
            used = quota_usage(quota, snapshot.pods)
            name = f"{quota.meta.namespace}/{quota.meta.name}"
            for key in quota.counted:
                needed = used[key] + charge.get(key, 0)
                if charge.get(key) and needed > quota.hard[key]:
                    found.append(QuotaGrows(name, key, needed, quota.hard[key]))
    changed = ChangedCluster(snapshot, "")
    for change in found:
        changed = after(changed, change)
    left = quota_refusal(pod, changed.snapshot.cluster.quotas, snapshot.pods)
    return refused.text, () if left else tuple(found)
