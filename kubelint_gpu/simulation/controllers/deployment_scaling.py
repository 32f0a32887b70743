"""How the Deployment controller shares a change of replicas out among ReplicaSets in the middle of a rollout.

Behaviour: pkg/controller/deployment (sync.go, util/deployment_util.go), 1.34.
"""

from __future__ import annotations

from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class ScaledReplicaSets:
    """A ReplicaSet while its Deployment is scaled: its replicas and its annotation `max-replicas` (0: none)."""

    replicas: int
    max_replicas: int = 0


def proportionally(
    replicas: int, old: tuple[ScaledReplicaSets, ...], new: ScaledReplicaSets, surge: int | None
) -> tuple[tuple[int, ...], int]:
    """`spec.replicas` of old ReplicaSets (oldest first) and the new one after `replicas` changed in mid-rollout.

    The change is shared out in proportion, largest first; ties go to the newer when growing, to the older otherwise.
    `surge` is that of a rolling update, None with Recreate.
    """
    sets = [*old, new]
    active = [index for index, found in enumerate(sets) if found.replicas > 0]
    if len(active) <= 1:
        target = active[0] if active else len(sets) - 1
        sizes = [found.replicas for found in sets]
        sizes[target] = replicas
        return tuple(sizes[:-1]), sizes[-1]
    allowed = replicas + (surge or 0) if replicas > 0 else 0
    delta = allowed - sum(found.replicas for found in sets)
    if surge is None or delta == 0:
        return tuple(found.replicas for found in old), new.replicas
    newest_first = 1 if delta > 0 else -1
    order = sorted(active, key=lambda index: (-sets[index].replicas, -newest_first * index))
    sizes = [found.replicas for found in sets]
    added = 0
    for index in order:
        share = _share(sets[index], replicas, allowed)
        remaining = delta - added
        share = min(share, remaining) if delta > 0 else max(share, remaining)
        if (delta > 0) == (share > 0):
            sizes[index] += share
            added += share
    first = order[0]
    sizes[first] = max(0, sizes[first] + delta - added)
    return tuple(sizes[:-1]), sizes[-1]


def _share(found: ScaledReplicaSets, replicas: int, allowed: int) -> int:
    if replicas == 0:
        return -found.replicas
    whole = found.max_replicas or found.replicas
    doubled = 2 * found.replicas * allowed + whole
    return doubled // (2 * whole) - found.replicas
