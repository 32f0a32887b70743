"""What a cluster has of each GPU model and pool, and what rollouts take of it for a time."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import NORMAL
from kubelint_gpu.capacity.full_cluster import FullCluster, Group, place, with_all_pods
from kubelint_gpu.findings.picture import PoolPicture
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import gpus_in, model_of
from kubelint_gpu.inventory.view.node_names import natural
from kubelint_gpu.kube.gpu.gpu_labels import POOL
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, limited
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext


class PoolShare(Value):
    """The nodes of one GPU model and one pool, and whose their GPUs are.

    Attributes:
        model: the GPU model as the nodes' labels call it, else the resource.
        pool: the pool of the inventory; empty for nodes of none.
        nodes: their names.
        gpus: how many GPUs they have.
        others: how many of these pods hold that no manifest declares.
        declared: how many the declared pods hold at rest.
        pending: how many those ask for that find no node, and that these nodes could take if they were empty.
        one_by_one: how many more the rollouts take if they come one after the other.
        at_once: how many more they take if all come at once.
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
        """How many nobody holds at rest."""
        return self.gpus - self.others - self.declared


class Surge(Value, eq=False):
    """A workload with GPUs that makes a new pod before an old one goes.

    Attributes:
        group: the workload.
        node: where its new pod finds room while all else is at rest; empty if nowhere.
        at_once: whether it finds room beside the new pods of the workloads before it, too.
        home: the node of whose share its GPUs are counted; empty if no node may take it.
    """

    group: Group
    node: str
    at_once: bool
    home: str


def surges_of(cluster: FullCluster) -> tuple[Surge, ...]:
    """The workloads that need spare GPUs to be rolled out, and whether these are there.

    One that may have a pod fewer for a time (`maxUnavailable` of at least 1, Recreate) needs none. Each makes one new
    pod at a time, though `maxSurge` may allow more.
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
        node = next(iter(alone), "")
        home = next(iter(beside), node) or min(one.fits(cluster.empty), key=natural, default="")
        found.append(Surge(one, node, bool(beside), home))
    return tuple(found)


def shares_of(cluster: FullCluster, surges: Sequence[Surge]) -> tuple[PoolShare, ...]:
    """The nodes with GPUs by model and pool, those with the most GPUs first."""
    inventory = cluster.world.inventory
    pool_of = {name: pool.name for pool in (inventory.pools if inventory else ()) for name in pool.nodes}
    infos = [info for info in cluster.snapshot.nodes if gpus_in(info.node.allocatable)]
    found = grouped(((model_of(info.node), pool_of.get(info.name, "") or _pool(info.node)), info) for info in infos)
    other: dict[str, int] = {}
    for pod in cluster.others:
        name = str(pod.spec.node_name)
        other[name] = other.get(name, 0) + gpus_in(pod_requests(pod.spec))
    waiting = grouped(
        (min(one.fits(cluster.empty), key=natural, default=""), one.pending * one.gpus)
        for one in cluster.groups
        if one.pending
    )
    taken = grouped((one.home, one.group.gpus) for one in surges)
    shares = [
        PoolShare(
            model,
            pool,
            tuple(sorted((info.name for info in members), key=natural)),
            sum(gpus_in(info.node.allocatable) for info in members),
            others := sum(other.get(info.name, 0) for info in members),
            sum(gpus_in(info.used) for info in members) - others,
            sum(amount for info in members for amount in waiting.get(info.name, ())),
            max([amount for info in members for amount in taken.get(info.name, ())], default=0),
            sum(amount for info in members for amount in taken.get(info.name, ())),
        )
        for (model, pool), members in found.items()
    ]
    return tuple(sorted(shares, key=lambda one: (-one.gpus, one.model, one.pool)))


def pool_pictures(world: ClusterContext, units: Sequence[ApplySet]) -> tuple[PoolPicture, ...]:
    """Return the same for the report page; nothing without workloads, and nothing if it takes too much work."""
    if not world.usable or not any(unit.subjects for unit in units):
        return ()
    try:
        with limited(NORMAL.run, NORMAL.run):
            cluster = with_all_pods(world, units)
            shares = shares_of(cluster, surges_of(cluster))
    except UsedUp:
        return ()
    return tuple(
        PoolPicture(
            one.name,
            one.gpus,
            one.others,
            one.declared,
            one.pending,
            one.free,
            one.one_by_one,
            one.at_once,
        )
        for one in shares
    )


def _pool(node: Node) -> str:
    """The pool that the labels of a cloud provider name."""
    return next((node.labels[key] for key in POOL if node.labels.get(key)), "")
