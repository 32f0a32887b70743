"""StatefulSets: what their controller does in one sync, as arithmetic and in a search.

Behaviour: pkg/controller/statefulset/stateful_set_control.go, 1.34 to 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import StatefulSetStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.patterns import pattern
from kubelint_gpu.simulation.controllers.ordinals import (
    claim_names,
    first_ordinal_of,
    ordinal_pod,
    with_claims,
    with_revision,
)
from kubelint_gpu.simulation.controllers.pod_type_builder import PodTypeBuilder
from kubelint_gpu.simulation.controllers.reconciler import Action, Control, EqualNodes
from kubelint_gpu.simulation.controllers.replica_set import ReplicaSetController
from kubelint_gpu.simulation.controllers.rollout_state import Census
from kubelint_gpu.values import Value, replace

_GATE_ON = pattern(r"v?1\.35\.[0-3](?!\d)", re.ASCII)


class Replica(Value):
    """One pod of a StatefulSet.

    `current` says that it has the new template. `available` pods are Ready for `minReadySeconds`. `terminating` pods
    still exist.
    """

    ordinal: int
    current: bool
    available: bool
    terminating: bool = False


class PodAction(Value):
    """The action of a sync on one ordinal: `create` its pod with the old or the `current` template, or `delete` it."""

    act: str
    ordinal: int
    current: bool = False


def has_max_unavailable(version: str | None) -> bool:
    """Whether `maxUnavailable` counts: the feature gate MaxUnavailableStatefulSet is only on in 1.35.0 to 1.35.3.

    A release without a patch number stands for its newest patch.
    """
    return version is not None and _GATE_ON().match(version) is not None


def at_once(strategy: StatefulSetStrategy, replicas: int) -> int:
    """How many pods may be unavailable in an update: at least one; a share is rounded down."""
    if strategy.max_unavailable is None:
        return 1
    return max(1, strategy.max_unavailable.of(replicas, round_up=False))


def sync(strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica], *, gate: bool) -> tuple[PodAction, ...]:
    """The actions of one sync; none while it waits. `gate` says whether the controller looks at `maxUnavailable`."""
    first = strategy.first_ordinal
    by_ordinal = {pod.ordinal: pod for pod in pods}
    inside = range(first, first + replicas)
    actions: list[PodAction] = []
    for ordinal in inside:
        pod = by_ordinal.get(ordinal)
        if pod is None:
            actions.append(PodAction("create", ordinal, _is_updated(strategy, ordinal)))
            if not strategy.parallel:
                return tuple(actions)
        elif not strategy.parallel and (pod.terminating or not pod.available):
            return tuple(actions)
    condemned = sorted((pod for pod in pods if pod.ordinal not in inside), key=lambda pod: -pod.ordinal)
    if strategy.parallel:
        actions += [PodAction("delete", pod.ordinal) for pod in condemned if not pod.terminating]
    elif condemned:
        return () if condemned[0].terminating else (PodAction("delete", condemned[0].ordinal),)
    if strategy.on_delete:
        return tuple(actions)
    return (*actions, *_updates(strategy, replicas, [by_ordinal.get(ordinal) for ordinal in inside], gate))


def _is_updated(strategy: StatefulSetStrategy, ordinal: int) -> bool:
    return ordinal >= strategy.first_ordinal + strategy.partition


def _updates(
    strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica | None], gate: bool
) -> tuple[PodAction, ...]:
    outdated = [
        pod
        for pod in reversed(pods[strategy.partition :])
        if pod is not None and not pod.current and not pod.terminating
    ]
    if gate:
        unavailable = sum(1 for pod in pods if pod is None or not pod.available or pod.terminating)
        left = max(0, at_once(strategy, replicas) - unavailable)
        return tuple(PodAction("delete", pod.ordinal) for pod in outdated[:left])
    for pod in reversed(pods[strategy.partition :]):
        if pod is None:
            return ()
        if not pod.current and not pod.terminating:
            return (PodAction("delete", pod.ordinal),)
        if pod.terminating or not pod.available:
            return ()
    return ()


def is_complete(strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica]) -> bool:
    """Whether every ordinal from the partition on has the new template and is available, and no surplus pod exists."""
    first = strategy.first_ordinal
    by_ordinal = {pod.ordinal: pod for pod in pods}
    if any(ordinal not in range(first, first + replicas) for ordinal in by_ordinal):
        return False
    for ordinal in range(first, first + replicas):
        pod = by_ordinal.get(ordinal)
        if pod is None or pod.terminating or not pod.available:
            return False
        if _is_updated(strategy, ordinal) and not pod.current:
            return False
    return True


class StatefulSetRollout(EqualNodes):
    """The state machine of a StatefulSet's rollout: each ordinal has an old kind and a new kind.

    It writes nothing, because each pod shows its template. `old` and `new` are the kinds of its `ordinals`. `gate` says
    whether it looks at maxUnavailable. Without `roll` it only keeps its replicas, and has no new kinds.
    """

    name: str
    strategy: StatefulSetStrategy
    replicas: int
    old: tuple[int, ...]
    new: tuple[int, ...]
    gate: bool
    ordinals: tuple[int, ...]
    roll: bool = True

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of all ordinals, old and new."""
        return (*self.old, *self.new)

    @property
    def rolls(self) -> bool:
        """Whether it rolls out. With OnDelete it waits until somebody deletes its pods."""
        return self.roll and not self.strategy.on_delete

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """Yield each action of the next sync."""
        strategy = self.strategy
        if not self.roll:
            strategy = replace(strategy, partition=len(self.old))
        for action in sync(strategy, self.replicas, self._pods(seen), gate=self.gate):
            yield self._change(control, action, seen)

    def done(self, _control: Control, seen: Census) -> bool:
        """Whether every ordinal to update has the new template and is available."""
        if not self.roll:
            return sum(seen.ready(kind) for kind in self.old[: self.replicas]) >= self.replicas
        if self.strategy.on_delete:
            return sum(seen.ready(kind) for kind in self.kinds) >= self.replicas
        return is_complete(self.strategy, self.replicas, self._pods(seen))

    def _change(self, control: Control, action: PodAction, seen: Census) -> Action:
        place = self.ordinals.index(action.ordinal)
        if action.act == "create":
            kind = (self.new if action.current else self.old)[place]
            return Action(control, f"creates pod {action.ordinal}", create=(kind, 1))
        kind = self.old[place] if seen.active(self.old[place]) else self.new[place]
        return Action(control, f"deletes pod {action.ordinal}", delete=(kind, 1), family=(kind,))

    def _pods(self, seen: Census) -> list[Replica]:
        found = []
        for kinds, current in ((self.old, False), (self.new, True)):
            for ordinal, kind in zip(self.ordinals, kinds, strict=False):
                if seen.remaining(kind):
                    leaving = seen.leaving(kind) > 0
                    found.append(Replica(ordinal, current, seen.ready(kind) > 0, leaving))
        return found


class StatefulSetController(ReplicaSetController):
    """The controller of a StatefulSet."""

    strategy: StatefulSetStrategy
    has_ordinals = True
    rolls = True
    revision_kind = "ControllerRevision"
    keeps_surplus = True

    @property
    def ordered(self) -> bool:
        """Whether it uses `OrderedReady`."""
        return not self.strategy.parallel

    def pod(self, revision: str, name: str = "") -> Pod:
        """Return a pod with the label `controller-revision-hash`."""
        return with_revision(self.workload.pod(name or self.workload.meta.name), revision)

    def has_own_claims(self, cluster: Cluster) -> bool:
        """Whether the cluster has claims of its `volumeClaimTemplates`."""
        if not cluster.claims or not self.workload.claims:
            return False
        known = {claim.key for claim in cluster.claims}
        namespace, first = self.workload.meta.namespace, self.first_ordinal
        ordinals = range(first, first + self.workload.replicas)
        return any(f"{namespace}/{name}" in known for one in ordinals for name in claim_names(self.workload, one))

    def unavailable(self, replicas: int) -> int:
        """`maxUnavailable` if the feature gate MaxUnavailableStatefulSet is on."""
        return at_once(self.strategy, replicas)

    def replaces_singly(self, replicas: int, version: str | None) -> bool:
        """Whether the feature gate MaxUnavailableStatefulSet is off, or maxUnavailable resolves to 1."""
        return not has_max_unavailable(version) or at_once(self.strategy, replicas) == 1

    @property
    def replaced_by_hand(self) -> Workload | None:
        """The workload without OnDelete, or with a partition of 0."""
        workload, strategy = self.workload, self.strategy
        if strategy.on_delete:
            return replace(workload, strategy=replace(strategy, on_delete=False))
        kept = workload.replicas > 0 and strategy.partition > 0
        return replace(workload, strategy=replace(strategy, partition=0)) if kept else None

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """Add each ordinal by itself if it has its own claims or gets a new template; otherwise all together."""
        change = builder.change
        if change.known and change.rolls and self.strategy.on_delete:
            # a pod that is lost comes back with the new template
            self.add_rolling(builder)
            return
        makes_others = self.makes_other_pods(builder)
        if makes_others and change.known and change.existing and not (change.rolls or change.settled):
            strategy = replace(self.strategy, on_delete=True)
            replace(self, strategy=strategy).add_rolling(builder)
            return
        grows = makes_others and change.replicas > change.before and not change.settled
        waits = {pod.meta.name for pod in change.waiting} if scaling and change.shrinks else set()
        if not (grows or waits or change.numbered or self.has_own_claims(builder.cluster)):
            ReplicaSetController.add_steady(self, builder, scaling=scaling)
            return
        comes = change.known or not change.existing
        first = change.sure if scaling and not waits else max(change.before, change.replicas if comes else 0)
        running = {pod.meta.name: pod for pod in change.running}
        kinds: list[int] = []
        for place in range(max(first, change.replicas)):
            name = f"{change.new.meta.name}-{self.first_ordinal + place}"
            found = running.get(name)
            pod = self._steady_pod(builder, place, found, makes_others=makes_others)
            wanted = int(place < first and name not in waits)
            known = (found,) if found is not None and wanted else ()
            sure = int(wanted and (bool(waits) or place < change.sure))
            kinds.append(builder.pod_type(pod, wanted, known, sure, int(name in waits)))
        replicas, gate = change.replicas if scaling else first, has_max_unavailable(builder.cluster.version)
        ordinals = tuple(range(self.first_ordinal, self.first_ordinal + len(kinds)))
        name = change.new.key
        builder.add(StatefulSetRollout(name, self.strategy, replicas, tuple(kinds), (), gate, ordinals, roll=False))

    def _steady_pod(self, builder: PodTypeBuilder, place: int, found: Pod | None, *, makes_others: bool) -> Pod:
        """The pod at a place, counted from the first ordinal; `found` is the one that runs."""
        change, ordinal = builder.change, self.first_ordinal + place
        name = f"{change.new.meta.name}-{ordinal}"
        if found is not None:
            pod = builder.unbound(found)
        else:
            made = (change.settled and place >= change.kept) or (makes_others and place >= change.before)
            pod = builder.new_pod(name) if made else builder.old_pod(name)
        return with_claims(ordinal_pod(pod, name, ordinal), change.new, ordinal, builder.cluster)

    def add_rolling(self, builder: PodTypeBuilder) -> None:
        """Add each ordinal with its old pod, and with its new one, which does not exist yet.

        If only the ordinals change, existing pods have the new template.
        """
        change, first = builder.change, self.first_ordinal
        running = {pod.meta.name: pod for pod in (*change.waiting, *change.running)}
        start = first_ordinal_of(change.old)
        there, wanted_now = range(start, start + change.old.replicas), range(first, first + change.replicas)
        ordinals = tuple(sorted({*there, *wanted_now}))
        renamed = start != first and change.old.spec == change.new.spec and change.old.template == change.new.template
        old: list[int] = []
        new: list[int] = []
        # the pods after one that is not ready are not made: those that are known are all that there are
        blocked = False
        for ordinal in ordinals:
            name = f"{change.new.meta.name}-{ordinal}"
            found = running.get(name)
            pod = builder.unbound(found) if found is not None else builder.old_pod(name)
            pod = with_claims(ordinal_pod(pod, name, ordinal), change.new, ordinal, builder.cluster)
            waits = found is not None and not found.spec.node_name
            wanted = 1 if not waits and (found is not None or (ordinal in there and not blocked)) else 0
            blocked = blocked or (self.ordered and found is not None and (waits or found.unready))
            known = (found,) if found is not None and wanted else ()
            placed = (wanted, known, wanted if change.existing else 0, int(waits))
            has_new = renamed or (found is not None and builder.is_current(found))
            old.append(builder.pod_type(pod, *((0,) if has_new else placed), optional=ordinal not in wanted_now))
            made = ordinal_pod(builder.new_pod(name), name, ordinal)
            made = with_claims(made, change.new, ordinal, builder.cluster)
            new.append(builder.pod_type(made, *(placed if has_new else (0,)), new=True))
            builder.not_ready((new if has_new else old)[-1], known)
        gate = has_max_unavailable(builder.cluster.version)
        replicas = change.replicas
        builder.add(StatefulSetRollout(change.new.key, self.strategy, replicas, tuple(old), tuple(new), gate, ordinals))
