"""Rollouts of pods with resource claims: what they hold of devices, and what they give back.

Each case was played on a control plane of Kubernetes 1.34, or follows from one that was.
"""

from __future__ import annotations

import pytest
from device_objects import CLASS, DRIVER, IN_PLACE, RECREATE, SURGE, asking, by, claim, plain, slices, template
from rollout_objects import node, workload

from kubelint_gpu.kube.objects.quota import quota_usage
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.scheduler.placement.running_claims import with_allocations
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition

COMPLETES, MAY, STUCK = Verdict.COMPLETES, Verdict.MAY_STICK, Verdict.STUCK


def judged(change, *objects, version="1.34"):
    """What becomes of the first of some changes, or of the next rollout of a workload that stays as it is."""
    changes = change if isinstance(change, list) else [change]
    changes = [one if isinstance(one, Transition) else Transition(one, one) for one in changes]
    return judge(changes, with_allocations(read_cluster([CLASS, *objects], version=version)))[0]


def verdict(change, *objects, version="1.34"):
    return judged(change, *objects, version=version).verdict


@pytest.mark.parametrize(
    ("devices", "replicas", "update", "expected"),
    [
        (1, 1, SURGE, STUCK),
        (2, 1, SURGE, COMPLETES),
        (1, 1, RECREATE, COMPLETES),
        (1, 1, IN_PLACE, COMPLETES),
        (2, 2, SURGE, STUCK),
        (3, 2, SURGE, COMPLETES),
    ],
)
def test_a_claim_made_for_a_pod_needs_devices_of_its_own(devices, replicas, update, expected):
    objects = [plain("n1"), slices("n1", *["A"] * devices), template("t", asking())]
    assert verdict(by("w", replicas, update, template="t"), *objects) is expected


def test_a_claim_that_pods_name_is_shared_by_old_and_new_ones():
    objects = [plain("n1"), slices("n1", "A"), claim("c", asking())]
    assert verdict(by("w", claim="c"), *objects) is COMPLETES


def test_a_claim_that_pods_name_binds_them_to_the_node_of_its_devices():
    # what is free on the other node does not help while the old pod uses the claim
    small = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "6"}}}]}
    objects = [plain("n1", "8"), plain("n2", "8"), slices("n1", "A"), slices("n2", "A"), claim("c", asking())]
    assert verdict(by("w", claim="c", **small), *objects) is STUCK
    assert verdict(by("w", 1, RECREATE, claim="c", **small), *objects) is COMPLETES


def test_a_claim_for_devices_of_all_nodes_binds_nobody():
    objects = [plain("n1", "8"), plain("n2", "8"), slices("net", "A", allNodes=True), claim("c", asking())]
    small = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "6"}}}]}
    assert verdict(by("w", claim="c", **small), *objects) is COMPLETES


def test_a_change_of_what_is_asked_for_is_judged_with_what_the_old_pods_hold():
    objects = [plain("n1"), slices("n1", "H", "A"), template("any", asking()), template("h", asking(model="H"))]
    # the old pod has the first device, which is the only one that suits the new pod
    assert verdict(Transition(by("w", template="h"), by("w", template="any")), *objects) is STUCK
    turned = [plain("n1"), slices("n1", "A", "H"), *objects[2:]]
    assert verdict(Transition(by("w", template="h"), by("w", template="any")), *turned) is COMPLETES


def test_pools_are_tried_in_any_order_before_1_36():
    pools = [slices("p1", "H", nodeName="n1"), slices("p2", "A", nodeName="n1")]
    objects = [plain("n1"), *pools, template("any", asking()), template("h", asking(model="H"))]
    change = Transition(by("w", template="h"), by("w", template="any"))
    assert verdict(change, *objects) is MAY
    assert verdict(change, *objects, version="1.36") is STUCK


def test_an_error_on_one_node_stops_a_pod_that_another_node_could_take():
    objects = [plain("n1"), plain("n2"), slices("n1", "H", "H"), template("any", asking())]
    change = Transition(by("w", template="h"), by("w", template="any"))
    wanted = template("h", asking(model="H"))
    assert verdict(change, *objects, wanted, slices("n2", "", "")) is STUCK
    assert verdict(change, *objects, wanted, slices("n2", "A")) is COMPLETES


def test_a_device_that_is_held_does_no_harm():
    # with nothing else running the attempt fails over the first device; while the old pod has it, it is not looked at
    objects = [plain("n1"), slices("n1", "", "H"), template("any", asking()), template("h", asking(model="H"))]
    assert verdict(Transition(by("w", template="h"), by("w", template="any")), *objects) is COMPLETES


def test_preemption_frees_no_device():
    high = by("high", template="t", priority=1000)
    objects = [plain("n1"), slices("n1", "A", "A"), template("t", asking())]
    assert verdict([high, by("low", template="t")], *objects) is STUCK


def test_the_same_device_of_two_nodes_is_one():
    shared = [slices("s1", "A", pool="p", nodeName="n1"), slices("s2", "A", pool="p", nodeName="n2")]
    objects = [plain("n1"), plain("n2"), *shared, template("t", asking())]
    assert verdict(by("w", template="t"), *objects) is STUCK


def test_a_quota_counts_claims_until_their_pods_are_gone():
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "d"},
        "spec": {"hard": {"gpu.deviceclass.resource.k8s.io/devices": "1"}},
    }
    objects = [plain("n1"), slices("n1", "A", "A"), template("t", asking()), quota]
    found = judged(by("w", template="t"), *objects)
    assert found.verdict is STUCK
    assert "resourceclaims" in found.runs.trace.waiting[0].refusal.text
    assert verdict(by("w", 1, RECREATE, template="t"), *objects) is COMPLETES


def test_a_pod_that_took_a_device_of_another_model_does_not_give_it_back():
    # b takes the H that a gives up, and then gives an A back, which a cannot use
    objects = [plain("n1"), slices("n1", "H", "A"), template("any", asking()), template("h", asking(model="H"))]
    a, b = by("a", 1, RECREATE, template="h"), by("b", template="any")
    changes = [Transition(a, a, known=True), Transition(b, b, known=True)]
    cluster = read_cluster([CLASS, *objects], version="1.34")
    (together,) = judge_together(changes, cluster, ends=a.key)
    assert together.verdict is MAY


def test_running_pods_of_a_capture_hold_what_their_claims_say():
    allocation = {"devices": {"results": [{"request": "r", "driver": DRIVER, "pool": "n1", "device": "gpu-1"}]}}
    owned = claim(
        "w-x-c", asking(), allocation=allocation, reservedFor=[{"resource": "pods", "name": "w-x", "uid": ""}]
    )
    owned["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "w-x", "uid": "", "controller": True}]
    running = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "w-x", "namespace": "d", "labels": {"app": "w"}},
        "spec": {
            "nodeName": "n1",
            "priority": 0,
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "any"}],
        },
        "status": {"phase": "Running", "resourceClaimStatuses": [{"name": "c", "resourceClaimName": "w-x-c"}]},
    }
    objects = [plain("n1"), slices("n1", "H", "A"), template("any", asking()), template("h", asking(model="H"))]
    change = Transition(by("w", template="h"), by("w", template="any"))
    assert verdict(change, *objects) is STUCK
    # the pod has the second device: the first is free
    assert verdict(change, *objects, owned, running) is COMPLETES


def test_pods_that_run_where_no_claim_is_told_have_what_the_scheduler_would_give_them():
    running = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "x", "namespace": "d"},
        "spec": {
            "nodeName": "n1",
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}],
        },
        "status": {"phase": "Running"},
    }
    objects = [plain("n1"), slices("n1", "A", "A"), template("t", asking()), running]
    assert verdict(by("w", template="t"), *objects) is STUCK
    assert verdict(by("w", 1, RECREATE, template="t"), *objects) is COMPLETES


def test_a_stateful_set_whose_pods_ask_for_more_stops_where_too_little_is_left():
    change = Transition(
        by("w", 2, {"type": "RollingUpdate"}, "StatefulSet", template="two"),
        by("w", 2, {"type": "RollingUpdate"}, "StatefulSet", template="one"),
    )
    asks = [template("one", asking()), template("two", asking(2))]
    assert judged(change, plain("n1"), slices("n1", *"AAA"), *asks).room.placed == 1
    assert verdict(change, plain("n1"), slices("n1", *"AAAA"), *asks) is COMPLETES


def test_pods_without_claims_are_judged_without_a_look_at_devices():
    objects = [node("n1", 2), slices("n1", "A"), template("t", asking())]
    assert verdict(workload("Deployment", update=SURGE), *objects) is COMPLETES


def test_a_claim_for_administration_is_refused_where_its_namespace_does_not_allow_it():
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}}
    objects = [plain("n1"), slices("n1", "A"), template("t", asking(adminAccess=True))]
    assert verdict(by("w", template="t"), *objects) is COMPLETES
    assert judged(by("w", template="t"), *objects, space).room.placed == 0
    space["metadata"]["labels"] = {"resource.kubernetes.io/admin-access": "true"}
    assert verdict(by("w", template="t"), *objects, space) is COMPLETES


def test_pods_of_a_daemon_set_hold_devices_while_others_are_rolled():
    agent = by("agent", 1, {"type": "RollingUpdate"}, "DaemonSet", template="t")
    rolled, stays = by("w", template="t"), Transition(agent, agent, rolls=False)
    objects = [plain("n1"), template("t", asking())]
    assert verdict([rolled, stays], *objects, slices("n1", *"AA")) is STUCK
    assert verdict([rolled, stays], *objects, slices("n1", *"AAA")) is COMPLETES


def test_a_pod_that_ends_some_day_gives_its_devices_back():
    running = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "x", "namespace": "d"},
        "spec": {
            "nodeName": "n1",
            "restartPolicy": "Never",
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}],
        },
        "status": {"phase": "Running"},
    }
    small = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}
    objects = [plain("n1"), slices("n1", "A", "A"), template("t", asking())]
    assert verdict(by("w", template="t", **small), *objects, running) is COMPLETES
    running["spec"]["restartPolicy"] = "Always"
    assert verdict(by("w", template="t", **small), *objects, running) is STUCK


def test_nodes_that_reach_the_same_devices_are_alike():
    nodes = [plain(f"n{number}") for number in range(6)]
    objects = [*nodes, slices("net", "A", allNodes=True), claim("c", asking())]
    found = judged(by("w", 2, claim="c"), *objects)
    assert found.verdict is COMPLETES
    assert found.runs.states < 200


@pytest.mark.parametrize(
    ("replicas", "update", "kind", "expected"),
    [
        (1, SURGE, "Deployment", STUCK),
        (1, RECREATE, "Deployment", COMPLETES),
        (2, {"type": "RollingUpdate"}, "StatefulSet", STUCK),
        (1, {"type": "RollingUpdate"}, "StatefulSet", COMPLETES),
    ],
)
def test_pods_of_an_allocated_claim_run_where_its_devices_are(replicas, update, kind, expected):
    # the node was cordoned since: no new pod comes there while another uses the claim
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}
    devices = {"results": [{"request": "r", "driver": DRIVER, "pool": "n1", "device": "gpu-0"}]}
    held = claim("c", asking(), allocation={"devices": devices, "nodeSelector": selector})
    cordoned = {**plain("n1"), "spec": {"unschedulable": True}}
    objects = [plain("n2"), slices("n1", "A"), slices("n2", "A"), held]
    old, new = (by("w", replicas, update, kind, claim="c", terminationGracePeriodSeconds=grace) for grace in (5, 6))
    assert verdict(Transition(new, old, known=True), cordoned, *objects) is expected
    assert verdict(Transition(new, old, known=True), plain("n1"), *objects) is COMPLETES


ON_N1 = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}


def held(name, device="gpu-0", user=""):
    """A claim that has a device of n1, reserved for a pod that no inventory tells, or for nobody."""
    devices = {"results": [{"request": "r", "driver": DRIVER, "pool": "n1", "device": device}]}
    found = claim(name, asking(), allocation={"devices": devices, "nodeSelector": ON_N1})
    if user:
        found["status"]["reservedFor"] = [{"resource": "pods", "name": user, "uid": user}]
    return found


@pytest.mark.parametrize("user", ["stranger", ""])
def test_an_allocated_claim_has_its_devices_whoever_uses_it(user):
    objects = [plain("n1"), slices("n1", "A", "A"), template("t", asking()), template("both", asking(2))]
    assert verdict(by("w", template="t"), *objects) is COMPLETES
    found = judged(by("w", template="t"), *objects, held("c", user=user))
    assert found.verdict is STUCK
    assert (f"Pod/d/{user}" if user else "ResourceClaim/d/c") in {
        owner for waiting in found.runs.trace.waiting for lack in waiting.lacks for owner in lack.owners
    }
    # with nothing running there would be room
    found = judged(by("w", template="both"), *objects, held("c", user=user))
    assert (found.room.eligible, found.room.placed) == (frozenset({"n1"}), 0)


@pytest.mark.parametrize(
    ("user", "pods", "expected"), [("", 2, COMPLETES), ("stranger", 2, STUCK), ("stranger", 3, COMPLETES)]
)
def test_a_claim_that_nobody_uses_takes_no_place_of_a_pod(user, pods, expected):
    small = {**plain("n1"), "status": {"allocatable": {**plain("n1")["status"]["allocatable"], "pods": str(pods)}}}
    objects = [small, slices("n1", "A", "A", "A"), template("t", asking()), held("c", user=user)]
    assert verdict(by("w", template="t"), *objects) is expected


@pytest.mark.parametrize(("user", "used"), [("", 0), ("stranger", 1000)])
def test_a_claim_that_nobody_uses_is_no_pod_of_a_quota(user, used):
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "d"}, "spec": {"hard": {"pods": "5"}}}
    cluster = with_allocations(read_cluster([CLASS, plain("n1"), slices("n1", "A"), held("c", user=user), quota]))
    assert quota_usage(cluster.quotas[0], cluster.pods)["pods"] == used


@pytest.mark.parametrize(
    ("kind", "devices", "user", "expected"),
    [
        ("Deployment", "AA", "w-6f7d9c5b4-abcde", (1, COMPLETES)),
        ("Deployment", "AA", "w-api-6f7d9c5b4-abcde", (1, STUCK)),
        ("Deployment", "AA", "w-0", (1, STUCK)),
        ("StatefulSet", "A", "w-0", (1, COMPLETES)),
        ("StatefulSet", "A", "w-6f7d9c5b4-abcde", (0, None)),
    ],
)
def test_a_claim_tells_of_the_pods_of_a_workload_that_are_not_listed(kind, devices, user, expected):
    objects = [plain("n1"), slices("n1", *devices), template("t", asking()), held("c", user=user)]
    found = judged(by("w", 1, SURGE if kind == "Deployment" else IN_PLACE, kind, template="t"), *objects)
    assert (found.room.placed, found.verdict) == expected


def test_more_devices_than_there_are_is_known_without_a_search():
    objects = [plain("n1"), plain("n2"), slices("n1", *"AAAA"), slices("n2", *"AAAA"), template("t", asking(2))]
    changes = [Transition(one, one) for one in (by(f"w{number}", 2, template="t") for number in range(3))]
    found = judge(changes, with_allocations(read_cluster([CLASS, *objects], version="1.34")))
    assert [(one.by, one.room.placed, one.room.at_best) for one in found] == [("shortage-by-sum", 0, 2)] * 3
    changes = changes[:2]
    found = judge(changes, with_allocations(read_cluster([CLASS, *objects], version="1.34")))
    assert [one.room.placed for one in found] == [2, 2]


@pytest.mark.parametrize(("nodes", "each", "known"), [(3, 1, True), (3, 2, True), (2, 1, False)])
def test_rollouts_that_leave_devices_for_all_at_a_rest_are_known_to_end_without_a_search(nodes, each, known):
    # at a rest others hold 11 devices at most, or 10 where each pod takes two
    names = [f"n{number}" for number in range(nodes)]
    on = [one for name in names for one in (plain(name), slices(name, *"AAAA"))]
    update = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    workloads = [by(f"w{number}", 6 // each, update, template="t") for number in range(2)]
    found = judge_together(
        [Transition(one, one, known=True) for one in workloads],
        with_allocations(read_cluster([CLASS, *on, template("t", asking(each))], version="1.36")),
    )
    assert [(one.verdict, not one.runs.searched) for one in found] == ([(COMPLETES, True)] if known else [(None, True)])
