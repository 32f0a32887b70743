"""What the controller of a Deployment does in one sync, as arithmetic.

Behaviour: pkg/controller/deployment (sync.go, rolling.go, recreate.go, util/deployment_util.go), 1.34.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.rolling import DeploymentStrategy
from kubelint_gpu.values import Value


class RollingLimits(Value):
    """maxSurge and maxUnavailable, resolved to numbers of pods."""

    surge: int
    unavailable: int


def resolve(strategy: DeploymentStrategy, replicas: int) -> RollingLimits:
    """Round surge up and unavailable down; if both are 0, one pod may be unavailable.

    With Recreate there is no surge and all pods may be unavailable.
    """
    if strategy.recreate:
        return RollingLimits(0, replicas)
    surge = strategy.max_surge.of(replicas, round_up=True)
    unavailable = strategy.max_unavailable.of(replicas, round_up=False)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return RollingLimits(surge, min(unavailable, replicas))


class ReplicaSets(Value):
    """`spec.replicas` of the ReplicaSets of a Deployment: old ones oldest first, and the new one.

    `new` is None until the new ReplicaSet exists.
    """

    old: tuple[int, ...]
    new: int | None = None


class Availability(Value):
    """Available pods of each ReplicaSet, as in its status, and how many old pods still exist.

    `old_remaining` counts terminating pods too; only Recreate looks at it.
    """

    old: tuple[int, ...]
    new: int
    old_remaining: int = 0


def sync(strategy: DeploymentStrategy, replicas: int, now: ReplicaSets, seen: Availability) -> ReplicaSets:
    """The ReplicaSets after one sync of a rollout; equal to `now` if the controller has nothing to do."""
    if strategy.paused:
        return now
    if strategy.recreate:
        return _recreate(replicas, now, seen)
    return _roll(resolve(strategy, replicas), replicas, now, seen, revised=strategy.revised)


def _recreate(replicas: int, now: ReplicaSets, seen: Availability) -> ReplicaSets:
    if any(now.old):
        return ReplicaSets((0,) * len(now.old), now.new)
    if seen.old_remaining > 0:
        return now
    return ReplicaSets(now.old, replicas)


def _roll(
    bounds: RollingLimits, replicas: int, now: ReplicaSets, seen: Availability, *, revised: bool = False
) -> ReplicaSets:
    cap = replicas + bounds.surge
    total_old = sum(now.old)
    new = now.new
    if new is None:
        new = min(replicas, max(0, cap - total_old))
    elif new > replicas:
        return ReplicaSets(now.old, replicas)
    elif new < replicas and total_old + new < cap:
        return ReplicaSets(now.old, new + min(cap - total_old - new, replicas - new))
    if revised and seen.new < replicas:
        return ReplicaSets(now.old, new)
    return ReplicaSets(_shrunk(replicas - bounds.unavailable, now.old, new, seen), new)


def _shrunk(floor: int, old: tuple[int, ...], new: int, seen: Availability) -> tuple[int, ...]:
    """`spec.replicas` of the old ReplicaSets: broken pods go first, then surplus, both within the budget."""
    budget = sum(old) + new - floor - (new - seen.new)
    if not any(old) or budget <= 0:
        return old
    left = list(old)
    for index, replicas in enumerate(old):
        cleaned = min(budget, max(0, replicas - seen.old[index]))
        left[index] -= cleaned
        budget -= cleaned
    surplus = sum(seen.old) + seen.new - floor
    for index, replicas in enumerate(left):
        cut = min(replicas, max(0, surplus))
        left[index] -= cut
        surplus -= cut
    return tuple(left)


def is_complete(replicas: int, now: ReplicaSets, seen: Availability, old_active: int) -> bool:
    """Whether every replica is new and available, and no old pod is kept."""
    return now.new == replicas and not any(now.old) and old_active == 0 and seen.new >= replicas


class ScaledReplicaSets(Value):
    """A ReplicaSet while its Deployment is scaled: its replicas and its annotation `max-replicas` (0: none)."""

    replicas: int
    max_replicas: int = 0


def proportionally(
    replicas: int, old: tuple[ScaledReplicaSets, ...], new: ScaledReplicaSets, surge: int | None
) -> tuple[tuple[int, ...], int]:
    """`spec.replicas` of old ReplicaSets (oldest first) and the new one after `replicas` changed during a rollout.

    The change is divided in proportion, largest first; ties go to the newer when growing, to the older otherwise.
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
