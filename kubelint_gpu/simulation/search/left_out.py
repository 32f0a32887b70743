"""What the pods wait for that have no node in a state."""

from __future__ import annotations

from kubelint_gpu.simulation.controllers.rollout_state import State
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.search.blocked import BlockedPods
from kubelint_gpu.simulation.search.concretize import arranged
from kubelint_gpu.simulation.search.narrate import Narration
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.values import replace


def left_out(situation: Situation, simulation: Simulation, state: State, name: str) -> Waiting | None:
    """What a pod of a workload waits for in a state in which it finds no node; None if it has one."""
    fixed = tuple(pod for pod in situation.fixed if pod.identifier not in simulation.in_play)
    lacks = BlockedPods(simulation, Narration(simulation, replace(situation.cluster, pods=fixed)))
    return next((one for one in lacks.waiting(arranged(simulation, state), name) if one.owner == name), None)
