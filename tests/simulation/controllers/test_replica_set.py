"""Which pod of a ReplicaSet goes first: the table, with the numbers written here."""

from __future__ import annotations

from kubelint_gpu.simulation.controllers.replica_set import Rank, deletion_key

ORDER = [
    Rank(assigned=False, phase="Pending", ready=False),
    Rank(phase="Pending", ready=False),
    Rank(phase="Unknown", ready=False),
    Rank(ready=False),
    Rank(cost=-1),
    Rank(crowd=3),
    Rank(crowd=2),
    Rank(ready_seconds=3),
    Rank(ready_seconds=100, restarts=5),
    Rank(ready_seconds=100, restarts=1, age_seconds=10),
    Rank(ready_seconds=100, restarts=1, age_seconds=10_000),
]


def test_a_replica_set_deletes_in_the_order_of_the_table():
    assert sorted([*ORDER[5:], *ORDER[:5]], key=deletion_key) == ORDER


def test_a_pending_pod_goes_before_any_that_runs_whatever_its_cost():
    pending = Rank(assigned=False, phase="Pending", ready=False, cost=100)
    assert deletion_key(pending) < deletion_key(Rank(cost=-100))


def test_ages_are_compared_by_their_power_of_two():
    assert deletion_key(Rank(ready_seconds=70)) == deletion_key(Rank(ready_seconds=100))
    assert deletion_key(Rank(ready_seconds=63)) < deletion_key(Rank(ready_seconds=64))
