"""ResourceQuotas that a change lowers or makes: they refuse what is created from then on, and what runs stays."""

from __future__ import annotations

import counted_objects
import pytest
from change_cases import KEEPS, found, inventory, made

GPUS = "requests.nvidia.com/gpu"
FIRST = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"
ROOM = inventory(4, 4)


def quota(most, key=GPUS):
    return counted_objects.quota(key, most)


def told_now(before, after, cluster=ROOM):
    """The findings about what this change does, and not about the next rollout."""
    return [(code, name) for code, name, text in found(before, after, cluster) if "next rollout" not in text]


@pytest.mark.parametrize("strategy", [KEEPS, FIRST])
@pytest.mark.parametrize("before", [quota(4), ""])
def test_a_quota_below_what_runs_leaves_it_running(before, strategy):
    runs = made("a", strategy, replicas=2)
    assert told_now(before + runs, quota(1) + runs) == []
    assert told_now(quota(4, "pods") + runs, quota(1, "pods") + runs) == []


@pytest.mark.parametrize(("kind", "strategy"), [("Deployment", KEEPS), ("StatefulSet", "")])
def test_what_is_left_of_a_workload_that_is_scaled_down_runs_on_too(kind, strategy):
    before = quota(4) + made("a", strategy, replicas=4, kind=kind)
    assert told_now(before, quota(1) + made("a", strategy, replicas=2, kind=kind)) == []


def test_what_is_made_with_a_lowered_quota_is_refused():
    runs = made("a", FIRST, replicas=1)
    assert told_now(quota(4) + runs, quota(2) + runs + made("b", FIRST, replicas=2)) == [("KLG109", "b")]
    assert told_now(runs, quota(1) + made("a", FIRST, replicas=2)) == [("KLG109", "a")]
    assert told_now("", quota(1) + made("a", FIRST, replicas=2)) == [("KLG109", "a")]


def test_a_quota_that_no_change_touches_holds_for_what_runs():
    runs = quota(1) + made("a", FIRST, replicas=2)
    assert told_now(runs, runs) == []


def test_a_rollout_beside_a_lowered_quota_never_ends():
    before, after = made("a", replicas=2), made("a", replicas=2, more="args: [x]")
    assert told_now(quota(4) + before, quota(1) + after) == [("KLG105", "a")]
    assert told_now(quota(4) + before, quota(3) + after) == []


def test_ordinals_that_are_scaled_away_need_not_have_run():
    before = made("a", "", replicas=3, kind="StatefulSet")
    after = made("a", "", replicas=2, more="args: [x]", kind="StatefulSet")
    assert found(quota(2) + before, quota(2) + after, ROOM) == []
    assert found(before, after, inventory(2)) == []
