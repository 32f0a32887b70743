"""Whether rollouts end: one case for each thing that an old pod can hold, and the way out of it."""

from __future__ import annotations

import pytest
from crowded_cases import SEEDS, built, crowded
from rollout_objects import (
    GPU,
    apart,
    budget,
    claim,
    cluster,
    deployment,
    job,
    judged,
    mounted,
    node,
    pod,
    quota,
    recreated,
    same,
    spread,
    workload,
)

from kubelint_gpu.simulation.questions.drain import drain
from kubelint_gpu.simulation.questions.gang import gang
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict, unbounded, with_runs
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.work import limited

STUCK, MAY, DONE = Verdict.STUCK, Verdict.MAY_STICK, Verdict.COMPLETES


def test_one_pinned_gpu_is_held_by_the_old_pod_and_the_trace_closes_the_cycle():
    found = judged(deployment(), node("n"), node("other", 0))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert [step.actor for step in found.runs.trace.steps] == [
        "start",
        "Deployment controller",
        "ReplicaSet controller",
        "kube-scheduler",
    ]
    (waiting,) = found.runs.trace.waiting
    assert waiting.new
    assert waiting.held == ("resource",)
    lack = next(lack for lack in waiting.lacks if lack.node == "n")
    assert (lack.resource, lack.needed, lack.free, lack.allocatable) == (GPU, 1, 0, 1)
    assert [(holder.new, holder.count, holder.amount) for holder in lack.holders] == [(False, 1, 1)]


@pytest.mark.parametrize("replicas", [1, 2, 3, 4])
@pytest.mark.parametrize("more", [0, 1])
def test_with_the_default_quarter_exactly_full_nodes_block_up_to_three_replicas(replicas, more):
    found = judged(deployment(replicas=replicas), node("n", replicas + more))
    assert found.verdict is (DONE if more or replicas == 4 else STUCK)


@pytest.mark.parametrize(
    ("replicas", "each", "nodes", "expected"),
    [
        (2, 8, (8, 8), STUCK),
        (2, 8, (8, 8, 8), DONE),
        (2, 4, (8,), STUCK),
        (2, 4, (8, 8), DONE),
        (2, 4, (8, 4), DONE),
        (1, 2, (2,), STUCK),
        (1, 2, (4,), DONE),
        (1, 2, (2, 2), DONE),
        (1, 2, (3, 1), STUCK),
        (2, 1, (2,), STUCK),
        (2, 1, (3,), DONE),
        (3, 1, (3,), STUCK),
        (3, 1, (4,), DONE),
        (4, 1, (4,), DONE),
        (1, 8, (4, 4), None),
    ],
)
def test_real_serving_manifests_with_the_default_strategy(replicas, each, nodes, expected):
    found = judged(deployment(replicas=replicas, gpus=each), *(node(f"n{i}", gpus) for i, gpus in enumerate(nodes)))
    assert found.verdict is expected


@pytest.mark.parametrize("one", [deployment(surge=0, unavailable=1), recreated()])
def test_without_surge_or_with_recreate_one_place_is_enough(one):
    assert judged(one, node("n")).verdict is DONE


def test_a_paused_deployment_rolls_nothing_out():
    assert judged(workload("Deployment", more={"paused": True}), node("n")).verdict is DONE


def test_missing_capacity_is_no_deadlock():
    found = judged(deployment(replicas=2), node("n"))
    assert (found.verdict, found.room.placed, found.room.wanted, found.room.alone) == (None, 1, 2, 1)


def test_what_fits_by_sum_does_not_fit_on_any_node():
    found = judged(deployment(gpus=2), node("a"), node("b"))
    assert found.verdict is None
    assert not found.room.eligible


def test_a_host_port_is_held_like_a_gpu():
    found = judged(deployment(gpus=0, port=8080), node("n"))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert found.runs.trace.held == ("port",)
    assert judged(deployment(gpus=0, port=8080), node("n"), node("m")).verdict is DONE


def test_anti_affinity_on_every_node_holds_a_place():
    one = deployment(replicas=2, gpus=0, affinity=apart("w"))
    found = judged(one, node("a"), node("b"))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert found.runs.trace.held == ("place",)
    assert judged(one, node("a"), node("b"), node("c")).verdict is DONE


def test_anti_affinity_by_revision_lets_old_and_new_stand_side_by_side():
    one = deployment(replicas=2, gpus=0, affinity=apart("w", matchLabelKeys=["pod-template-hash"]))
    assert judged(one, node("a"), node("b")).verdict is DONE


def test_anti_affinity_of_a_zone_counts_nodes_elsewhere():
    one = deployment(replicas=1, gpus=0, affinity=apart("w", "zone"))
    assert judged(one, node("a"), node("b")).verdict is STUCK
    assert judged(one, node("a"), node("b", zone="b")).verdict is DONE


def test_spreading_keeps_a_free_gpu_from_the_surge_pod():
    """Two on a and one on b: a third on a would be two ahead of b, and b is full."""
    one = deployment(replicas=3, topologySpreadConstraints=spread("w"))
    found = judged(one, node("a", 4), node("b", 1))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert set(found.runs.trace.held) == {"place", "resource"}
    assert judged(one, node("a", 4), node("b", 2)).verdict is DONE


def test_spreading_by_revision_counts_new_pods_alone():
    by_revision = spread("w", matchLabelKeys=["pod-template-hash"])
    one = deployment(replicas=2, gpus=0, topologySpreadConstraints=by_revision)
    assert judged(one, node("a"), node("b")).verdict is DONE


def test_a_claim_for_one_pod_blocks_the_surge_pod():
    one = deployment(gpus=0, volumes=mounted("c"))
    found = judged(one, node("n"), claim("c", "ReadWriteOncePod"))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert found.runs.trace.held == ("volume",)
    assert judged(recreated(gpus=0, volumes=mounted("c")), node("n"), claim("c", "ReadWriteOncePod")).verdict is DONE


def test_a_claim_that_is_only_declared_is_bound_once_the_old_pod_runs():
    declared = claim("c", "ReadWriteOncePod")[0]
    del declared["spec"]["volumeName"], declared["status"]
    found = judged(deployment(gpus=0, volumes=mounted("c")), node("n"), declared)
    assert found.verdict is STUCK


def test_a_claim_that_nobody_declares_is_taken_to_exist():
    assert judged(deployment(volumes=mounted("elsewhere")), node("n")).verdict is STUCK
    assert judged(deployment(volumes=mounted("elsewhere")), node("n", 2)).verdict is DONE


def test_volumes_that_come_with_the_pod_hold_nothing():
    ephemeral = {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}
    one = deployment(volumes=[{"name": "d", "emptyDir": {}}, ephemeral])
    assert judged(one, node("n", 2)).verdict is DONE


def test_a_disk_attached_to_one_node_blocks_a_surge_pod_that_lands_on_another():
    one = deployment(gpus=1, volumes=mounted("c"))
    found = judged(one, node("a"), node("b"), claim("c", "ReadWriteOnce"))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert [lack.plugin for lack in found.runs.trace.waiting[0].lacks] == ["VolumeAttach"]
    both = judged(deployment(gpus=0, volumes=mounted("c")), node("a"), node("b"), claim("c", "ReadWriteOnce"))
    assert both.verdict is MAY
    assert judged(one, node("a"), node("b"), claim("c", "ReadWriteMany")).verdict is DONE


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "hard", "expected"),
    [(1, 1, 0, 1, STUCK), (4, 1, 1, 4, DONE), (1, 0, 1, 1, DONE), (1, 1, 0, 2, DONE)],
)
def test_quota_decides_like_free_gpus_although_the_cluster_is_full_of_them(
    replicas, surge, unavailable, hard, expected
):
    found = judged(deployment("w", replicas, 1, surge, unavailable), node("n", 16), quota(hard))
    assert found.verdict is expected
    if expected is STUCK:
        assert found.runs.trace is not None
        assert found.runs.trace.held == ("quota",)
        assert found.runs.trace.waiting[0].refusal.quota == "q"


def test_use_that_the_quota_tells_of_stays_and_that_of_known_pods_moves():
    one = deployment(surge=0, unavailable=1)
    assert judged(one, node("n", 16), quota(2, used=2)).verdict is DONE
    blocked = judged(deployment(), node("n", 16), quota(3, used=3))
    assert blocked.verdict is STUCK
    full = judged(deployment(replicas=2), node("n", 16), quota(1))
    assert (full.verdict, full.room.placed) == (None, 1)
    assert full.room.refusal.exceeded


def test_a_running_pod_of_the_workload_is_its_old_pod_where_it_is():
    running = pod("w-abc-1", "b", owner=("ReplicaSet", "w-abc"), labels={"app": "w", "pod-template-hash": "abc"})
    assert judged(deployment(), node("a"), node("b"), running).verdict is DONE
    pinned = deployment(nodeSelector={"kubernetes.io/hostname": "b"})
    found = judged(pinned, node("a"), node("b"), running)
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert "1 on b" in found.runs.trace.steps[0].message


def test_more_running_pods_than_replicas_are_scaled_down_before_the_rollout():
    running = [
        pod(f"w-abc-{i}", "n", owner=("ReplicaSet", "w-abc"), labels={"app": "w", "pod-template-hash": "abc"})
        for i in range(2)
    ]
    found = judged(deployment(replicas=1, surge=1, unavailable=0), node("n", 2), *running)
    assert found.verdict is DONE
    assert judged(deployment(replicas=2, surge=1, unavailable=0), node("n", 2), *running).verdict is STUCK


def test_pods_of_several_revisions_are_several_old_replica_sets():
    running = [
        pod(f"w-{one}-1", f"n{one}", owner=("ReplicaSet", f"w-{one}"), labels={"app": "w", "pod-template-hash": one})
        for one in ("a", "b")
    ]
    found = judged(deployment(replicas=2), node("na"), node("nb"), *running)
    assert found.verdict is STUCK
    assert judged(deployment(replicas=2), node("na"), node("nb"), node("nc"), *running).verdict is DONE


def test_a_job_that_holds_the_gpu_ends_some_day():
    running = pod("train", "n", owner=("Job", "train"), restartPolicy="Never")
    found = judged(deployment(), node("n", 2), running)
    assert found.verdict is DONE
    assert judged(deployment(), node("n", 2), pod("serve", "n")).verdict is STUCK


def test_a_higher_priority_in_the_new_template_evicts_its_own_predecessor():
    old, new = deployment(), deployment(priority=10)
    (found,) = judge([Transition(new, old)], cluster(node("n")))
    assert found.verdict is DONE
    assert not found.runs.evicts
    never = deployment(priority=10, preemptionPolicy="Never")
    (found,) = judge([Transition(never, old)], cluster(node("n")))
    assert found.verdict is STUCK


def test_a_rollout_that_evicts_a_neighbour_says_whom_and_which_budget_it_breaks():
    neighbour = pod("batch", "n", owner=("ReplicaSet", "batch-1"))
    found = judged(deployment(priority=10), node("n", 2), neighbour, budget("keep", "batch", minAvailable=1))
    assert found.verdict is DONE
    (evicted,) = found.runs.evicts
    assert (evicted.owner, evicted.priority, evicted.node, evicted.count) == ("ReplicaSet/d/batch-1", 0, "n", 1)
    assert (evicted.by, evicted.by_priority, evicted.budgets) == ("Deployment/d/w", 10, ("keep",))
    assert found.runs.eviction is not None
    assert "evicts" in found.runs.eviction.steps[-1].message
    calm = judged(deployment(priority=10, preemptionPolicy="Never"), node("n", 2), neighbour)
    assert (calm.verdict, calm.runs.evicts) == (STUCK, ())


def test_pods_of_lower_priority_that_hold_nothing_scarce_are_left_alone():
    agents = [pod(f"agent-{i}", f"n{i}", 0, owner=("DaemonSet", "agent")) for i in range(3)]
    found = judged(deployment(priority=10, replicas=3), *(node(f"n{i}") for i in range(3)), *agents)
    assert (found.verdict, found.runs.evicts) == (STUCK, ())
    assert not found.runs.searched


def test_an_undecided_search_is_settled_by_what_holds_at_rest():
    """The spare room is enough for whatever the neighbours do, though too many placements exist to try all."""
    neighbours = [deployment(f"o{i}", 5, 1 + i % 2, priority=-1) for i in range(3)]
    found = judged(deployment(priority=10), *(node(f"n{i}", 4) for i in range(8)), beside=neighbours, budget=50)
    assert found.verdict is DONE


def test_a_daemon_pod_that_is_evicted_waits_for_its_own_node():
    daemon = pod("agent-x", "n", owner=("DaemonSet", "agent"))
    found = judged(deployment(priority=10), node("n", 2), node("m", 0), daemon)
    assert found.verdict is DONE
    assert [one.owner for one in found.runs.evicts] == ["DaemonSet/d/agent"]


def test_a_daemon_set_of_the_same_render_holds_its_part_of_every_node():
    one, daemon = deployment(surge=1, unavailable=0), workload("DaemonSet", "agent", gpus=1)
    assert judged(one, node("n", 2), beside=(daemon,)).verdict is STUCK
    assert judged(one, node("n", 3), beside=(daemon,)).verdict is DONE


@pytest.mark.parametrize(
    ("gpus", "surge", "unavailable", "expected"), [(1, 0, 1, DONE), (1, 1, 0, STUCK), (2, 1, 0, DONE)]
)
def test_daemon_sets_of_the_table(gpus, surge, unavailable, expected):
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    found = judged(workload("DaemonSet", gpus=1, update=rolling), *(node(f"n{i}", gpus) for i in range(3)))
    assert (found.verdict, found.room.wanted) == (expected, 3)
    if expected is STUCK:
        assert found.runs.trace is not None
        (waiting,) = found.runs.trace.waiting
        assert waiting.held == ("resource",)
        assert "node(s) didn't satisfy plugin(s) [NodeAffinity]" in waiting.scheduler


def test_a_daemon_set_with_surge_and_a_host_port_never_ends():
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    found = judged(workload("DaemonSet", gpus=0, port=9100, update=rolling), node("a", 0), node("b", 0))
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    assert found.runs.trace.held == ("port",)


@pytest.mark.parametrize("policy", ["OrderedReady", "Parallel"])
def test_a_stateful_set_needs_no_spare_room(policy):
    one = workload("StatefulSet", replicas=3, more={"podManagementPolicy": policy})
    assert judged(one, node("n", 3)).verdict is DONE


def test_a_stateful_set_with_a_grown_request_or_a_moved_selector():
    old, new = workload("StatefulSet", replicas=2), workload("StatefulSet", replicas=2, gpus=2)
    found = judge([Transition(new, old)], cluster(node("a", 2), node("b", 2), pod("x", "b")))[0]
    assert found.verdict is None
    found = judge([Transition(new, old)], cluster(node("a", 2), node("b", 3), pod("x", "b")))[0]
    assert found.verdict is DONE
    pinned = workload("StatefulSet", replicas=2, nodeSelector={"zone": "b"})
    found = judge([Transition(pinned, old)], cluster(node("a", 2), node("b", 2, "b"), pod("x", "b"), pod("y", "b")))[0]
    assert (found.verdict, found.room.alone) == (None, 0)


def test_an_ordered_stateful_set_stops_at_the_ordinal_that_finds_no_room():
    """A neighbour that waits for the freed GPU takes it: the next sync waits at the pod that is pending."""
    running = [pod(f"w-{i}", "n", owner=("StatefulSet", "w"), labels={"app": "w"}) for i in range(2)]
    waiting = deployment("other", 1, 1)
    found = judge(same(workload("StatefulSet", replicas=2), waiting), cluster(node("n", 2), *running))
    assert found[0].verdict is MAY
    assert found[0].runs.trace is not None
    assert [(one.owner, one.new) for one in found[0].runs.trace.waiting] == [("StatefulSet/d/w", True)]
    assert "deletes pod 1" in [step.message for step in found[0].runs.trace.steps][1]


def test_claims_of_an_ordinal_pin_it():
    one = workload("StatefulSet", replicas=1, gpus=1)
    tied = claim("data-w-0", "ReadWriteOnce")
    tied[1]["spec"]["nodeAffinity"] = {
        "required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]}
    }
    found = judged(one, node("a"), node("b", 1, "b"), tied)
    assert found.verdict is DONE


def test_a_gpu_that_another_waits_for_is_lost_between_delete_and_create():
    """The other workload is known to want two and to have one; the freed GPU may be taken by it."""
    mine = deployment("w", 1, 1, 0, 1)
    other = deployment("other", 2, 1)
    running = [
        pod("w-a-1", "n", owner=("ReplicaSet", "w-a"), labels={"app": "w", "pod-template-hash": "a"}),
        pod("other-a-1", "n", owner=("ReplicaSet", "other-a"), labels={"app": "other", "pod-template-hash": "a"}),
    ]
    found = judge(same(mine, other), cluster(node("n", 2), *running))
    assert found[0].verdict is MAY
    assert (found[1].verdict, found[1].room.placed) == (None, 1)


def test_two_rollouts_that_block_each_other_only_together():
    """Alone each uses the spare node; together small pods end up on two nodes and leave no whole one to the big pod."""
    big, small = deployment("big", 1, 2, 1, 0), deployment("small", 2, 1, 1, 0)
    running = [
        pod(
            f"{name}-a-{i}", on, each, owner=("ReplicaSet", f"{name}-a"), labels={"app": name, "pod-template-hash": "a"}
        )
        for i, (name, on, each) in enumerate([("big", "a", 2), ("small", "b", 1), ("small", "b", 1)])
    ]
    objects = cluster(*(node(name, 2) for name in "abc"), *running)
    assert [one.verdict for one in judge(same(big, small), objects)] == [DONE, DONE]
    (together,) = judge_together(same(big, small), objects)
    assert together.verdict is MAY
    assert together.runs.trace is not None
    assert [one.owner for one in together.runs.trace.waiting] == ["Deployment/d/big"]
    assert {one.key for one in together.workloads} == {"Deployment/d/big", "Deployment/d/small"}


def test_rollouts_that_do_not_compete_are_not_judged_together():
    one = deployment("a", nodeSelector={"zone": "a"})
    other = deployment("b", nodeSelector={"zone": "b"})
    assert judge_together(same(one, other), cluster(node("n"), node("m", zone="b"))) == ()


def test_a_bare_pod_that_is_evicted_is_lost():
    found = judged(deployment(priority=10), node("n", 2), pod("lone", "n"))
    assert found.verdict is DONE
    assert [(one.owner, one.lost) for one in found.runs.evicts] == [("Pod/d/lone", True)]


def test_a_grown_request_needs_room_beside_the_old_pods():
    old, new = deployment(), deployment(gpus=2)
    assert judge([Transition(new, old)], cluster(node("n", 2)))[0].verdict is STUCK
    assert judge([Transition(new, old)], cluster(node("n", 3)))[0].verdict is DONE


def test_a_moved_selector_leaves_the_old_place():
    old, new = deployment(nodeSelector={"zone": "a"}), deployment(nodeSelector={"zone": "b"})
    assert judge([Transition(new, old)], cluster(node("n"), node("m", zone="b")))[0].verdict is DONE


@pytest.mark.parametrize(("before", "after", "gpus", "expected"), [(1, 2, 2, STUCK), (1, 2, 3, DONE), (2, 1, 2, DONE)])
def test_replicas_that_change_in_the_same_commit_are_scaled_first(before, after, gpus, expected):
    old, new = deployment(replicas=before), deployment(replicas=after)
    assert judge([Transition(new, old)], cluster(node("n", gpus)))[0].verdict is expected


def test_a_changed_strategy_counts_as_it_shall_be():
    old, new = deployment(), deployment(surge=0, unavailable=1)
    assert judge([Transition(new, old)], cluster(node("n")))[0].verdict is DONE
    assert judge([Transition(old, new)], cluster(node("n")))[0].verdict is STUCK


def test_without_a_changed_template_nothing_is_rolled_out():
    (found,) = judge([Transition(deployment(), deployment(), rolls=False)], cluster(node("n")))
    assert (found.verdict, found.room.placed) == (None, 1)


def test_device_claims_are_not_looked_at_and_the_judgement_does_not_pretend():
    one = deployment(gpus=0, resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}])
    found = judged(one, node("n"))
    assert found.verdict is Verdict.UNDECIDED
    assert "resource claims" in found.unknown


def test_a_run_that_devices_could_rule_out_is_not_told_and_one_that_nothing_can_is():
    claims = {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}]}
    nodes = (node("n", 2), node("m", 1))
    # it sticks where the other pod is on the small node, which its devices might not allow
    beside = deployment("b", 1, 1, 0, 1)
    one = deployment("w", 1, 1, 1, 0, affinity=apart("w"))
    assert judged(one, *nodes, beside=(beside,)).verdict is MAY
    light = deployment("w", 1, 1, 1, 0, affinity=apart("w"), **claims)
    found = judged(light, *nodes, beside=(beside,))
    assert (found.verdict, found.runs.trace) == (Verdict.UNDECIDED, None)
    assert judged(deployment("w", 1, 1, 1, 0, **claims), node("n")).verdict is STUCK


@pytest.mark.parametrize(("partition", "placed"), [(2, 2), (1, 1), (0, 0)])
def test_ordinals_below_the_partition_run_although_the_new_template_fits_nowhere(partition, placed):
    update = {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}
    old, new = (workload("StatefulSet", "w", 2, gpus, update=update, more={"serviceName": "w"}) for gpus in (1, 4))
    (found,) = judge([Transition(new, old)], cluster(node("n", 2)))
    assert (found.room.placed, found.room.wanted) == (placed, 2)
    assert found.verdict is (DONE if placed == 2 else None)


def test_ordinals_that_keep_an_old_template_run_only_where_that_fits():
    more = {"serviceName": "w"}
    update = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    old, new = (workload("StatefulSet", "w", 2, gpus, update=update, more=more, affinity=apart("w")) for gpus in (1, 4))
    (found,) = judge([Transition(new, old)], cluster(node("n", 2)))
    assert (found.verdict, found.room.placed, found.room.wanted) == (None, 1, 2)
    assert judge([Transition(new, old)], cluster(node("n", 2), node("m")))[0].verdict is DONE


def test_a_budget_that_ends_first_is_undecided_and_the_run_ends():
    by_revision = spread("w", "zone", matchLabelKeys=["pod-template-hash"])
    one = deployment("w", 6, 1, 2, 1, topologySpreadConstraints=by_revision)
    found = judged(one, *(node(f"n{i}", 3, "abc"[i]) for i in range(3)), budget=5)
    assert found.verdict is Verdict.UNDECIDED


def test_how_many_pods_find_a_place_is_counted_per_node():
    one = deployment(gpus=2)
    assert placeable(one, cluster(node("a", 3), node("b", 3)), 8) == 2
    assert placeable(one, cluster(node("a", 4), node("b", 3)), 8) == 3
    assert (
        placeable(deployment(gpus=0, affinity=apart("w", "zone")), cluster(node("a"), node("b"), node("c", 1, "c")), 5)
        == 2
    )
    assert placeable(one, cluster(node("a", 8), quota(4)), 8) == 2


def test_a_node_whose_pods_have_nowhere_to_go_cannot_be_drained_under_a_budget_without_slack():
    tight = budget("keep", "w", minAvailable=1)
    (found,) = drain([deployment()], cluster(node("n"), node("m", 0), tight))
    assert (found.node, found.pods, found.elsewhere, found.budgets) == ("n", 1, 0, ("keep",))
    assert found.blocked
    free = drain([deployment()], cluster(node("n"), node("m"), tight))
    assert [(one.elsewhere, one.allowed, one.blocked) for one in free] == [(1, 0, True)], (
        "no room lets an eviction pass"
    )
    loose = drain([deployment()], cluster(node("n"), node("m", 0), budget("keep", "w", maxUnavailable=1)))
    assert not any(one.blocked for one in loose)


@pytest.mark.parametrize(
    ("least", "elsewhere", "blocked"),
    [(4, 3, True), (3, 3, False), (3, 2, True), (1, 1, False), (1, 0, True), (0, 0, False)],
)
def test_each_evicted_pod_that_finds_no_room_is_missing_until_no_more_may_be(least, elsewhere, blocked):
    tight = budget("keep", "w", minAvailable=least)
    four = drain([deployment(replicas=4)], cluster(node("n", 4), node("x", elsewhere), tight))
    found = max(four, key=lambda one: one.pods)
    assert (found.pods, found.elsewhere, found.allowed, found.blocked) == (4, elsewhere, 4 - least, blocked)


def test_pods_that_never_found_a_node_are_missing_already():
    (found,) = drain([deployment(replicas=3)], cluster(node("n", 2), budget("keep", "w", minAvailable=1)))
    assert (found.pods, found.allowed, found.blocked) == (2, 1, True)


def test_the_eviction_api_refuses_a_pod_under_two_budgets():
    budgets = [budget(name, "w", maxUnavailable=1) for name in ("keep", "hold")]
    (found,) = drain([deployment()], cluster(node("n"), *budgets))
    assert (found.budgets, found.allowed, found.blocked, found.refused) == (("hold", "keep"), None, True, True)


def test_training_jobs_hold_each_other_up():
    found = gang([job("a", 2), job("b", 2)], cluster(node("n"), node("m")))
    assert found.verdict is MAY
    assert [(one.owner, one.running, one.wanted) for one in found.held] == [("Job/d/a", 1, 2), ("Job/d/b", 1, 2)]
    assert gang([job("a", 2), job("b", 2)], cluster(node("n", 3))).verdict is DONE
    alone = gang([job("a", 3), job("b", 2)], cluster(node("n", 2)))
    assert (alone.verdict, alone.lone) == (None, ("Job/d/a",))


def ranked(name, priority, policy="PreemptLowerPriority"):
    found = job(name, 2)
    return replace(found, spec=replace(found.spec, priority=priority, preemption_policy=policy))


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [((9,), (1,), DONE), ((1,), (9,), DONE), ((9, "Never"), (1,), MAY), ((9,), (9,), MAY)],
)
def test_a_training_job_of_higher_priority_takes_the_part_of_the_other(one, other, verdict):
    jobs = [ranked("a", *one), ranked("b", *other)]
    assert gang(jobs, cluster(node("n"), node("m"))).verdict is verdict


def test_two_of_three_training_jobs_hold_each_other_up_when_the_first_is_done():
    jobs = [ranked("a", 9), job("b", 2), job("c", 2)]
    found = gang(jobs, cluster(node("n"), node("m")))
    assert found.verdict is MAY
    assert {one.owner for one in found.held if one.running} == {"Job/d/b", "Job/d/c"}


def test_what_training_jobs_do_that_may_evict_others_is_not_decided():
    jobs = [ranked("a", 9), job("b", 2)]
    assert gang(jobs, cluster(node("n"), node("m", 2), pod("x", "m"))).verdict is Verdict.UNDECIDED
    jobs = [job("a", 2), job("b", 2)]
    assert gang(jobs, cluster(node("n"), node("m", 2), pod("x", "m"))).verdict is MAY


def test_jobs_have_no_rollout():
    (found,) = judge(same(job("a", 2)), cluster(node("n", 2)))
    assert found.verdict is None


def judged_within(many, *objects):
    """The judgements of some workloads, and the steps that they took."""
    with limited(1_000_000) as allowance:
        found = judge(same(*many), cluster(*objects))
    return [with_runs(replace(one, workload=deployment()), states=0) for one in found], 1_000_000 - allowance.left


def test_workloads_that_nothing_tells_apart_are_one_question():
    nodes = [node(f"n{number}", 3) for number in range(8)]
    alike = [deployment(f"d{number}") for number in range(20)]
    unlike = [deployment(f"d{number}", terminationGracePeriodSeconds=number) for number in range(20)]
    found, steps = judged_within(alike, *nodes)
    others, more = judged_within(unlike, *nodes)
    assert found == others
    assert 3 * steps < more


def test_a_label_that_somebody_looks_at_tells_workloads_apart():
    keeps_off = pod("old", "n", affinity=apart("d1"))
    found = judge(same(deployment("d0"), deployment("d1"), deployment("d2")), cluster(node("n", 9), keeps_off))
    assert [(one.workload.meta.name, one.room.placed) for one in found] == [("d0", 1), ("d1", 0), ("d2", 1)]


def told(found):
    return [
        (one.workload.key, one.verdict, one.room.wanted, one.room.placed, one.room.alone, one.room.at_best)
        for one in found
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workload_is_judged_as_if_all_its_pods_were_built(seed):
    transitions, cluster = crowded(seed)
    few = built(transitions, cluster)
    found = [
        unbounded(one, whole.new, part.new.replicas)
        for one, whole, part in zip(judge(few, cluster), transitions, few, strict=True)
    ]
    assert told(found) == told(judge(transitions, cluster))
