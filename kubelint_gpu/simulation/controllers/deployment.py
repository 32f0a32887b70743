"""Deployments: what their controller does in one sync, as arithmetic and in a search.

Behaviour: pkg/controller/deployment (sync.go, rolling.go, recreate.go, util/deployment_util.go), 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import DeploymentStrategy, IntOrPercent
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.simulation.controllers.controller import rolling_update_pointers
from kubelint_gpu.simulation.controllers.pod_type_builder import PodTypeBuilder
from kubelint_gpu.simulation.controllers.reconciler import WHOSE, Action, Control, EqualNodes, Reconciler
from kubelint_gpu.simulation.controllers.replica_set import ReplicaSetController, keep
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.simulation.controllers.rollout_state import Census


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


_ABSENT = -1


class DeploymentRollout(EqualNodes):
    """The state machine of a Deployment's rollout, with its ReplicaSets.

    Control holds `spec.replicas` of each old ReplicaSet and of the new one (-1: not created yet), and whether the
    controller has scaled them to the current replicas. `old_replicas` and `old` belong to the old ReplicaSets, oldest
    first. `current` are the replicas of an existing ReplicaSet with the new template. New pods become available in
    batches of `batch`, together with a batch of each part in `parts`: the new kinds and batch sizes of all parts of
    `part_of`. `dependent` is the kind that creates the pods; empty if unknown.
    """

    name: str
    strategy: DeploymentStrategy
    replicas: int
    old_replicas: tuple[int, ...]
    old: tuple[int, ...]
    new: int
    rescaled: bool = False
    current: int = _ABSENT
    batch: int = 1
    dependent: str = "ReplicaSet"
    part_of: str = ""
    parts: tuple[tuple[int, int], ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of the old pods, then of the new pods."""
        return (*self.old, self.new)

    @property
    def rolls(self) -> bool:
        """Whether the Deployment rolls out: not while it is paused."""
        return not self.strategy.paused

    def begin(self) -> Control:
        """The control at the start: all replicas are old, and the controller has not acted yet."""
        there = any(self.old_replicas) or self.current > 0
        return (*self.old_replicas, self.current, 0 if self.rescaled and there else 1)

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """The Deployment's sync, and what each ReplicaSet does about its pods."""
        now = ReplicaSets(control[:-2], None if control[-2] == _ABSENT else control[-2])
        if control[-1]:
            after = sync(self.strategy, self.replicas, now, self._availability(seen))
            if after != now:
                yield Action(_control(after), self._told(now, after))
        else:
            surge = None if self.strategy.recreate else resolve(self.strategy, self.replicas).surge
            sets = tuple(ScaledReplicaSets(count) for count in now.old)
            scaled, new = proportionally(self.replicas, sets, ScaledReplicaSets(now.new or 0), surge)
            after = ReplicaSets(scaled, None if now.new is None else new)
            yield Action(_control(after), self._told(now, after) or "writes the wanted replicas down")
        for number, kind in enumerate(self.old):
            yield from keep(kind, now.old[number], control, seen, self.kinds, self._old_set(number), self.dependent)
        if now.new is not None:
            yield from keep(self.new, now.new, control, seen, self.kinds, f"the new {self._set}{WHOSE}", self.dependent)

    def done(self, control: Control, seen: Census) -> bool:
        """Whether every replica is new and available and no old pod is kept; always true for a paused Deployment."""
        if self.strategy.paused:
            return True
        now = ReplicaSets(control[:-2], None if control[-2] == _ABSENT else control[-2])
        active = sum(seen.active(kind) for kind in self.old)
        return bool(control[-1]) and is_complete(self.replicas, now, self._availability(seen), active)

    def _availability(self, seen: Census) -> Availability:
        ready = tuple(seen.ready(kind) for kind in self.old)
        batches = min(seen.ready(kind) // size for kind, size in self.parts or ((self.new, self.batch),))
        return Availability(ready, batches * self.batch, sum(seen.remaining(kind) for kind in self.old))

    @property
    def _set(self) -> str:
        return self.dependent or "set of pods"

    def _old_set(self, number: int) -> str:
        return f"the old {self._set}{WHOSE}" if len(self.old) == 1 else f"old {self._set} {number + 1}{WHOSE}"

    def _told(self, before: ReplicaSets, after: ReplicaSets) -> str:
        parts = []
        if before.new is None and after.new is not None:
            parts.append(f"creates the new {self._set}{WHOSE} with replicas {after.new}")
        elif before.new != after.new:
            parts.append(f"scales the new {self._set}{WHOSE} from {before.new} to {after.new}")
        for number, (was, now) in enumerate(zip(before.old, after.old, strict=True)):
            if was != now:
                parts.append(f"scales {self._old_set(number)} from {was} to {now}")
        return " and ".join(parts)


def with_parts(reconcilers: Sequence[Reconciler]) -> tuple[Reconciler, ...]:
    """Return the reconcilers, with each part of one object knowing the new pods of the other parts."""
    rollouts = [one for one in reconcilers if isinstance(one, DeploymentRollout) and one.part_of]
    parts = grouped((one.part_of, (one.new, one.batch)) for one in rollouts)
    return tuple(replace(one, parts=tuple(parts[one.part_of])) if one in rollouts else one for one in reconcilers)


def _control(sets: ReplicaSets) -> Control:
    return (*sets.old, _ABSENT if sets.new is None else sets.new, 1)


class DeploymentController(ReplicaSetController):
    """The controller of a Deployment, or of a custom resource that replaces its pods in the same way."""

    strategy: DeploymentStrategy

    has_replica_sets = True

    @property
    def revision_kind(self) -> str:
        """ReplicaSet; unknown for a custom resource without a selector."""
        return "ReplicaSet" if self.knows_own_pods else ""

    rolls = True

    @property
    def leaves_first(self) -> bool:
        """Whether maxSurge and maxUnavailable apply."""
        return self.strategy.bounded

    @property
    def strategy_pointers(self) -> tuple[Pointer, ...]:
        """The pointers of maxUnavailable or of the nearest written field."""
        return rolling_update_pointers(self.strategy.at)

    def pod(self, revision: str, name: str = "") -> Pod:
        """Return a pod with the label `pod-template-hash`."""
        return self.workload.pod(name or self.workload.meta.name, revision)

    def surge(self, replicas: int) -> int:
        """`maxSurge`, rounded up."""
        return resolve(self.strategy, replicas).surge

    def unavailable(self, replicas: int) -> int:
        """`maxUnavailable`, rounded down; all with Recreate."""
        return resolve(self.strategy, replicas).unavailable

    def keeps_until_ready(self, replicas: int) -> bool:
        """Whether `maxUnavailable` resolves to 0."""
        return self.unavailable(replicas) == 0

    def keeps(self, replicas: int) -> int:
        """All replicas except those that may be unavailable."""
        return replicas if self.strategy.paused else replicas - self.unavailable(replicas)

    def old_at_rest(self, replicas: int) -> int:
        """As many as must stay available: more would be scaled down."""
        return self.keeps(replicas)

    def places_needed(self, replicas: int) -> int:
        """No places if the rollout is paused; with Recreate only as many as replicas."""
        if self.strategy.paused or not replicas:
            return 0
        return replicas if self.strategy.recreate else max(replicas, self.keeps(replicas) + self._batch(replicas))

    def surplus(self, replicas: int) -> int:
        """With batches the whole surge, otherwise none."""
        return self.surge(replicas) if self.strategy.batch is not None else 0

    @property
    def waits_for(self) -> str:
        """With batches the custom resource, whose templates are replaced together."""
        return self.workload.object if self.strategy.batch is not None else ""

    def _batch(self, replicas: int) -> int:
        return max(1, self.strategy.batch.of(replicas, round_up=True)) if self.strategy.batch is not None else 1

    def replaces_singly(self, replicas: int, _version: str | None) -> bool:
        """True with maxSurge 0 and maxUnavailable 1, or with Recreate and one replica."""
        if self.strategy.paused:
            return False
        return replicas == 1 if self.recreates else resolve(self.strategy, replicas) == RollingLimits(0, 1)

    def add_rolling(self, builder: PodTypeBuilder) -> None:
        """Add each old ReplicaSet with its pods, and the new one, which has none yet."""
        change, every = builder.change, builder.revisions_with_waiting()
        sure = None if change.existing else 0
        # a pod that is ready and not yet available ranks like any other that is ready
        ranked = self.strategy.min_ready_seconds > 0
        again = builder.current_revision(every)
        current = every[again] if again is not None else None
        every = [one for one in every if one is not current]
        old = tuple(
            builder.pod_type(one.pod, one.number, one.running, sure, one.waiting, ranked=ranked) for one in every
        )
        for number, one in zip(old, every, strict=True):
            builder.not_ready(number, one.running)
        there = (current.pod, current.number, current.running, sure, current.waiting) if current is not None else None
        new = builder.pod_type(*(there or (builder.new_pod(), 0)), new=True, ranked=ranked)
        if current is not None:
            builder.not_ready(new, current.running)
        counts = tuple(one.number + one.waiting for one in every)
        strategy, rescaled = self.strategy, change.before != change.replicas
        if strategy.revised and rescaled:
            # the whole new revision is made beside the old one
            strategy, rescaled = replace(strategy, max_surge=IntOrPercent(change.before)), False
        has = current.number + current.waiting if current is not None else _ABSENT
        name, wanted = change.new.key, change.replicas
        batch = self._batch(wanted), self.dependent, self.waits_for
        builder.add(DeploymentRollout(name, strategy, wanted, counts, old, new, rescaled, has, *batch))
