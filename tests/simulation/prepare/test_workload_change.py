"""Pods of a workload that the inventory shows waiting for a node or not ready: rollouts begin with them as they are.

The traces are of rollouts.md: 1.4 (T6, T7, T8), 3.2 and 3.3.
"""

from __future__ import annotations

import pytest
from rollout_objects import deployment, judged, node, pod, recreated, workload

from kubelint_gpu.simulation.search.verdict import Verdict

RS = ("ReplicaSet", "w-abc")


def ordinal(number, node_name="", gpus=1, ready=True):
    return seen(pod(f"w-{number}", node_name, gpus, owner=("StatefulSet", "w")), ready)


def seen(found, ready=True):
    """The pod as the API server shows it: without a node it waits for one."""
    if not found["spec"]["nodeName"]:
        del found["spec"]["nodeName"]
        found["status"] = {"phase": "Pending"}
    else:
        found["status"]["conditions"] = [{"type": "Ready", "status": "True" if ready else "False"}]
    return found


def stateful(replicas=2, gpus=1, policy="OrderedReady"):
    return workload("StatefulSet", "w", replicas, gpus, more={"podManagementPolicy": policy})


def messages(found):
    return [step.message for step in found.runs.trace.steps]


def test_an_ordinal_that_waits_with_too_large_a_request_stops_every_sync():
    found = judged(stateful(), node("a", 2), ordinal(0, "a"), ordinal(1, gpus=4))
    assert found.verdict is Verdict.STUCK
    assert "old pod w-1 waits for a node" in messages(found)[0]
    (waiting,) = found.runs.trace.waiting
    assert (waiting.pod, waiting.new) == ("w-1", False)
    assert "Insufficient nvidia.com/gpu" in waiting.scheduler


def test_an_ordinal_that_waits_and_fits_by_now_is_bound_and_the_rollout_goes_on():
    assert judged(stateful(), node("a", 2), ordinal(0, "a"), ordinal(1)).verdict is Verdict.COMPLETES


def test_a_parallel_set_replaces_the_ordinal_that_waits():
    one = stateful(policy="Parallel")
    assert judged(one, node("a", 2), ordinal(0, "a"), ordinal(1, gpus=4)).verdict is Verdict.COMPLETES


@pytest.mark.parametrize(
    ("policy", "version", "verdict"),
    [
        ("OrderedReady", "1.34", Verdict.MAY_STICK),
        ("Parallel", "1.34", Verdict.COMPLETES),
        ("Parallel", "1.35.1", Verdict.MAY_STICK),
    ],
)
def test_an_ordinal_that_is_not_ready_now_may_never_be(policy, version, verdict):
    pods = ordinal(0, "a"), ordinal(1, "b", ready=False)
    found = judged(stateful(policy=policy), node("a"), node("b"), *pods, version=version)
    assert found.verdict is verdict
    if verdict is Verdict.MAY_STICK:
        assert "old pod w-1 on b is not ready" in messages(found)[0]
        (waiting,) = found.runs.trace.waiting
        assert (waiting.pod, waiting.unready) == ("w-1", "b")


def test_the_first_ordinal_is_replaced_last_and_holds_up_an_ordered_set_all_the_same():
    found = judged(stateful(), node("a", 2), ordinal(0, "a", ready=False), ordinal(1, "a"))
    assert found.verdict is Verdict.MAY_STICK
    one = stateful(policy="Parallel")
    assert judged(one, node("a", 2), ordinal(0, "a", ready=False), ordinal(1, "a")).verdict is Verdict.COMPLETES


def old(name, node_name="", gpus=1, ready=True):
    return seen(pod(name, node_name, gpus, owner=RS), ready)


def test_a_broken_old_pod_is_not_removed_where_no_pod_may_be_unavailable():
    found = judged(deployment(), node("a"), old("w-1", "a", ready=False))
    assert found.verdict is Verdict.STUCK


def test_broken_old_pods_go_first_where_some_may_be_unavailable():
    pods = [old(f"w-{number}", "a", ready=number > 1) for number in range(4)]
    assert judged(deployment(replicas=4), node("a", 4), *pods).verdict is Verdict.COMPLETES


def test_a_third_template_removes_the_pod_of_the_second_that_waits_and_waits_itself():
    second = old("w-2", gpus=2)
    found = judged(deployment(), node("a"), old("w-1", "a"), second)
    assert found.verdict is Verdict.STUCK
    told = messages(found)
    assert "waits for a node" in told[0]
    assert any("old ReplicaSet 2 from 1 to 0" in message for message in told)
    assert found.runs.trace.waiting[0].new


def test_a_request_that_was_too_large_gives_way_to_one_that_fits():
    for one in (deployment(), recreated(), deployment(surge=0, unavailable=1)):
        assert judged(one, node("a"), old("w-1", gpus=4)).verdict is Verdict.COMPLETES


def test_a_daemon_pod_that_is_not_ready_is_replaced_beyond_what_may_be_unavailable():
    one = workload("DaemonSet", "w", update={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}})
    pods = [seen(pod(f"w-{name}", name, owner=("DaemonSet", "w")), name == "c") for name in "abc"]
    assert judged(one, node("a"), node("b"), node("c"), *pods).verdict is Verdict.COMPLETES


def test_a_pod_of_which_no_condition_is_known_is_taken_to_be_ready():
    pods = pod("w-0", "a", owner=("StatefulSet", "w")), pod("w-1", "b", owner=("StatefulSet", "w"))
    assert judged(stateful(), node("a"), node("b"), *pods).verdict is Verdict.COMPLETES


def test_a_pod_that_is_held_back_by_a_gate_waits_for_no_node():
    held = ordinal(1, gpus=4)
    held["spec"]["schedulingGates"] = [{"name": "later"}]
    assert judged(stateful(), node("a", 2), ordinal(0, "a"), held).verdict is Verdict.COMPLETES
