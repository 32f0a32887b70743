"""Who decides what becomes of a rollout, in the order in which they are asked: bounds first, the search at last."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import (
    applied,
    change_set,
    counting,
    exhaustive,
    in_place_replacement,
    per_node,
    quiescence,
    room,
    shortage,
)
from kubelint_gpu.simulation.bounds.question import Decider

AT_ONCE: tuple[Decider, ...] = (
    Decider("room", room.always),
    Decider("room-at-rest", room.at_rest),
    Decider("counting-shares", change_set.by_counting),
    Decider("shortage-by-sum", shortage.by_sum),
    Decider("quiescence-at-once", quiescence.at_once),
)
"""Deciders that hold whatever else is known to change at the same moment."""
ALONE: tuple[Decider, ...] = (
    Decider("per-node", per_node.decide),
    Decider("counting-nodes", counting.decide),
    Decider("shortage-alone", shortage.alone),
    Decider("shortage-at-last", shortage.at_last),
    Decider("in-place-replacement", in_place_replacement.decide),
    Decider("quiescence", quiescence.decide),
    Decider("search", exhaustive.decide),
)
"""Deciders of a rollout while all others stay as they are; the last one always answers."""
AT_LAST: tuple[Decider, ...] = (
    Decider("shortage-alone", shortage.alone),
    Decider("some-runs", applied.told_by_some),
    Decider("shortage-at-worst", shortage.at_worst),
)
"""Deciders that are asked where all runs are too much work."""
