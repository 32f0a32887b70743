"""Whether several sets of pods can all run at once, as they must where a controller makes new ones beside the old."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.placeable import DEFAULT_BUDGET
from kubelint_gpu.rollout.scene import Scene
from kubelint_gpu.rollout.staged import standing_scene
from kubelint_gpu.rollout.starts import one_placement, placements
from kubelint_gpu.values import replace

_FEW = 64


def gathered(
    wanted: Sequence[tuple[Workload, int]], cluster: Cluster, *, budget: int = DEFAULT_BUDGET
) -> tuple[int, ...] | None:
    """How many pods of each workload run at most where all of them are wanted; None where all may.

    The pods of the cluster stay where they are, quotas are not looked at.
    Where `budget` partial placements do not tell, all may: nothing is proven against it.
    """
    apart = [
        replace(
            workload,
            replicas=number,
            strategy=None,
            meta=replace(workload.meta, name=f"{workload.meta.name}-{index}"),
            # all are wanted at once: none is taken to wait for the end of another
            spec=replace(workload.spec, restart_policy="Always"),
        )
        for index, (workload, number) in enumerate(wanted)
    ]
    scene = standing_scene(apart, replace(cluster, quotas=()))
    most = _capacities(scene)
    if most is not None:
        if len(most) < 2 or sum(most) > _FEW or all(number == 0 for number in most):
            return most
        # templates that take room from each other
        again = gathered([(one, number) for (one, _), number in zip(wanted, most, strict=True)], cluster, budget=budget)
        return most if again is None else again
    if one_placement(scene) is not None:
        return None
    found = placements(scene, budget)
    if found.full or not found.complete:
        return None
    return tuple(sum(found.placed[kind] for kind in kinds) for kinds in scene.cast.members)


def _capacities(scene: Scene) -> tuple[int, ...] | None:
    """How many pods of each workload find places where no other is; None where all do, or it is not known."""
    if not scene.local:
        return None
    wanted = scene.cast.wanted
    fitting = [scene.places.capacity(kind, number) for kind, number in enumerate(wanted)]
    if fitting == list(wanted):
        return None
    return tuple(sum(fitting[kind] for kind in kinds) for kinds in scene.cast.members)
