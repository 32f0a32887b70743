"""Why the old pods of a rollout stay, in the numbers of its controller."""

from __future__ import annotations

import pytest
from rollout_objects import deployment, recreated, workload

from kubelint_gpu.messages.kept_pods import keeping, numbers


@pytest.mark.parametrize(
    ("one", "clause"),
    [
        (deployment(replicas=1), "the old pod is kept until the new one is available"),
        (deployment(replicas=3), "the old pods are kept until the new one is available"),
        (deployment(replicas=8), "no more than 2 of 8 pods may be unavailable"),
        (recreated(replicas=3), "nothing is left that could make room for it"),
        (workload("StatefulSet"), "the StatefulSet controller goes on only when it is available"),
        (
            workload("DaemonSet", update={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}),
            "the old pod is kept until the new one is available",
        ),
    ],
)
def test_the_clause_says_what_the_controller_waits_for(one, clause):
    assert keeping(one)[0] == clause


def test_the_numbers_are_told_of_controllers_that_count():
    assert numbers(deployment(replicas=3)) == (
        "maxUnavailable is 0 (25% of 3 replicas, rounded down): no old pod may go before a new one is available",
    )
    assert numbers(workload("StatefulSet")) == ()
