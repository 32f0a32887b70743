"""Replays a path of the explorer step by step with real nodes, and lets the scheduler core check each step.

If the core does not confirm a path on the whole cluster, this program has an error: the path is never reported.
Of equal nodes, those of the inventory come first, then the first by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.scheduler import Snapshot, fit, preempt
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    BROKEN,
    GOING,
    NOMINATED,
    READY,
    Content,
    State,
    count_on,
)
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.model.transition_system import Step
from kubelint_gpu.simulation.search.blocked import BlockedPods
from kubelint_gpu.simulation.search.narrate import Narration
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Evicted, Played, Trace, TraceStep, Waiting
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.device import DeviceID


def arranged(simulation: Simulation, state: State) -> State:
    """The same moment with known pods on their nodes of the inventory."""
    names = simulation.places.names
    known: dict[str, dict[int, int]] = {}
    for kind, name in simulation.pod_types.homes:
        here = known.setdefault(name, {})
        here[kind] = here.get(kind, 0) + 1
    order: list[int] = []
    for members in simulation.places.classes:
        places = sorted(members, key=lambda place: (_is_last(state.nodes[place]), state.nodes[place]))
        wanted = [known.get(name, {}) for name in names[members.start : members.stop]]
        order += [places[place] for place in _matched(wanted, [state.nodes[place] for place in places])]
    held = state.held
    if held is not None:
        held = held._replace(on_nodes=tuple([held.on_nodes[place] for place in order]))
    return State(state.controls, state.waiting, tuple([state.nodes[place] for place in order]), held, state.bindings)


def _is_last(content: Content) -> int:
    """A sort key: empty nodes come last, and after them nodes that have not joined yet."""
    return 2 if content == ABSENT else 0 if content else 1


def _matched(wanted: Sequence[dict[int, int]], contents: Sequence[Content]) -> list[int]:
    """For each node, the position of a content with all its known pods; among equals, the first one."""
    holder: list[int] = [-1] * len(contents)

    def assign(node: int, tried: set[int]) -> bool:
        for place, content in enumerate(contents):
            if place in tried or any(
                count_on(content, kind, READY, BROKEN) < count for kind, count in wanted[node].items()
            ):
                continue
            tried.add(place)
            if holder[place] < 0 or assign(holder[place], tried):
                holder[place] = node
                return True
        return False

    particular = [node for node, pods in enumerate(wanted) if pods]
    if not all(assign(node, set()) for node in particular):
        return list(range(len(contents)))
    found = {node: place for place, node in enumerate(holder) if node >= 0}
    left = iter([place for place in range(len(contents)) if holder[place] < 0])
    return [found[node] if node in found else next(left) for node in range(len(wanted))]


class ReplayMismatch(AssertionError):  # noqa: N818 - it says what happened
    """The scheduler core does not confirm a step of the search."""


def replay(
    simulation: Simulation, path: Sequence[State], cluster: Cluster, base: Snapshot | None = None, *, ends: bool = True
) -> Trace:
    """Replay a path on the whole cluster; `ends` says that a pod waits for ever at its end.

    `base` is the snapshot of the cluster, if there already is one.

    Raises:
        ReplayMismatch: the core does not confirm a step.
    """
    return _Replay(simulation, cluster, base).run(path, ends)


class _Replay:
    def __init__(self, simulation: Simulation, cluster: Cluster, base: Snapshot | None) -> None:
        self._scene = simulation
        self._kinds = simulation.pod_types.kinds
        self._telling = Narration(simulation, cluster, base)
        self._cluster = cluster
        self._evicted: dict[str, None] = {}
        self._evictions: list[Evicted] = []
        self._added: dict[str, None] = {}

    def run(self, path: Sequence[State], ends: bool) -> Trace:
        telling = self._telling
        state = arranged(self._scene, path[0])
        states = [state]
        steps = [TraceStep("start", telling.opening(state))]
        for target in path[1:]:
            step, following = self._advance(state, target)
            self._confirm(step, state)
            if step.act == "preempt":
                self._note(step, state)
            elif step.act == "add":
                self._added.setdefault(self._scene.places.names[step.node])
            steps.append(telling.told(step, following))
            state = following
            states.append(state)
        waiting = BlockedPods(self._scene, telling).waiting(state) if ends else ()
        steps += [telling.ending(one) for one in waiting if one.scheduler or one.refusal]
        simulation, cluster = self._scene, self._cluster
        nodes = (*cluster.nodes, *simulation.added.nodes)
        played = Played(
            tuple(states),
            simulation.pod_types.kinds,
            simulation.pod_types.reconcilers,
            simulation.places.names,
            nodes,
            cluster,
            tuple(map(self._devices, states)),
        )
        return Trace(tuple(steps), waiting, tuple(self._evicted), tuple(self._evictions), tuple(self._added), played)

    def _devices(self, state: State) -> dict[tuple[int, int, int], list[DeviceID]]:
        """The allocated devices in a state, by node, kind and phase."""
        pods = self._scene.places.state_pods.placed(state) if state.held is not None else ()
        return grouped(((index, kind, phase), one) for index, kind, phase, pod in pods for one in held_devices(pod))

    def _advance(self, state: State, target: State) -> tuple[Step, State]:
        for step, following in self._scene.model.steps(state):
            if self._scene.places.canonical(following) == target:
                return step, following
        raise ReplayMismatch("no event leads from one state of the path to the next")

    def _confirm(self, step: Step, state: State) -> None:
        if step.act not in ("bind", "preempt"):
            return
        snapshot = self._facing(state, step)
        name = self._scene.places.names[step.node]
        pinned = step.node if self._kinds[step.kind].pinned else None
        pod = self._scene.places.state_pods.incoming(step.kind, only=pinned)
        result = fit(pod, snapshot)
        if step.act == "bind":
            if name not in result.takers:
                raise ReplayMismatch(f"the pod does not fit on {name}")
            return
        if result.schedulable or not any(
            name == node.name
            for found in preempt(pod, snapshot, result).outcomes
            if found.status is None
            for node in found.nodes
        ):
            raise ReplayMismatch(f"preemption does not choose {name}")

    def _facing(self, state: State, step: Step) -> Snapshot:
        """The whole cluster from the view of the step's pod: without itself and the pods that wait behind it.

        For a bound pod, of the nominated pods only those on its node count.
        """
        mine = self._kinds[step.kind]
        nodes = []
        for index, content in enumerate(state.nodes):
            seen = []
            for other, phase, count in content:
                left = count
                if phase == NOMINATED:
                    elsewhere = step.act == "bind" and index != step.node
                    if elsewhere or self._kinds[other].priority < mine.priority:
                        continue
                    left -= other == step.kind and index == step.home
                if left:
                    seen.append((other, phase, left))
            nodes.append(tuple(seen))
        return self._telling.snapshot(State(state.controls, state.waiting, tuple(nodes), state.held, state.bindings))

    def _note(self, step: Step, state: State) -> None:
        """Record the cost of a preemption, and the budgets that it violates."""
        snapshot = self._telling.snapshot(state)
        preemptor = self._kinds[step.kind]
        victims = summed((kind, 1) for kind, phase in step.victims if phase not in GOING)
        broken = []
        for budget in snapshot.cluster.disruption_budgets:
            hit = sum(count for kind, count in victims.items() if budget.restrains_preemption(self._kinds[kind].pod))
            if hit and hit > allowed_disruptions(budget, snapshot.pods):
                broken.append(budget)
        for kind, count in sorted(victims.items()):
            victim = self._kinds[kind]
            self._evicted.setdefault(victim.owner)
            self._evictions.append(
                Evicted(
                    victim.owner,
                    victim.priority,
                    self._scene.places.names[step.node],
                    count,
                    preemptor.owner,
                    preemptor.priority,
                    tuple(one.meta.name for one in broken if one.restrains_preemption(victim.pod)),
                    victim.reconciler < 0 and not victim.temporary,
                )
            )


def left_out(situation: Situation, simulation: Simulation, state: State, name: str) -> Waiting | None:
    """What a pod of a workload waits for in a state in which it finds no node; None if it has one."""
    fixed = tuple(pod for pod in situation.fixed if pod.identifier not in simulation.in_play)
    lacks = BlockedPods(simulation, Narration(simulation, replace(situation.cluster, pods=fixed)))
    return next((one for one in lacks.waiting(arranged(simulation, state), name) if one.owner == name), None)
