"""What a change does to the next rollouts of what it leaves as it is, compared with what they were before it."""

from __future__ import annotations

import pytest
from change_cases import found, inventory, made

RECREATE = "strategy: {type: Recreate}\n"


def quota(gpus, name="q"):
    return (
        f"---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: {name}, namespace: serving}}\n"
        f'spec: {{hard: {{requests.nvidia.com/gpu: "{gpus}"}}}}\n'
    )


def harm(before, after, gpus):
    return [(code, name) for code, name, told in found(before, after, inventory(gpus)) if "with this change" in told]


def test_a_new_workload_that_takes_the_room_of_the_next_rollout_is_told_of():
    assert harm(made("a"), made("a") + made("b", RECREATE), 2) == [("KLG101", "b")]
    assert harm(made("a"), made("a") + made("b", RECREATE), 3) == []


def test_a_change_that_needs_more_is_told_of_and_one_that_needs_as_much_is_not():
    before = made("a") + made("b", RECREATE)
    assert harm(before, made("a") + made("b", RECREATE, gpus=2), 3) == [("KLG101", "b")]
    assert harm(before, made("a") + made("b", RECREATE, more="args: [x]"), 3) == []
    assert harm(before, before, 3) == []


def test_what_was_stuck_before_is_not_harmed():
    assert harm(made("a"), made("a") + made("b", RECREATE, gpus=0), 1) == []
    assert harm(made("a", RECREATE), made("a", RECREATE) + made("b", RECREATE), 2) == []


@pytest.mark.parametrize(("before", "after", "told"), [(2, 1, True), (3, 2, False), (1, 1, False), (1, 2, False)])
def test_a_quota_that_leaves_no_room_for_the_next_rollout_is_told_of(before, after, told):
    expected = [("KLG105", "q")] if told else []
    assert harm(made("a") + quota(before), made("a") + quota(after), 4) == expected


def test_a_quota_that_is_new_is_told_of():
    assert harm(made("a"), made("a") + quota(1), 4) == [("KLG105", "q")]


def test_what_a_change_leaves_alone_and_lacked_room_before_is_silent():
    short, other = made("a", replicas=3), made("b", RECREATE, gpus=0)
    cluster = inventory(2)
    assert [code for code, _, _ in found("", short, cluster)] == ["KLG109"]
    assert found(short + other, short + made("b", RECREATE, gpus=0, more="args: [x]"), cluster) == []
    before, after = made("a", replicas=2), made("a", replicas=2) + made("b", RECREATE).replace(": serving", ": urgent")
    urgent = inventory(2, more="  - {name: urgent, value: 2000}\n")
    assert ("KLG109", "a") in [(code, name) for code, name, _ in found(before, after, urgent)]
