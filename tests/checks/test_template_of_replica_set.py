"""A ReplicaSet makes pods of the template that it has then, and leaves those that run as they are."""

from __future__ import annotations

import pytest
from change_cases import found, inventory, made


def replica_set(replicas, gpus):
    return made("web", "", replicas=replicas, gpus=gpus, kind="ReplicaSet")


@pytest.mark.parametrize(
    ("before", "after", "free", "says"),
    [
        ((2, 1), (2, 2), 2, []),
        ((1, 1), (2, 2), 3, []),
        ((1, 1), (2, 2), 2, ["only 1 of 2 replicas can run"]),
        ((2, 2), (3, 1), 5, []),
    ],
)
def test_only_pods_that_are_missing_are_of_the_new_template(before, after, free, says):
    told = found(replica_set(*before), replica_set(*after), inventory(free))
    assert [message.partition(":")[0] for _, _, message in told] == says
