"""Replays a path of the explorer step by step with real nodes, and lets the scheduler core check each step.

If the core does not confirm a path on the whole cluster, this program has an error: the path is never reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.scheduler import Snapshot, fit, preempt
from kubelint_gpu.simulation.controllers.rollout_state import GOING, NOMINATED, State
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.model.transition_system import Step
from kubelint_gpu.simulation.search.blocked import BlockedPods
from kubelint_gpu.simulation.search.concretize import arranged
from kubelint_gpu.simulation.search.frames import Played
from kubelint_gpu.simulation.search.narrate import Narration
from kubelint_gpu.simulation.search.trace import Evicted, Trace, TraceStep

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.device import DeviceID


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
