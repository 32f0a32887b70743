"""A ReplicaSet creates what is missing and deletes what is too much, and nobody makes a bare pod again."""

from __future__ import annotations

import pytest

from kubelint_gpu.simulation.controllers.reconciler import Control
from kubelint_gpu.simulation.controllers.replica_set import KeepsReplicas, keep


class Seen:
    """So many pods of one kind."""

    def __init__(self, active, ready=0):
        self._active, self._ready = active, ready

    def active(self, _kind):
        return self._active

    def ready(self, _kind):
        return self._ready


@pytest.mark.parametrize(
    ("active", "wanted", "told"),
    [
        (0, 1, "creates 1 pod of web"),
        (1, 4, "creates 3 pods of web"),
        (3, 1, "deletes 2 pods of web"),
        (2, 1, "deletes a pod of web"),
        (2, 2, None),
    ],
)
def test_the_missing_pods_are_created_and_the_surplus_deleted_at_once(active, wanted, told):
    found = list(keep(0, wanted, Control(), Seen(active), (0,), "web"))
    assert [one.what for one in found] == ([told] if told else [])


def test_it_is_done_when_all_replicas_are_ready():
    keeps = KeepsReplicas("web", 0, 2)
    assert not keeps.done(Control(), Seen(2, ready=1))
    assert keeps.done(Control(), Seen(2, ready=2))
    assert keeps.kinds == (0,)
    assert not keeps.rolls


class SeenOf:
    """So many pods of each kind, all of them ready."""

    def __init__(self, *numbers):
        self._numbers = numbers

    def active(self, kind):
        return self._numbers[kind]

    ready = active


@pytest.mark.parametrize(
    ("others", "again", "acts"),
    [
        (2, 0, []),
        (1, 0, ["create"]),
        (1, 2, ["delete (1, 1)"]),
        (3, 0, ["delete (0, 1)"]),
        (0, 2, []),
        (4, 0, ["delete (0, 2)"]),
    ],
)
def test_what_is_lost_comes_back_as_it_is_admitted_now(others, again, acts):
    keeps = KeepsReplicas("web", 1, 2, (0,))
    found = list(keeps.actions(Control(), SeenOf(others, again)))
    assert [f"delete {one.delete}" if one.create is None else "create" for one in found] == acts
    assert all(one.create in (None, (1, 1)) for one in found)
    assert keeps.done(Control(), SeenOf(others, again)) is (others + again >= 2)
