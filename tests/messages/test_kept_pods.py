"""Why the old pods of a rollout stay, in the numbers of its controller."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
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


RECREATED = "Recreate: all old pods are gone before a new one is made"


@pytest.mark.parametrize("replicas", [1, 2, 3, 8])
def test_recreate_is_explained_without_numbers_of_another_strategy(replicas):
    one = recreated(replicas=replicas)
    assert (numbers(one), keeping(one)[2]) == ((RECREATED,), RECREATED)


def test_the_share_is_left_out_if_the_controller_takes_another_number():
    one = deployment(replicas=2, surge=0, unavailable="25%")
    (told,) = numbers(one)
    why = "maxUnavailable is 1, because both maxSurge and maxUnavailable come to 0"
    assert told == f"no more than 1 of 2 may be unavailable ({why})"
    assert keeping(one)[2] == "2 replicas: maxSurge is 0 and maxUnavailable 1, because both come to 0"


@given(st.integers(0, 100), st.integers(1, 100), st.integers(1, 60))
def test_each_share_in_a_sentence_is_right(surge, unavailable, replicas):
    one = deployment(replicas=replicas, surge=f"{surge}%", unavailable=f"{unavailable}%")
    for percent, of in re.findall(r"(\d+)% of (\d+) replica", numbers(one)[0]):
        assert f"maxUnavailable is {int(percent) * int(of) // 100} " in numbers(one)[0]
    shares = dict(re.findall(r"(maxSurge|maxUnavailable) \d+% is (\d+)", keeping(one)[2]))
    assert int(shares.get("maxUnavailable", unavailable * replicas // 100)) == unavailable * replicas // 100
    assert int(shares.get("maxSurge", -(-surge * replicas // 100))) == -(-surge * replicas // 100)
