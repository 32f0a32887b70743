"""What a state counts."""

from __future__ import annotations

from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    State,
    census,
)


def test_a_node_that_is_not_there_holds_nothing():
    assert census(State((), (0,), (ABSENT,))).remaining(0) == 0
