"""Whom a pod evicts: eligibility, the dry run, budgets, and the choice among nodes."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod

from kubelint_gpu.scheduler import Snapshot, attempt, fit, preempt, read_cluster, read_pod

GPU = "nvidia.com/gpu"
TAIL = "no new claims to deallocate, preemption: "


def gpus(name, count, **more):
    found = node(name, **more)
    found["status"]["allocatable"] |= {GPU: str(count)}
    return found


def using(name, on, priority, count=1, start="2026-01-01T00:00:00Z", **more):
    resources = {"resources": {"requests": {GPU: str(count)}}}
    found = pod(name, on, containers=[{"name": "c", **resources}], priority=priority, labels={"app": name}, **more)
    found["status"]["startTime"] = start
    return found


def budget(allowed, *apps, name="budget", disrupted=()):
    selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": list(apps)}]} if apps else {}
    return {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": selector},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": dict.fromkeys(disrupted, "2026-01-01T00:00:00Z")},
    }


def tried(incoming, *objects):
    incoming = read_pod(incoming)
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    result = fit(incoming, snapshot)
    assert not result.schedulable
    return preempt(incoming, snapshot, result)


def names(preemption):
    return [victim.meta.name for victim in preemption.victims]


def said(incoming, *objects, version="1.34"):
    return attempt(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version))).message


NEW = using("new", None, 10)


def test_a_pod_of_equal_priority_is_no_victim():
    assert said(using("new", None, 0), gpus("n", 1), using("a", "n", 0)).endswith(
        TAIL + "0/1 nodes are available: 1 No preemption victims found for incoming pod."
    )


def test_the_more_important_pods_come_back_first():
    later = using("b", "n", 3, start="2026-01-01T00:00:09Z")
    found = tried(NEW, gpus("n", 4), using("a", "n", 5, 2), later, using("c", "n", 3))
    assert (found.nominated, names(found), found.violations) == ("n", ["b"], 0)


def test_reprieve_is_greedy_by_importance():
    pods = (using("x", "n", 5, 2), using("y", "n", 4, 2), using("z", "n", 3))
    assert names(tried(using("new", None, 10, 2), gpus("n", 5), *pods)) == ["y"]


def test_a_pod_under_a_spent_budget_comes_back_first():
    found = tried(NEW, gpus("n", 2), using("p", "n", 1), using("q", "n", 5), budget(0, "p"))
    assert (names(found), found.violations) == (["q"], 0)


def test_the_important_pod_uses_the_budget_up():
    pods = (using("p1", "n", 5), using("p2", "n", 1))
    found = tried(NEW, gpus("n", 2), *pods, budget(1, "p1", "p2"))
    assert (names(found), found.violations) == (["p1"], 0)
    found = tried(using("new", None, 10, 2), gpus("n", 2), *pods, budget(1, "p1", "p2"))
    assert (names(found), found.violations) == (["p1", "p2"], 1)


def test_a_budget_without_selector_terms_protects_nothing_here():
    found = tried(NEW, gpus("n", 2), using("p", "n", 1), using("q", "n", 5), budget(0))
    assert names(found) == ["p"]


def test_a_pod_that_a_budget_counts_as_gone_is_not_protected_by_it():
    found = tried(NEW, gpus("n", 2), using("p", "n", 1), using("q", "n", 5), budget(0, "p", disrupted=["p"]))
    assert names(found) == ["p"]


def test_removing_all_lower_pods_may_not_be_enough():
    text = said(NEW, gpus("n", 2), using("h", "n", 10), using("l", "n", 1), using("m", "n", 10))
    assert text.endswith(TAIL + "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")


def test_a_pod_that_never_preempts_says_so():
    text = said(using("new", None, 10, preemptionPolicy="Never"), gpus("n", 1), using("a", "n", 0))
    assert text.endswith(TAIL + "not eligible due to preemptionPolicy=Never.")


def terminating(value, reason="PreemptionByScheduler"):
    value["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
    value["status"]["conditions"] = [condition]
    return value


def nominated(value, name):
    return {**value, "status": {"nominatedNodeName": name}}


def test_a_pod_waits_for_the_victims_on_its_nominated_node():
    victim = terminating(using("v", "n", 0))
    text = said(nominated(NEW, "n"), gpus("n", 1), victim)
    assert text.endswith(TAIL + "not eligible due to a terminating pod on the nominated node.")


@pytest.mark.parametrize(
    ("incoming", "other"),
    [
        (nominated(NEW, "n"), terminating(using("v", "n", 0), reason="EvictionByEvictionAPI")),
        (nominated(NEW, "n"), terminating(using("v", "n", 0)) | {"spec": using("v", "n", 10)["spec"]}),
        (nominated(NEW, "gone"), terminating(using("v", "n", 0))),
        (NEW, terminating(using("v", "n", 0))),
    ],
)
def test_other_terminating_pods_do_not_stop_it(incoming, other):
    assert tried(incoming, gpus("n", 1), other).eligible


def test_it_is_eligible_again_when_nothing_can_be_done_on_the_nominated_node():
    victim = terminating(using("v", "n", 0))
    tainted = gpus("n", 1, taints=[{"key": "x", "effect": "NoSchedule"}])
    assert tried(nominated(NEW, "n"), tainted, victim).eligible
    missing = [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]
    assert tried(nominated(using("new", None, 10, volumes=missing), "n"), gpus("n", 1), victim).eligible
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [named]}}}
    elsewhere = nominated(using("new", None, 10, affinity=affinity), "n")
    assert tried(elsewhere, gpus("n", 1), gpus("m", 0), victim).eligible


def test_the_node_with_fewer_broken_budgets_is_chosen():
    pods = (using("a", "n1", 1), using("b", "n2", 0))
    assert tried(NEW, gpus("n1", 1), gpus("n2", 1), *pods, budget(0, "b")).nominated == "n1"


def test_then_the_one_whose_most_important_victim_is_least_important():
    found = tried(NEW, gpus("n1", 1), gpus("n2", 1), using("a", "n1", 7), using("b", "n2", 6))
    assert (found.nominated, found.alternatives) == ("n2", ())


def test_then_the_one_with_the_smaller_sum_of_priorities():
    pods = (using("a", "n1", 6), using("a2", "n1", -5), using("b", "n2", 6, 2))
    assert tried(using("new", None, 10, 2), gpus("n1", 2), gpus("n2", 2), *pods).nominated == "n2"


def test_then_the_one_with_the_youngest_victims():
    pods = (using("a", "n1", 6, start="2026-01-01T00:00:01Z"), using("b", "n2", 6, start="2026-01-01T00:00:02Z"))
    assert tried(NEW, gpus("n1", 1), gpus("n2", 1), *pods).nominated == "n2"
    assert tried(NEW, gpus("n1", 1), gpus("n2", 1), pods[0], using("b", "n2", 6, start="")).nominated == "n2"


def test_nodes_that_no_criterion_tells_apart_are_all_named():
    found = tried(NEW, gpus("n2", 1), gpus("n1", 1), using("a", "n1", 6), using("b", "n2", 6))
    assert found.nominated == "n1"
    assert [one.node for one in found.alternatives] == ["n2"]


def test_of_more_than_100_nodes_all_candidates_are_named():
    count = 101
    nodes = [gpus(f"n{number:03}", 1) for number in range(count)]
    found = tried(NEW, *nodes, *(using(f"p{number}", f"n{number:03}", 0) for number in range(count)))
    assert len(found.best) == count


def test_where_a_node_takes_the_pod_nobody_is_evicted():
    incoming = read_pod(NEW)
    found = attempt(incoming, Snapshot.of(read_cluster([gpus("n", 1)])))
    assert (found.message, found.preemption, found.held) == (None, None, "")


def test_ports_of_victims_are_free_even_if_another_pod_has_them():
    # HostPortInfo of the scheduler is a set: removing one owner of a port removes the port
    port = {"containers": [{"name": "c", "ports": [{"hostPort": 80}]}]}
    objects = (node("n"), pod("low", "n", priority=0, **port), pod("high", "n", priority=10, **port))
    assert tried(pod(priority=5, **port), *objects).nominated == "n"
