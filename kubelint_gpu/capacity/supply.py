"""The supply of each GPU model and pool, what rollouts take of it temporarily, and quotas that allow less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kubelint_gpu.capacity.full_cluster import FullCluster, Group, place, victims_for
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import accelerators_of, model_of
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.kube.gpu.gpu_labels import POOL
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import ResourceQuota, pod_charge
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.wording import foremost, verb
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.values import Value


class PoolShare(Value):
    """The nodes of one GPU model and one pool, and how their GPUs are used.

    Attributes:
        model: the GPU model by the nodes' labels, otherwise the resource. If the nodes have several resources, as with
            MIG profiles, each has a share of its own, with the resource behind the model.
        pool: the pool of the inventory; empty for nodes without one.
        nodes: their names.
        gpus: how many GPUs they have.
        others: how many are held by pods that no manifest declares.
        declared: how many the declared pods hold at rest.
        pending: how many are requested by pods without a node that these nodes could take if they were empty.
        one_by_one: how many more the rollouts take one after the other.
        at_once: how many more the rollouts take all at once.
    """

    model: str
    pool: str
    nodes: tuple[str, ...]
    gpus: int
    others: int
    declared: int
    pending: int = 0
    one_by_one: int = 0
    at_once: int = 0

    @property
    def name(self) -> str:
        """`NVIDIA-L4 (pool)`, or the model alone."""
        return f"{self.model} ({self.pool})" if self.pool else self.model

    @property
    def free(self) -> int:
        """How many GPUs are free at rest."""
        return self.gpus - self.others - self.declared


class Surge(Value, eq=False):
    """A workload with GPUs that creates a new pod before it deletes an old one.

    Attributes:
        group: the workload.
        node: the node of its new pod while everything else is at rest; empty if there is none.
        preempts: whether that pod has this node only by preempting others.
        at_once: whether that pod also finds room beside the new pods of the workloads before it.
        home: the node of the share in which its GPUs are counted; empty if no node can take it.
    """

    group: Group
    node: str
    preempts: bool
    at_once: bool
    home: str


def surges_of(cluster: FullCluster) -> tuple[Surge, ...]:
    """The workloads that need spare GPUs to roll out, and whether these exist.

    A workload that may have one pod less temporarily (`maxUnavailable` of at least 1, Recreate) needs none. Each
    creates one new pod at a time, even if `maxSurge` allows more.
    """
    found, filled = [], cluster.snapshot
    for one in cluster.groups:
        controller, replicas = one.subject.controller, len(one.placed)
        if not one.gpus or not replicas or controller.node_bound or controller.runs_to_completion:
            continue
        if not controller.surge(replicas) or not controller.keeps_until_ready(replicas):
            continue
        alone, _ = place(one, 1, cluster.snapshot)
        beside, filled = place(one, 1, filled)
        node = next(iter(alone), "") or next((name for _, name in victims_for(one, cluster.snapshot)), "")
        home = next(iter(beside), node) or min(one.fits(cluster.empty), key=natural, default="")
        found.append(Surge(one, node, bool(node) and not alone, bool(beside), home))
    return tuple(found)


def shares_of(cluster: FullCluster, surges: Sequence[Surge]) -> tuple[PoolShare, ...]:
    """The nodes with GPUs by model and pool, those with the most GPUs first."""
    inventory = cluster.world.inventory
    pool_of = {name: pool.name for pool in (inventory.pools if inventory else ()) for name in pool.nodes}
    found = grouped(
        ((_model(info.node, resource), pool_of.get(info.name, "") or _pool(info.node), resource), info)
        for info in cluster.snapshot.nodes
        for resource in accelerators_of(info.node)
    )
    other = grouped((str(pod.spec.node_name), pod) for pod in cluster.others)
    waiting = grouped(
        (min(one.fits(cluster.empty), key=natural, default=""), one) for one in cluster.groups if one.pending
    )
    taken = grouped((one.home, one.group.pod) for one in surges)

    def share(model: str, pool: str, resource: str, members: Sequence[NodeInfo]) -> PoolShare:
        def asked(pod: Pod) -> int:
            return pod_requests(pod.spec).get(resource, 0)

        names = [info.name for info in members]
        others = sum(asked(pod) for name in names for pod in other.get(name, ()))
        spare = [asked(pod) for name in names for pod in taken.get(name, ())]
        return PoolShare(
            model,
            pool,
            tuple(sorted(names, key=natural)),
            sum(info.node.allocatable[resource] for info in members),
            others,
            sum(info.used.get(resource, 0) for info in members) - others,
            sum(one.pending * asked(one.pod) for name in names for one in waiting.get(name, ())),
            max(spare, default=0),
            sum(spare),
        )

    shares = [share(*key, members) for key, members in found.items()]
    return tuple(sorted(shares, key=lambda one: (-one.gpus, one.model, one.pool)))


def _model(node: Node, resource: str) -> str:
    """The model of a node's GPUs, with the resource if the node counts others by another one."""
    model, every = model_of(node), accelerators_of(node)
    return model if len(every) == 1 else resource if model == ", ".join(every) else f"{model}, {resource}"


def _pool(node: Node) -> str:
    """The pool that the labels of a cloud provider name."""
    return next((node.labels[key] for key in POOL if node.labels.get(key)), "")


class QuotaDemand(Value):
    """A key of a quota that allows less than the pods of its namespace ask for at rest; amounts are thousandths.

    Attributes:
        quota: its name, `namespace/name`.
        key: such as `requests.nvidia.com/gpu`.
        hard: how much it allows.
        declared: how much all declared pods ask for.
        others: how much is held by running pods that no manifest declares.
        workloads: the declared workloads that ask for it.
    """

    quota: str
    key: str
    hard: int
    declared: int
    others: int
    workloads: tuple[str, ...]

    @property
    def missing(self) -> int:
        """How much more it would have to allow."""
        return self.declared + self.others - self.hard

    @property
    def amounts(self) -> dict[str, int]:
        """All amounts by name."""
        return {"hard": self.hard, "declared": self.declared, "others": self.others, "missing": self.missing}

    @property
    def sentence(self) -> str:
        """The amounts in words."""
        hard, declared, others, missing = map(canonical, self.amounts.values())
        held = f", and others hold {others}" if self.others else ""
        asked = f"{foremost(self.workloads)} {verb('ask', len(self.workloads))} for {declared}"
        return f"{self.quota}: allows {hard} {self.key}; {asked}{held}: {missing} too few"


def quota_demands(cluster: FullCluster) -> tuple[QuotaDemand, ...]:
    """Return the keys of quotas that allow too little, by namespace and name."""
    quotas = {
        (one.meta.namespace, one.meta.name): one
        for base in (cluster.world.base, *(group.cluster for group in cluster.groups))
        for one in base.quotas
    }
    return tuple(found for _, quota in sorted(quotas.items()) for found in _exceeded(cluster, quota))


def _exceeded(cluster: FullCluster, quota: ResourceQuota) -> Iterator[QuotaDemand]:
    declared, others = Counter[str](), Counter[str]()
    workloads: dict[str, list[str]] = {}
    for group in cluster.groups:
        for key, amount in pod_charge(group.pod.spec).items() if quota.covers(group.pod) else ():
            if amount * group.total:
                declared[key] += amount * group.total
                workloads.setdefault(key, []).append(group.name)
    for pod in cluster.others:
        if quota.covers(pod):
            others.update(pod_charge(pod.spec))
    name = f"{quota.meta.namespace}/{quota.meta.name}"
    for key in quota.counted:
        found = QuotaDemand(name, key, quota.hard[key], declared[key], others[key], tuple(workloads.get(key, ())))
        if found.declared and found.missing > 0:
            yield found
