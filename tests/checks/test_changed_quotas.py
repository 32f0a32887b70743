"""ResourceQuotas that a change lowers or makes: they refuse what is created from then on, and what runs stays."""

from __future__ import annotations

import counted_objects
import pytest
from change_cases import KEEPS, found, inventory, made
from checks_units import unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

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


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (made("b", replicas=2, more="args: [x]"), "the rollout does not end: the new pod is refused by quota q"),
        (made("b", replicas=3), "only 2 of 3 replicas can run: the next one is refused by quota q"),
        (made("b", FIRST, replicas=2, more="args: [x]"), None),
    ],
)
def test_what_nobody_deletes_holds_what_it_has_of_a_quota(after, told):
    # a quota of the same name counts others in another namespace
    there = (quota(9) + made("c", replicas=2)).replace("namespace: serving", "namespace: other")
    every = [there + quota(4) + made("a", replicas=2) + made("b", replicas=2), quota(4) + after]
    before, now = ({one.object: one for one in unit(text, ROOM).manifests} for text in every)
    gone = [one for name, one in before.items() if name not in now]
    judged = ApplySet((read("a.yaml", every[1].encode()),), world(ROOM), before=before, gone=gone)
    found = [one.message for one in check((judged,), judged.world).findings if one.code == "KLG109"]
    expected = f"until Deployment serving/a is deleted, which the manifests no longer have, {told}"
    assert [one for one in found if expected in one] == found
    assert bool(found) == (told is not None)
