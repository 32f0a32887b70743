"""DaemonSets: how their pods are replaced, as arithmetic and in a search.

Behaviour: pkg/controller/daemon (daemon_controller.go, update.go), 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy, IntOrPercent
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.daemon_nodes import spread_on_own_node, tolerations
from kubelint_gpu.simulation.controllers.ordinals import with_revision
from kubelint_gpu.simulation.controllers.pod_type_builder import PodTypeBuilder
from kubelint_gpu.simulation.controllers.reconciler import Action, Control
from kubelint_gpu.simulation.controllers.replica_set import ReplicaSetController
from kubelint_gpu.simulation.controllers.rollout_state import GOING, READY, Census, Content
from kubelint_gpu.values import Value, replace


class DaemonSetLimits(Value):
    """maxSurge and maxUnavailable, resolved to numbers of nodes."""

    surge: int
    unavailable: int


class OnNode(Value):
    """The pods of a DaemonSet on one node.

    `old` and `new` say whether that pod is available; None if there is none, or it terminates.
    `leaving` says that a terminating pod is still there.
    """

    old: bool | None = None
    new: bool | None = None
    leaving: bool = False


class Replacement(Value):
    """What one sync does: node positions where it deletes an old pod, creates a new one, or recreates a lost one.

    From `delete_one_of` and `create_one_of` it takes as many as the bounds allow, in no particular order.
    """

    delete: tuple[int, ...] = ()
    create: tuple[int, ...] = ()
    delete_one_of: tuple[int, ...] = ()
    create_one_of: tuple[int, ...] = ()


def resolve(strategy: DaemonSetStrategy, nodes: int) -> DaemonSetLimits:
    """Resolve shares of the nodes, rounded up; if both are 0, one pod may be unavailable."""
    surge = strategy.max_surge.of(nodes, round_up=True)
    unavailable = strategy.max_unavailable.of(nodes, round_up=True)
    return DaemonSetLimits(surge, 1 if surge == 0 and unavailable == 0 else unavailable)


def sync(bounds: DaemonSetLimits, nodes: Sequence[OnNode]) -> Replacement:
    """Return the actions of one sync of a rolling update on the nodes that must have a pod."""
    return _surging(bounds.surge, nodes) if bounds.surge else _replacing(bounds.unavailable, nodes)


def _replacing(most: int, nodes: Sequence[OnNode]) -> Replacement:
    unavailable = 0
    broken: list[int] = []
    candidates: list[int] = []
    lost: list[int] = []
    for index, on in enumerate(nodes):
        if on.old is None and on.new is None and not on.leaving:
            lost.append(index)
        if (on.old is None) == (on.new is None):
            unavailable += 1
        elif on.new is not None:
            unavailable += not on.new
        elif on.old:
            candidates.append(index)
        else:
            broken.append(index)
            unavailable += 1
    return Replacement(tuple(broken), tuple(lost), tuple(candidates) if unavailable < most else ())


def _surging(most: int, nodes: Sequence[OnNode]) -> Replacement:
    surging = 0
    delete: list[int] = []
    create: list[int] = []
    candidates: list[int] = []
    for index, on in enumerate(nodes):
        if on.old is None:
            if on.new is None and not on.leaving:
                create.append(index)
        elif on.new is None:
            (candidates if on.old else create).append(index)
        elif on.new:
            delete.append(index)
        else:
            surging += 1
    return Replacement(tuple(delete), tuple(create), (), tuple(candidates) if surging < most else ())


class DaemonPods(Value):
    """The state machine of a DaemonSet with one pod for each of its nodes; `new` is -1 without a rollout.

    On the nodes of `left` it must have no pod any more. On those of `stays` it creates none, and deletes an old pod in
    its turn. `on`, `off` and `aside` are the positions of the nodes of `nodes`, `left` and `stays`.
    """

    name: str
    strategy: DaemonSetStrategy
    nodes: tuple[str, ...]
    old: int
    new: int = -1
    left: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    on: tuple[int, ...] = ()
    off: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its old pods and, in a rollout, of its new pods."""
        return (self.old,) if self.new < 0 else (self.old, self.new)

    @property
    def rolls(self) -> bool:
        """Whether there is a new template."""
        return self.new >= 0

    @property
    def replicas(self) -> int:
        """Always 0: a DaemonSet counts nodes."""
        return 0

    @property
    def node_sets(self) -> tuple[tuple[str, ...], ...]:
        """The nodes where it creates pods, where it deletes them, and where it leaves them."""
        return self.nodes, self.left, self.stays

    def begin(self) -> Control:
        """The empty control: a DaemonSet writes nothing."""
        return ()

    def located(self, positions: Mapping[str, int]) -> DaemonPods:
        """The same DaemonSet with the positions of its nodes."""
        on, off, aside = (
            tuple(sorted(positions[name] for name in names if name in positions))
            for names in (self.nodes, self.left, self.stays)
        )
        return replace(self, on=on, off=off, aside=aside)

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """Create missing pods, and replace old pods within the bounds."""
        if self.new < 0:
            told = Action(control, "creates a pod in place of one that is gone", create=(self.old, 1))
            yield from self._each(told, self._empty(seen))
            return
        # a node that gets no pod any more counts as long as there is one
        at = [*self.on, *(index for index in self.aside if self._on(seen.nodes[index]) != OnNode())]
        there = [self._on(seen.nodes[index]) for index in at]
        if self.strategy.on_delete:
            found = Replacement(create=tuple(place for place, one in enumerate(there) if one == OnNode()))
        else:
            found = sync(resolve(self.strategy, len(self.on)), there)
        creates = Action(control, "creates a new pod", create=(self.new, 1))
        deletes = Action(control, "deletes the old pod", delete=(self.old, 1))
        yield from self._each(deletes, [index for index in self.off if self._on(seen.nodes[index]).old is not None])
        yield from self._each(creates, [at[place] for place in found.create])
        yield from self._each(deletes, [at[place] for place in found.delete])
        yield from self._each(deletes, [at[place] for place in found.delete_one_of])
        yield from self._each(creates, [at[place] for place in found.create_one_of])

    def done(self, _control: Control, seen: Census) -> bool:
        """Whether every node has an available new pod; old pods remain only on nodes that get no new one.

        Without a rollout, or with OnDelete: whether every node has an available pod.
        """
        if self.new < 0 or self.strategy.on_delete:
            return sum(seen.ready(kind) for kind in self.kinds) >= len(self.on)
        aside = sum(self._on(seen.nodes[index]).old is not None for index in self.aside)
        return seen.active(self.old) == aside and seen.ready(self.new) >= len(self.on)

    def _each(self, change: Action, nodes: list[int]) -> Iterator[Action]:
        return (replace(change, node=index) for index in nodes)

    def _empty(self, seen: Census) -> list[int]:
        return [index for index in self.on if not any(kind == self.old for kind, _, _ in seen.nodes[index])]

    def _on(self, content: Content) -> OnNode:
        old: bool | None = None
        new: bool | None = None
        leaving = False
        for kind, phase, _ in content:
            if kind not in self.kinds:
                continue
            if phase in GOING:
                leaving = True
            elif kind == self.old:
                old = phase == READY
            else:
                new = phase == READY
        return OnNode(old, new, leaving)


def kept_daemon_pods(name: str, nodes: tuple[str, ...], kind: int) -> DaemonPods:
    """A DaemonSet of which only its pods are known: each is recreated on its node."""
    return DaemonPods(name, DaemonSetStrategy(), nodes, kind)


class DaemonSetController(ReplicaSetController):
    """The controller of a DaemonSet."""

    strategy: DaemonSetStrategy
    node_bound = True
    rolls = True
    revision_kind = "ControllerRevision"
    has_scale = False

    def pod(self, revision: str, name: str = "") -> Pod:
        """Return a pod as the controller creates it for a node, with the label `controller-revision-hash`."""
        pod = self.workload.pod(name or self.workload.meta.name)
        spread = spread_on_own_node(pod.spec.spread)
        return with_revision(
            replace(pod, spec=replace(pod.spec, tolerations=tolerations(pod.spec), spread=spread)), revision
        )

    def surge(self, replicas: int) -> int:
        """On how many of `replicas` nodes an old and a new pod can run at the same time."""
        return resolve(self.strategy, replicas).surge

    def unavailable(self, replicas: int) -> int:
        """On how many of `replicas` nodes the pod may be unavailable."""
        return resolve(self.strategy, replicas).unavailable

    def keeps_until_ready(self, replicas: int) -> bool:
        """Whether a new pod must be available first: true with `maxSurge`."""
        return self.surge(replicas) > 0

    def places_needed(self, replicas: int) -> int:
        """One more than `replicas` with `maxSurge`: one node must take both pods."""
        return replicas + int(self.surge(replicas) > 0)

    @property
    def replaced_by_hand(self) -> Workload | None:
        """The workload without OnDelete, with all pods replaced at once."""
        if not self.strategy.on_delete:
            return None
        most = IntOrPercent(100, percent=True)
        strategy = replace(self.strategy, on_delete=False, max_surge=IntOrPercent(0), max_unavailable=most)
        return replace(self.workload, strategy=strategy)

    def add_rolling(self, builder: PodTypeBuilder) -> None:
        """Add the old pod of each node, and the new ones, none of which exists yet."""
        change = builder.change
        old = self._old(builder, change.standing)
        builder.not_ready(old, [pod for pod in change.running if pod.spec.node_name in change.standing])
        new = builder.pod_type(builder.new_pod(), 0, new=True, pinned=True)
        builder.add(DaemonPods(change.new.key, self.strategy, change.nodes, old, new, change.left, change.stays))

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """Add the pod of each node.

        A new DaemonSet has none yet with `scaling`; lost pods get the new template with OnDelete.
        """
        change = builder.change
        if self.strategy.on_delete and ((scaling and change.moved) or (change.known and change.rolls)):
            self.add_rolling(builder)
            return
        old = self._old(builder, () if scaling and not change.existing else change.standing)
        makes = tuple(name for name in change.standing if name not in change.stays)
        builder.add(DaemonPods(change.new.key, self.strategy, makes, old))

    def _old(self, builder: PodTypeBuilder, there: Sequence[str]) -> int:
        sure = None if builder.change.existing else 0
        old = builder.pod_type(builder.old_pod(), len(there), (), sure, pinned=True)
        builder.at(old, there)
        return old
