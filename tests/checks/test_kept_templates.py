"""What a template gets wrong of which a change makes no pod, and what becomes of pods that keep theirs."""

from __future__ import annotations

import json

import pytest
from change_cases import inventory, made, on
from checks_units import findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

BELOW = "updateStrategy: {rollingUpdate: {partition: 3}}\n"
RECREATED = "strategy: {type: Recreate}\n"
ON_DELETE = "updateStrategy: {type: OnDelete}\n"
PARALLEL = "podManagementPolicy: Parallel\n"
SURPLUS = ((0, ""), (1, "n1"), (2, "n1"))
WAITS = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}
LIMITS = (
    "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: limits, namespace: serving}\n"
    "spec: {limits: [{type: Container, max: {nvidia.com/gpu: 1}}]}\n"
)
QUOTA = (
    "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: quota, namespace: serving}\n"
    'spec: {hard: {pods: "4"}}\nstatus: {hard: {pods: "4"}, used: {pods: "4"}}\n'
)


def told(before, after, cluster):
    """The findings of a change, but notes and what is said of priorities, as (code, severity, moment)."""
    old = {one.object: one for one in unit(before, cluster).manifests}
    new = {one.object for one in unit(after, cluster).manifests}
    judged = ApplySet((read("a.yaml", after.encode()),), world(cluster), before=old, made=new - old.keys())
    found = [one for one in check((judged,), judged.world).findings if one.severity != "note" and one.code != "KLG301"]
    return [(one.code, one.severity, one.moment) for one in found]


def stateful(gpus=1, replicas=2, strategy=BELOW):
    return made("s", strategy, replicas=replicas, gpus=gpus, kind="StatefulSet")


def pod(owner, name, gpus, node, priority=1000, **labels):
    """A pod of a capture; it waits without a node."""
    limits = {"nvidia.com/gpu": str(gpus)}
    kind = "StatefulSet" if name[len(owner) + 1 :].isdigit() else "ReplicaSet"
    named = owner if kind == "StatefulSet" else f"{owner}-1"
    by = {"apiVersion": "apps/v1", "kind": kind, "name": named, "uid": owner, "controller": True}
    found = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "serving", "labels": labels, "ownerReferences": [by]},
        "spec": {
            "containers": [{"name": "main", "resources": {"limits": limits, "requests": limits}}],
            "priority": priority,
        },
        "status": {"phase": "Running"} if node else WAITS,
    }
    if node:
        found["spec"]["nodeName"] = node
    return f"---\n{json.dumps(found)}\n"


@pytest.mark.parametrize("replicas", [2, 3])
def test_ordinals_below_a_partition_are_of_the_old_template_also_those_that_are_added(replicas):
    assert told(stateful(), stateful(9, replicas), inventory(4)) == [("KLG503", "warning", "later")]
    assert told(stateful(), stateful(9, 4), inventory(4)) == [("KLG503", "error", "now")]


def test_a_template_that_is_scaled_to_nothing_is_told_of_later():
    one = made("a", pod=on("n1"))
    assert told(one, made("a", replicas=0, gpus=9), inventory(4)) == [("KLG503", "warning", "later")]


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_what_admission_refuses_is_told_of_later_where_no_such_pod_is_made(kind):
    before, after = (made("s", ON_DELETE, gpus=gpus, kind=kind) for gpus in (1, 2))
    assert told(before, after, inventory(4) + LIMITS) == [("KLG003", "warning", "later")]
    rolled = (made("s", "", gpus=gpus, kind=kind) for gpus in (1, 2))
    assert ("KLG003", "error", "now") in told(*rolled, inventory(4) + LIMITS)


def test_what_is_left_alone_is_told_of_as_before_where_admission_refuses_it():
    one = made("a", gpus=2)
    assert told(one, one, inventory(4) + LIMITS) == [("KLG003", "error", "now")]


def test_a_set_that_shrinks_in_order_keeps_its_surplus_while_a_lower_ordinal_waits():
    cluster = inventory(2) + "".join(pod("s", f"s-{number}", 1, node, app="s") for number, node in SURPLUS)
    (found,) = told(stateful(1, 3, ""), stateful(1, 1, ""), cluster)
    assert found[1:] == ("error", "now")
    assert told(stateful(1, 3, PARALLEL), stateful(1, 1, PARALLEL), cluster) == []


@pytest.mark.parametrize(("gpus", "runs"), [(0, True), (1, False)])
def test_a_pod_that_is_evicted_comes_back_with_the_template_that_was_left_to_delete_it(gpus, runs):
    cluster = inventory(1, more="  - {name: weak, value: 1}\n") + pod("s", "s-0", 1, "n1", 1, app="s")
    beside = made("hi", RECREATED)
    before, after = (stateful(each, 1, ON_DELETE).replace("serving\n", "weak\n", 1) for each in (1, gpus))
    after = after.replace("main:1", "main:2") if gpus else after
    found = told(before, after + beside, cluster)
    assert (not [one for one in found if one[2] == "now" and one[1] == "error"]) is runs


@pytest.mark.parametrize(("replicas", "expected"), [(1, []), (2, ["next"])])
def test_the_next_rollout_finds_the_quota_without_the_pods_that_are_given_up(replicas, expected):
    pods = "".join(pod(name, f"{name}-{end}", 1, "n1", app=name) for name in "ab" for end in "xy")
    cluster = inventory(9) + QUOTA + pods
    before = made("a", replicas=2) + made("b", RECREATED, replicas=2)
    after = made("a", replicas=replicas) + made("b", replicas=2)
    found = told(before, after, cluster)
    assert sorted({moment for code, _, moment in found if code == "KLG105"}) == expected


def test_an_amount_that_is_filled_in_later_hides_nothing():
    one = made("a", pod=on("n1")).replace("nvidia.com/gpu: 1", 'nvidia.com/gpu: 1, memory: "${MEMORY}"')
    assert told(one, one.replace("main:1", "main:2"), inventory(1)) == [("KLG101", "error", "now")]
    unknown = one.replace("nvidia.com/gpu: 1", 'nvidia.com/gpu: "${GPUS}"')
    assert told(unknown, unknown, inventory(1)) == []


@pytest.mark.parametrize(("replicas", "severity"), [(3, "warning"), (4, "error")])
def test_pods_that_keep_their_template_may_run_where_the_inventory_has_no_room_for_them_now(replicas, severity):
    before, after = made("a", RECREATED, replicas=2), made("a", RECREATED, replicas=replicas)
    assert told(before, after, inventory(1)) == [("KLG109", severity, "now")]
    assert told(before, made("a", replicas=3), inventory(2))[0] == ("KLG109", "error", "now")


def test_a_daemon_set_whose_template_stays_makes_no_pod_that_admission_could_refuse():
    before = made("s", kind="DaemonSet", strategy="", gpus=2)
    after = before.replace("spec:\n", "spec:\n  minReadySeconds: 5\n", 1)
    cluster = inventory(4) + LIMITS + pod("s", "s-x", 2, "n1", app="s").replace("ReplicaSet", "DaemonSet")
    assert told(before, after, cluster) == [("KLG003", "warning", "later")]
    assert told(before, after.replace("main:1", "main:2"), cluster)[0] == ("KLG003", "error", "now")


@pytest.mark.parametrize("running", [True, False])
def test_a_pod_that_stays_counts_in_a_domain_that_takes_no_further_one(running):
    spread = (
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
        "labelSelector: {matchLabels: {app: a}}}]\n"
    )
    before, after = (made("a", RECREATED, replicas=number, pod=spread) for number in (2, 3))
    pods = pod("a", "a-x", 1, "n1", app="a") + pod("a", "a-y", 1, "n2", app="a") if running else ""
    found = told(before, after, inventory(3, 0) + pods)
    assert [one[:2] for one in found if one[0] != "KLG602"] == ([] if running else [("KLG406", "warning")])


@pytest.mark.parametrize(("replicas", "expected"), [(1, []), (2, [("KLG109", "now")])])
@pytest.mark.parametrize("why", ["no class", "a gate"])
def test_a_rollout_whose_pods_never_run_gives_up_what_it_may(why, replicas, expected):
    one = made("a", "strategy: {rollingUpdate: {maxUnavailable: 1}}\n", replicas=4)
    never = one.replace("main:1", "main:2")
    if why == "no class":
        never = never.replace("priorityClassName: serving", "priorityClassName: none")
    else:
        never = never.replace("priorityClassName: serving", "schedulingGates: [{name: x/y}]", 1)
    found = told(one + made("b", replicas=0), never + made("b", replicas=replicas), inventory(4))
    assert [(code, moment) for code, _, moment in found if code == "KLG109"] == expected
    assert {severity for code, severity, _ in found if code == "KLG109"} <= {
        "error" if why == "no class" else "warning"
    }


@pytest.mark.parametrize(("limit", "expected"), [(4, []), (3, [("KLG107", "warning", "now")])])
def test_a_quota_counts_new_pods_that_a_gate_holds(limit, expected):
    quota = QUOTA.replace('"4"', f'"{limit}"').replace(f'used: {{pods: "{limit}"}}', 'used: {pods: "2"}')
    one, gated = (
        made("a", replicas=2),
        made("b").replace("priorityClassName: serving", "schedulingGates: [{name: x/y}]"),
    )
    found = told(one, one.replace("main:1", "main:2") + gated, inventory(8) + quota)
    assert [each for each in found if each[0] != "KLG206"] == expected


@pytest.mark.parametrize(("limit", "expected"), [(4, []), (3, [("KLG107", "warning", "now")])])
def test_a_quota_counts_the_pods_of_a_rollout_that_a_gate_holds(limit, expected):
    quota = QUOTA.replace('"4"', f'"{limit}"').replace(f'used: {{pods: "{limit}"}}', 'used: {pods: "2"}')
    before = made("a") + made("b")
    after = before.replace("main:1", "main:2")
    gated = "schedulingGates: [{name: x/y}]".join(after.rsplit("priorityClassName: serving", 1))
    assert [each for each in told(before, gated, inventory(8) + quota) if each[0] != "KLG206"] == expected


@pytest.mark.parametrize("raised", [False, True])
@pytest.mark.parametrize("used", [2, 3])
def test_a_pod_that_a_quota_refused_before_may_come_after_one_that_is_rolled(raised, used):
    quota = QUOTA.replace('"4"', '"2"').replace('used: {pods: "2"}', f'used: {{pods: "{used}"}}')
    pods = "".join(pod("a", f"a-{end}", 1, "n1", app="a") for end in "xy")
    before = made("a", RECREATED, replicas=2) + made("z", RECREATED)
    after = before.replace("main:1", "main:2", 1)
    if raised:
        after += quota.partition("status:")[0].replace('"2"', '"3"')
    errors = [
        code for code, severity, moment in told(before, after, inventory(9) + quota + pods) if severity == "error"
    ]
    assert bool(errors) is (used == 3 and not raised)


@pytest.mark.parametrize(("cordoned", "expected"), [(False, []), (True, [("KLG111", "error", "now")])])
def test_ordinals_below_a_partition_come_with_the_template_before_also_where_no_node_takes_it(cordoned, expected):
    before, after = (
        made("s", BELOW, replicas=number, pod=on(node), kind="StatefulSet") for number, node in ((0, "n1"), (1, "n2"))
    )
    cluster = inventory(1, 1)
    if cordoned:
        cluster = cluster.replace("labels: {on: n1}", "labels: {on: n1}\n    unschedulable: true")
    assert told(before, after, cluster) == expected


@pytest.mark.parametrize(
    ("kind", "strategy", "there", "expected"),
    [
        ("ReplicaSet", "", 2, [("KLG109", "error", "now")]),
        ("StatefulSet", ON_DELETE, 1, [("KLG109", "error", "now")]),
        ("StatefulSet", ON_DELETE + PARALLEL, 2, [("KLG109", "error", "now")]),
        ("StatefulSet", PARALLEL, 2, []),
    ],
)
def test_pods_that_wait_keep_their_template_where_nobody_replaces_them(kind, strategy, there, expected):
    before, after = (made("s", strategy, replicas=2, gpus=gpus, kind=kind) for gpus in (9, 1))
    pods = "".join(pod("s", f"s-{number}", 9, "", app="s") for number in range(there))
    if kind == "ReplicaSet":
        pods = pods.replace('"kind": "StatefulSet"', '"kind": "ReplicaSet"')
    assert told(before, after, inventory(4) + pods) == expected


@pytest.mark.parametrize("kind", ["ReplicaSet", "Deployment"])
def test_a_gate_of_pods_that_are_kept_is_told_although_the_template_has_none(kind):
    after = made("s", "", kind=kind)
    before = after.replace("priorityClassName: serving", "schedulingGates: [{name: x/y}]")
    one = pod("s", "s-1", 1, "", app="s").replace("StatefulSet", "ReplicaSet")
    gated = one.replace('"priority": 1000', '"schedulingGates": [{"name": "x/y"}]')
    if kind == "Deployment":
        gated = gated.replace('"name": "s", "uid"', '"name": "s-1", "uid"')
    found = told(before, after, inventory(4) + gated)
    assert ([code for code, _, _ in found] == ["KLG206"]) is (kind == "ReplicaSet")


@pytest.mark.parametrize("running", [True, False])
def test_bare_pods_that_are_applied_together_are_placed_in_any_order(running):
    one = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: serving}\nspec:\n  priorityClassName: serving\n"
    one += "  containers: [{name: main, image: main:1, resources: {limits: {nvidia.com/gpu: %s}}}]\n"
    text, bare = (
        (one % ("a", 1)).removeprefix("---\n") + one % ("b", 2),
        "".join(
            pod(name, name, gpus, node).replace('"ownerReferences"', '"ignored"')
            for name, gpus, node in (("a", 1, "n1"), ("b", 2, "n2"))
        ),
    )
    judged = unit(text, inventory(1, 2) + (bare if running else ""))
    told_of = [(one.code, one.object) for one in check((judged,), judged.world).findings if one.code == "KLG109"]
    assert told_of == ([] if running else [("KLG109", "Pod/serving/b")])


@pytest.mark.parametrize("kind", ["StatefulSet", "Deployment"])
def test_a_pod_on_a_node_that_is_not_declared_is_somewhere_else(kind):
    one = made("s", "", replicas=2, kind=kind)
    pods = pod("s", "s-0" if kind == "StatefulSet" else "s-1-x", 1, "gone", app="s")
    after = one.replace("main:1", "main:2")
    assert [code for code, _, _ in told(one, after, inventory(4) + pods)] == ["KLG602"]
    assert "KLG503" in {
        code for code, _, _ in told(one, made("s", "", replicas=2, gpus=9, kind=kind), inventory(4) + pods)
    }


@pytest.mark.parametrize("strategy", [ON_DELETE, BELOW])
def test_pods_that_a_capture_shows_keep_their_template_where_nothing_is_compared(strategy):
    text, cluster = stateful(gpus=4, strategy=strategy), inventory(2)
    assert [(one.code, one.severity, one.moment) for one in findings(text, cluster, code="KLG503")] == [
        ("KLG503", "error", "now")
    ]
    shown = "".join(pod("s", f"s-{ordinal}", 1, "n1") for ordinal in range(2))
    found = findings(text, cluster + shown)
    assert [(one.code, one.severity, one.moment) for one in found if one.severity != "note"] == [
        ("KLG503", "warning", "later")
    ]
