"""How many pods of a workload can run at once, whatever rolls."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.attachment import with_bound_claims
from kubelint_gpu.rollout.cast import cast
from kubelint_gpu.rollout.participant import Participant, own_pods
from kubelint_gpu.rollout.scene import Scene, build_scene
from kubelint_gpu.rollout.starts import one_placement, placements
from kubelint_gpu.rollout.state import READY, count_on
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.values import replace

DEFAULT_BUDGET = 5_000


def placeable(workload: Workload, cluster: Cluster, most: int, *, budget: int = DEFAULT_BUDGET) -> int:
    """The largest number of its pods, up to `most`, that find places beside the running pods of others.

    Its own running pods are taken to be placed anew.
    Where `budget` partial placements do not tell, the answer is `most`: nothing is proven against it.
    """
    cluster = with_bound_claims(cluster, [(workload.meta.namespace, workload.spec)])
    own = {id(pod) for pod in own_pods(workload, cluster.pods)}
    others = tuple(pod for pod in cluster.pods if id(pod) not in own and pod.spec.node_name and not pod.finished)
    scene = standing_scene([replace(workload, replicas=most)], replace(cluster, pods=others))
    kind = 0
    if scene.local and not scene.places.is_charged(kind):
        return scene.places.capacity(kind, most)
    state = one_placement(scene)
    # pods that a quota refuses are not even made, and those of Jobs may wait
    if state is not None and sum(count_on(content, kind, READY) for content in state.nodes) == most:
        return most
    found = placements(scene, budget)
    return found.placed[kind] if found.complete else most


def standing_scene(workloads: Sequence[Workload], cluster: Cluster) -> Scene:
    """Workloads of which nothing is rolled, beside the pods of the cluster."""
    participants = [Participant(workload, workload, rolls=False) for workload in workloads]
    empty = Snapshot.of(replace(cluster, pods=()))
    return build_scene(cluster, cast(participants, frozenset(), (), cluster), cluster.pods, empty)
