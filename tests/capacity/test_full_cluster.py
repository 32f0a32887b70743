"""Where the declared pods of a cluster are."""

from __future__ import annotations

from full_clusters import laid_out, node, placed, priority, running, workload


def groups(found):
    return {one.subject.workload.meta.name: one for one in found.groups}


def test_large_pods_are_placed_before_small_ones_and_leave_no_hole(tmp_path):
    found = laid_out(tmp_path, [node("n", 4), node("m", 2)], [workload("a-small", 2, 1), workload("large", 1, 4)])
    assert {name: placed(one) for name, one in groups(found).items()} == {"a-small": {"m": 2}, "large": {"n": 1}}


def test_a_higher_priority_comes_before_larger_pods(tmp_path):
    manifests = [priority("top", 100), workload("large", 1, 4), workload("first", 1, 1, priorityClassName="top")]
    found = groups(laid_out(tmp_path, [node("n", 4)], manifests))
    assert (placed(found["first"]), found["large"].pending) == ({"n": 1}, 1)


def test_pods_that_only_one_node_takes_have_it_before_those_that_others_take_too(tmp_path):
    pinned = workload("pinned", 1, 1, nodeSelector={"kubernetes.io/hostname": "n"})
    anywhere = workload("anywhere", 2, 1, priorityClassName="top")
    found = groups(laid_out(tmp_path, [node("n", 1), node("m", 4)], [priority("top", 100), pinned, anywhere]))
    assert (placed(found["pinned"]), placed(found["anywhere"])) == ({"n": 1}, {"m": 2})
    short = groups(laid_out(tmp_path, [node("n", 1), node("m", 1)], [priority("top", 100), pinned, anywhere]))
    assert (short["pinned"].pending, placed(short["anywhere"])) == (1, {"m": 1, "n": 1})


def test_what_others_hold_is_not_free(tmp_path):
    found = laid_out(tmp_path, [node("n", 2), running("x", "n", 1)], [workload("a", 3, 1)])
    (one,) = found.groups
    assert (placed(one), one.pending, len(found.others)) == ({"n": 1}, 2, 1)


def test_running_pods_of_a_workload_keep_their_nodes_and_are_not_counted_twice(tmp_path):
    pod = running("a-1", "m", 1)
    pod["metadata"] |= {"namespace": "team", "labels": {"app": "a"}}
    found = laid_out(tmp_path, [node("n", 1), node("m", 3), pod], [workload("a", 2, 1)])
    (one,) = found.groups
    assert (placed(one), found.others) == ({"m": 1, "n": 1}, ())


def test_a_daemon_set_has_a_pod_on_each_node_that_takes_one(tmp_path):
    found = laid_out(tmp_path, [node("n", 1), node("m", 1), running("x", "m", 1)], [workload("d", kind="DaemonSet")])
    (one,) = found.groups
    assert (placed(one), one.pending) == ({"n": 1}, 1)


def test_pods_without_gpus_are_spread(tmp_path):
    (one,) = laid_out(tmp_path, [node("n"), node("m")], [workload("a", 4, 0)]).groups
    assert placed(one) == {"m": 2, "n": 2}


def test_a_workload_that_is_declared_twice_is_counted_once_with_the_most_replicas(tmp_path):
    (one,) = laid_out(tmp_path, [node("n", 8)], [workload("a", 2), workload("a", 3)]).groups
    assert len(one.placed) == 3


def test_a_workload_that_admission_refuses_is_named(tmp_path):
    found = laid_out(tmp_path, [node("n", 8)], [priority("top", 1), workload("a", priorityClassName="gone")])
    assert (found.groups, found.refused) == ((), ("Deployment team/a",))
