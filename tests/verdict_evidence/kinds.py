"""Kinds of evidence: each shows one verdict, and holds only what the checker cannot work out by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kubelint_gpu.simulation.controllers.rollout_state import State
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.values import Value


class Infeasible(Value):
    """No state in which nothing moves has a pending pod of the workloads: others cannot keep it off every node.

    `refusing` says for each of them, and each resource, on how many nodes too little of it can be left at most.
    """

    refusing: Mapping[int, Mapping[str, int]]


class EachNode(Value):
    """A DaemonSet's new pod fits on each of its nodes, beside the old one where that waits for it."""


class InPlace(Value):
    """All pods of a workload run, and on each of their nodes a new one fits where an old one was."""

    simulation: Simulation
    state: State


class KeptPods(Value):
    """What all workloads keep at every moment leaves no place for a new pod, or none for so many as are wanted."""


class Counted(Value):
    """So many places there are for the pods of a workload, node by node."""

    places: Mapping[str, int]


class LeftOut(Value):
    """A placement of all pods in which one of the workload waits, and no node takes it."""

    simulation: Simulation
    state: State


class Closed(Value):
    """States that no event leaves, the starts among them.

    `nearer` is, for each state from which the end can be reached, the number of one that is an event nearer to it, its
    own number where it is the end; -1 for any other.
    """

    simulation: Simulation
    ends: str
    starts: tuple[State, ...]
    states: tuple[State, ...]
    nearer: tuple[int, ...]


class Runs(Value):
    """A run that comes to its end, and one to a state from which none does, with all that can follow it."""

    simulation: Simulation
    ends: str
    ended: tuple[State, ...]
    stuck: tuple[State, ...]
    after: Closed | None


Evidence: TypeAlias = "Infeasible | EachNode | InPlace | KeptPods | Counted | LeftOut | Closed | Runs"
