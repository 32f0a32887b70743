"""A rollout as states and steps: the next events of controllers, scheduler and kubelets, in every order.

A ReplicaSet with too many pods ranks them once, and then deletes all surplus pods: unassigned pods first, then those
that are not ready, then those on the nodes with the most pods of its family. Behaviour: pkg/controller/replicaset
(`getPodsToDelete`) and pkg/controller/controller_utils.go (`ActivePodsWithRanks`), 1.34.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate

from kubelint_gpu.budget import STEPS
from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.controllers.reconciler import Action, PodType, Reconciler
from kubelint_gpu.simulation.controllers.rollout_state import (
    AWAITED,
    EVICTED,
    GOING,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    UNBOUND,
    Census,
    Content,
    State,
    census,
    more,
    on_node,
)
from kubelint_gpu.simulation.model.oracle import ClusterOracle
from kubelint_gpu.simulation.model.preemptions import Eviction
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

Slot = tuple[int, int, int]
"""Pods of one kind: (node, phase, count); the node is -1 for those that wait for any."""


def deletions(state: State, change: Action, classes: Sequence[int], *, ranked: bool) -> Iterator[tuple[Slot, ...]]:
    """Yield every choice of pods that an action can delete; among equal nodes, only the first ones.

    `classes` has the class number of each node. With `ranked`, any bound pod can be the first to go.
    """
    kind, count = change.delete or (-1, 0)
    tiers: dict[tuple[int, int], list[Slot]] = {}
    if change.node < 0 and state.waiting[kind]:
        tiers[0, 0] = [(-1, UNBOUND[0], state.waiting[kind])]
    for node in range(len(state.nodes)) if change.node < 0 else (change.node,):
        content = state.nodes[node]
        for found, phase, there in content:
            if found == kind and phase not in GOING:
                level = 0 if phase in UNBOUND else 1 if ranked or phase != READY else 2
                rank = level, -_family(content, change.family) * (level > 1)
                tiers.setdefault(rank, []).append((node, phase, there))
    sure: tuple[Slot, ...] = ()
    for _, tier in sorted(tiers.items()):
        there = sum([slot[2] for slot in tier])
        if there > count:
            for chosen in _choices(_by_equality(tier, state, classes), count):
                yield (*sure, *chosen)
            return
        sure, count = (*sure, *tier), count - there
    yield sure


def without(state: State, kind: int, deleted: tuple[Slot, ...]) -> State:
    """The state after pods of a kind are deleted: running ones are terminating."""
    waiting, nodes = state.waiting, state.nodes
    for node, phase, count in deleted:
        if node < 0:
            waiting = more(waiting, kind, -count)
        else:
            leaving = () if phase in UNBOUND else ((kind, LEAVING, count),)
            nodes = on_node(nodes, node, (kind, phase, -count), *leaving)
    return State(state.controls, waiting, nodes, state.held, state.bindings)


def _family(content: Content, family: tuple[int, ...]) -> int:
    return sum([count for kind, phase, count in content if kind in family and phase not in (*UNBOUND, *GOING)])


def _by_equality(tier: Sequence[Slot], state: State, classes: Sequence[int]) -> list[tuple[Hashable, Slot]]:
    """The slots with a key that only equal slots share; equal slots are adjacent."""
    slots = Counter(node for node, _, _ in tier)

    def key(node: int, phase: int) -> Hashable:
        if node < 0 or slots[node] > 1:
            return node, phase
        return classes[node], state.nodes[node], state.held and state.held.on_nodes[node]

    alike = grouped((key(slot[0], slot[1]), slot) for slot in tier)
    return [(same, slot) for same, members in alike.items() for slot in members]


def _choices(slots: Sequence[tuple[Hashable, Slot]], count: int) -> Iterator[tuple[Slot, ...]]:
    """Yield every way to take `count` pods from the slots; no slot gives more than an equal slot before it."""
    room = [*accumulate((there for _, (_, _, there) in reversed(slots)), initial=0)][::-1]
    # for each slot where those end that are equal to it
    ends = [*range(1, len(slots) + 1)]
    for place in range(len(slots) - 2, -1, -1):
        ends[place] = ends[place + 1] if slots[place][0] == slots[place + 1][0] else place + 1
    taken: list[int] = []
    left = count
    while True:
        while left:
            charge(1)
            same, (_, _, there) = slots[len(taken)]
            equal = bool(taken) and same == slots[len(taken) - 1][0]
            taken.append(min(left, taken[-1] if equal else there))
            left -= taken[-1]
        chosen = zip(slots, taken, strict=False)
        yield tuple([(node, phase, number) for (_, (node, phase, _)), number in chosen if number])
        # the last slot of which one less may be taken, as those after it have enough
        while taken:
            fewer = taken.pop() - 1
            left += fewer + 1
            end = ends[len(taken)]
            if fewer >= 0 and left <= fewer * (end - len(taken)) + room[end]:
                break
        else:
            return
        taken.append(fewer)
        left -= fewer


class Step(Value):
    """One event.

    `act` is `control`, `create`, `delete`, `bind`, `preempt`, `release`, `add`, `ready`, `gone`, `finish` or
    `deallocate`. `release` removes a nomination; `add` is a node that joins.
    `node` is a position in the state before the step, or -1; `home` is the node that the pod was nominated to.
    `deleted` are the pods that a `delete` takes, as (node, phase, count), with node -1 for waiting pods.
    """

    act: str
    reconciler: int = -1
    kind: int = -1
    node: int = -1
    count: int = 0
    what: str = ""
    phase: int = -1
    victims: tuple[tuple[int, int], ...] = ()
    by: str = ""
    home: int = -1
    deleted: tuple[Slot, ...] = ()


class Model(Value):
    """Everything that takes part in one exploration. `joins` says whether an autoscaler may add nodes."""

    kinds: tuple[PodType, ...]
    reconcilers: tuple[Reconciler, ...]
    places: ClusterOracle
    joins: bool = True

    def successors(self, state: State, evicts: dict[str, State] | None = None) -> list[State]:
        """The states that are one event away, in canonical form, each once.

        `evicts` is filled: for each owner of evicted pods, the first state before such an eviction.
        """
        seen = {state: None}
        canonical = self.places.canonical
        each = len(state.nodes) // STEPS.successor
        for step, following in self.steps(state):
            charge(each)
            seen.setdefault(canonical(following))
            if evicts is not None and step.victims:
                for owner in self.evicted(step):
                    evicts.setdefault(owner, state)
        del seen[state]
        return list(seen)

    def done(self, state: State, name: str = "") -> bool:
        """Whether every rollout is complete; with `name`, whether this workload is in its desired state."""
        seen = census(state)
        return all(
            reconciler.done(control, seen)
            for reconciler, control in zip(self.reconcilers, state.controls, strict=True)
            if (reconciler.name == name if name else reconciler.rolls)
        )

    def steps(self, state: State) -> Iterator[tuple[Step, State]]:
        """Yield every event that can happen next; among equal nodes only the first is tried."""
        charge(2 + len(state.nodes) // 2 + len(state.waiting) // 8)
        seen = census(state)
        for number, reconciler in enumerate(self.reconcilers):
            for change in reconciler.actions(state.controls[number], seen):
                yield from self._controlled(state, number, change)
        for kind, count in enumerate(state.waiting):
            if count:
                yield from self._attempt(state, kind, -1, -1)
        for index in self.distinct(state):
            for kind, phase, _ in state.nodes[index]:
                if kind >= 0 and phase in UNBOUND:
                    yield from self._attempt(state, kind, index, phase)
        yield from self._kubelets(state, seen)
        if self.places.devices is not None and state.held is not None:
            for held in self.places.devices.deallocated(state, state.held):
                yield Step("deallocate"), state._replace(held=held)

    def distinct(self, state: State, among: Iterable[int] | None = None) -> Iterator[int]:
        """Yield one node for each class, content and devices. `among` is read lazily."""
        nodes, held = state.nodes, state.held
        tried: set[tuple[int, Content, Content]] = set()
        for index in range(len(nodes)) if among is None else among:
            number = self.places.class_of[index]
            if len(self.places.classes[number]) == 1:
                yield index
                continue
            looks = number, nodes[index], () if held is None else held.on_nodes[index]
            if looks not in tried:
                tried.add(looks)
                yield index

    def _controlled(self, state: State, number: int, change: Action) -> Iterator[tuple[Step, State]]:
        controls = (*state.controls[:number], change.control, *state.controls[number + 1 :])
        after = state._replace(controls=controls)
        if change.create is not None:
            kind, wanted = change.create
            charged = self.places.is_charged(kind)
            if charged and not self.places.may_create(kind, after):
                return
            # where a quota counts, two owners may race for what is left of it, pod by pod
            created = 1 if charged else wanted
            if change.node >= 0:
                after = after._replace(nodes=on_node(after.nodes, change.node, (kind, AWAITED, 1)))
            else:
                after = after._replace(waiting=more(after.waiting, kind, created))
            step = Step("create", number, kind, change.node, count=created, what=change.what, by=change.by)
            for bindings in self.places.volumes.made(kind, after.bindings):
                yield step, after.bound(bindings)
        elif change.delete is not None:
            ranked = self.kinds[change.delete[0]].ranked
            for deleted in deletions(after, change, self.places.class_of, ranked=ranked):
                step = Step("delete", number, change.delete[0], what=change.what, by=change.by, deleted=deleted)
                yield step, without(after, step.kind, deleted)
        else:
            yield Step("control", number, what=change.what, by=change.by), after

    def _attempt(self, state: State, kind: int, home: int, phase: int) -> Iterator[tuple[Step, State]]:
        """The steps if the scheduler tries one waiting pod. Back-off decides which pod is next, so it can be any."""
        pinned = self.kinds[kind].pinned
        nominated = home if phase == NOMINATED else -1
        mine = None if nominated < 0 else nominated
        fitting = tuple(self.places.fitting(kind, state, mine))
        if home >= 0:
            fitting = (home,) if home in fitting else () if pinned else fitting
            out = state._replace(nodes=on_node(state.nodes, home, (kind, phase, -1)))
        else:
            out = State(state.controls, more(state.waiting, kind, -1), state.nodes, state.held, state.bindings)
        if fitting:
            for index in self.distinct(state, fitting):
                nodes = on_node(out.nodes, index, (kind, STARTING, 1))
                bindings = self.places.state_pods.bound(kind, index, state)
                for held in self.places.reserved(kind, index, state, mine):
                    bound = State(out.controls, out.waiting, nodes, held, bindings)
                    yield Step("bind", kind=kind, node=index, home=nominated), bound
            return
        if self.joins and not pinned:
            for index in self.distinct(state, self.places.additions(kind, state)):
                nodes = (*state.nodes[:index], (), *state.nodes[index + 1 :])
                yield Step("add", kind=kind, node=index), state._replace(nodes=nodes)
        evictions = self.places.evictions(kind, state, mine, home if pinned else None)
        if evictions:
            for eviction in evictions:
                yield self._evicted(out, kind, nominated, eviction)
        elif evictions is not None and phase == NOMINATED:
            if pinned:
                back = out._replace(nodes=on_node(out.nodes, home, (kind, AWAITED, 1)))
            else:
                back = out._replace(waiting=more(out.waiting, kind, 1))
            yield Step("release", kind=kind, node=home), back

    def _evicted(self, out: State, kind: int, home: int, eviction: Eviction) -> tuple[Step, State]:
        nodes, waiting, node = out.nodes, out.waiting, eviction.node
        for victim, phase in eviction.victims:
            if phase not in GOING:
                nodes = on_node(nodes, node, (victim, phase, -1), (victim, EVICTED, 1))
        # a pod of lower priority that was nominated there is tried anew
        for other, phase, count in nodes[node]:
            if phase == NOMINATED and self.kinds[other].priority < self.kinds[kind].priority:
                back = ((other, AWAITED, count),) if self.kinds[other].pinned else ()
                nodes = on_node(nodes, node, (other, NOMINATED, -count), *back)
                waiting = waiting if back else more(waiting, other, count)
        nodes = on_node(nodes, node, (kind, NOMINATED, 1))
        step = Step("preempt", kind=kind, node=node, victims=eviction.victims, home=home)
        return step, State(out.controls, waiting, nodes, out.held, out.bindings)

    def _kubelets(self, state: State, seen: Census) -> Iterator[tuple[Step, State]]:
        for index in self.distinct(state):
            for kind, phase, _ in state.nodes[index]:
                if phase == STARTING and self.places.volumes.starts(kind, index, state):
                    nodes = on_node(state.nodes, index, (kind, STARTING, -1), (kind, READY, 1))
                    after = State(state.controls, state.waiting, nodes, state.held, state.bindings)
                    yield Step("ready", kind=kind, node=index), after
                elif phase in GOING:
                    nodes = on_node(state.nodes, index, (kind, phase, -1))
                    for held in self.places.released(kind, index, state):
                        after = State(state.controls, state.waiting, nodes, held, state.bindings)
                        yield Step("gone", kind=kind, node=index, phase=phase), after
                elif phase == READY and self.kinds[kind].whole:
                    if seen.ready(kind) >= self.kinds[kind].whole:
                        nodes = tuple([tuple([one for one in content if one[0] != kind]) for content in state.nodes])
                        held = self.places.released_all((kind,), state)
                        yield Step("finish", kind=kind, node=index), state._replace(nodes=nodes, held=held)
                elif phase == READY and self.kinds[kind].temporary:
                    nodes = on_node(state.nodes, index, (kind, READY, -1))
                    for held in self.places.released(kind, index, state):
                        yield Step("finish", kind=kind, node=index), state._replace(nodes=nodes, held=held)

    def evicted(self, step: Step) -> tuple[str, ...]:
        """The owners of the pods that a step evicts, without the owner of the preempting pod."""
        owners = [self.kinds[victim].owner for victim, _ in step.victims]
        return tuple(dict.fromkeys(owner for owner in owners if owner != self.kinds[step.kind].owner))
