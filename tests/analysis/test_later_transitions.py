"""Rollouts that come after the one that begins now."""

from __future__ import annotations

import pytest
from change_cases import CLAIM, DATA, GIVES, KEEPS, PAUSED, RECREATE, SURGE, found, inventory, made, on, told, told_now


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        (made("a", RECREATE), made("a", ""), [("KLG101", "a")]),
        (made("a", GIVES), made("a", KEEPS), [("KLG101", "a")]),
        (made("a", "", replicas=4), made("a", "", replicas=3), []),
        (made("a", "", replicas=4), made("a", "", replicas=2), []),
        (made("a", KEEPS), made("a", RECREATE), []),
        (made("a", KEEPS), made("a", f"{KEEPS}progressDeadlineSeconds: 60\n"), []),
        (made("a", f"{KEEPS}revisionHistoryLimit: 1\n"), made("a", KEEPS), []),
        (made("a", RECREATE), made("a", PAUSED), []),
        (made("d", "", kind="DaemonSet"), made("d", SURGE, kind="DaemonSet"), [("KLG110", "d")]),
    ],
)
def test_what_changes_how_the_next_rollout_goes_is_warned_of_before_it_begins(before, after, codes):
    gpus = 4 if "replicas: 4" in before else 1
    assert told(before, after, inventory(gpus)) == codes


def test_a_scaled_deployment_is_told_that_its_next_rollout_finds_no_room():
    before, after = made("a", KEEPS, replicas=1), made("a", KEEPS, replicas=2)
    ((code, _, message),) = found(before, after, inventory(2))
    assert code == "KLG101"
    assert message.startswith("the next rollout never ends: the new pod waits for 1 nvidia.com/gpu on n1")
    assert told(before, after, inventory(3)) == []


def test_the_next_rollout_finds_the_others_as_they_are_after_this_change():
    before = made("a", RECREATE, pod=on("n1")) + made("b", GIVES, pod=on("n1"))
    after = made("a", KEEPS, pod=on("n1")) + made("b", GIVES, pod=on("n2"))
    assert told(before, after, inventory(2, 1)) == []
    assert told(after.replace(KEEPS, RECREATE), before.replace(RECREATE, KEEPS), inventory(2, 1)) == [("KLG101", "a")]


@pytest.mark.parametrize(
    ("before", "after", "gpus", "code"),
    [
        (made("a"), made("a", gpus=2), (3,), "KLG101"),
        (made("a", replicas=0), made("a", more="args: [x]"), (1,), "KLG101"),
        (made("a", pod=on("n2")), made("a", pod=on("n1")), (1, 1), "KLG101"),
        (made("a"), made("a", more="ports: [{containerPort: 81, hostPort: 81}]"), (2,), "KLG102"),
        (made("a") + CLAIM, made("a", pod=DATA) + CLAIM, (2,), "KLG104"),
        (made("d", SURGE, kind="DaemonSet"), made("d", SURGE, gpus=2, kind="DaemonSet"), (3,), "KLG110"),
    ],
)
def test_a_rollout_that_ends_leaves_a_template_of_which_the_next_one_never_does(before, after, gpus, code):
    ((told, _, message),) = found(before, after, inventory(*gpus))
    assert told == code
    assert message.startswith("this change rolls out, and the next rollout never ends")
    assert told_now(before, after, inventory(*gpus)) == []


@pytest.mark.parametrize(
    ("before", "after", "gpus"),
    [
        (made("a"), made("a", gpus=2), (4,)),
        (made("a"), made("a", GIVES, gpus=2), (3,)),
        (made("a", pod=on("n2")), made("a", pod=on("n1")), (2, 1)),
        (made("a", gpus=2), made("a"), (3,)),
        (made("a"), made("a", PAUSED, gpus=2), (3,)),
        (made("a") + made("b", pod=on("n2")), made("a", gpus=2) + made("b", pod=on("n2")), (4, 1)),
    ],
)
def test_where_the_next_rollout_ends_or_is_none_of_this_change_nothing_is_told(before, after, gpus):
    assert told(before, after, inventory(*gpus)) == []


def test_one_that_hangs_now_is_told_once():
    ((_, _, message),) = found(made("a"), made("a", gpus=2), inventory(2))
    assert message.startswith("the rollout never ends")
