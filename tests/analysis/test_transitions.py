"""What a change becomes when all of it is applied at once: old pods hold what their old template says."""

from __future__ import annotations

import pytest
from change_cases import (
    CLAIM,
    DATA,
    GIVES,
    KEEPS,
    PAUSED,
    RECREATE,
    SURGE,
    found,
    inventory,
    made,
    on,
    pod,
    told,
    told_now,
)
from checks_units import findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

NONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"


def test_old_pods_hold_the_claims_of_their_old_template_and_new_ones_those_of_the_new():
    cluster = inventory(2)
    assert told_now(made("a", pod=DATA) + CLAIM, made("a") + CLAIM, cluster) == []
    assert told_now(made("a") + CLAIM, made("a", pod=DATA) + CLAIM, cluster) == []
    other = DATA.replace("data", "cache")
    claims = CLAIM + CLAIM.replace("data", "cache")
    assert told_now(made("a", pod=DATA) + claims, made("a", pod=other) + claims, cluster) == []
    assert told_now(made("a", pod=DATA) + claims, made("a", RECREATE, pod=DATA, gpus=2) + claims, cluster) == []
    assert told_now(made("a", pod=DATA) + claims, made("a", pod=DATA, more="args: [x]") + claims, cluster) == [
        ("KLG104", "a")
    ]


def test_of_an_object_that_is_applied_twice_the_last_one_stays():
    before, stuck = made("a"), [("KLG101", "a")]
    assert told_now(before, made("a", RECREATE, gpus=1) + made("a", RECREATE, gpus=2), inventory(2)) == []
    assert told_now(before, made("a", more="args: [x]") + made("a", RECREATE), inventory(1)) == []
    assert told_now(before, made("a", RECREATE) + made("a", more="args: [x]"), inventory(1)) == stuck


def test_objects_of_which_the_api_server_makes_the_names_are_not_one():
    anew = made("a", RECREATE).replace("name: a,", "generateName: a,")
    assert [code for code, _ in told("", anew + anew, inventory(1))] == ["KLG109", "KLG109"]


def test_a_claim_that_moves_from_one_workload_to_another_is_free_when_the_old_pod_is_gone():
    before = made("a", pod=DATA) + made("b") + CLAIM
    after = made("a") + made("b", pod=DATA) + CLAIM
    assert told_now(before, after, inventory(4)) == []


def test_the_pods_of_a_paused_deployment_keep_the_claim_of_the_template_before():
    before = made("a", PAUSED, pod=DATA) + made("b") + CLAIM
    ((code, name, message),) = found(before, made("a", PAUSED) + made("b", pod=DATA) + CLAIM, inventory(4))
    assert (code, name) == ("KLG109", "b")
    assert message == (
        "its 1 replica cannot run beside the other workloads: it waits for claim data (ReadWriteOncePod), "
        "used by Deployment serving/a; one pod at a time can use the claim, whatever the strategy: this is no rollout "
        "deadlock"
    )


def test_a_host_port_is_held_by_who_had_it_until_the_old_pod_goes():
    def port(number):
        return f"ports: [{{containerPort: 80, hostPort: {number}}}]"

    def ports(one, other):
        return made("a", more=port(one)) + made("b", more=port(other))

    assert told_now(ports(80, 70), ports(90, 80), inventory(4)) == []
    assert told_now(ports(80, 90), ports(90, 80), inventory(4)) == [("KLG102", "a"), ("KLG102", "b")]


@pytest.mark.parametrize(
    ("partition", "gpus", "codes"),
    [
        (0, 4, ["KLG111"]),
        (1, 4, ["KLG111"]),
        (2, 4, ["KLG109"]),
        (2, 6, []),
        (3, 4, ["KLG109"]),
        (9, 3, ["KLG109"]),
        (9, 6, []),
        (2, 3, ["KLG111"]),
    ],
)
def test_ordinals_below_the_partition_keep_the_old_template(partition, gpus, codes):
    strategy = f"updateStrategy: {{rollingUpdate: {{partition: {partition}}}}}\n"
    before = made("s", strategy, replicas=3, gpus=1, kind="StatefulSet")
    after = made("s", strategy, replicas=3, gpus=2, kind="StatefulSet")
    assert [code for code, _ in told(before, after, inventory(gpus))] == codes


def test_parallel_ordinals_below_the_partition_are_no_missing_capacity_before_it_is_lowered():
    strategy = "podManagementPolicy: Parallel\nupdateStrategy: {rollingUpdate: {partition: 2}}\n"
    before = made("s", strategy, replicas=3, gpus=1, kind="StatefulSet")
    after = made("s", strategy, replicas=3, gpus=2, kind="StatefulSet")
    ((code, _, message),) = found(before, after, inventory(4))
    assert code == "KLG109"
    assert message.startswith(
        "with this change the pods below its partition run on, and once it is lowered to 0, only 2 of 3 replicas can run"
    )
    assert told(before, after, inventory(6)) == []
    assert told(before, made("s", strategy, replicas=3, gpus=3, kind="StatefulSet"), inventory(4)) == [("KLG109", "s")]


def test_a_daemon_set_waits_for_an_old_pod_only_where_it_had_one():
    def daemons(node, strategy=SURGE, more=""):
        return made("d", strategy, pod=on(node) if node else "", more=more, kind="DaemonSet")

    cluster = inventory(1, 1)
    assert told_now(daemons("n1"), daemons("n2"), cluster) == []
    assert told_now(daemons("n1"), daemons("n1", more="args: [x]"), cluster) == [("KLG110", "d")]
    assert told_now(daemons("n1"), daemons(""), cluster) == [("KLG110", "d")]
    assert told_now(daemons("n1"), daemons(""), inventory(2, 1)) == []


def test_a_daemon_set_gives_the_nodes_up_that_it_no_longer_selects():
    def both(daemons, other):
        return made("d", "", pod=on(daemons), kind="DaemonSet") + made("c", pod=on(other))

    assert told_now(both("n1", "n3"), both("n2", "n1"), inventory(1, 1, 1)) == []
    ((code, name, message),) = found(both("n1", "n2"), both("n2", "n2"), inventory(1, 1))
    assert (code, name) == ("KLG109", "d")
    assert message == (
        "no pod that it makes for 1 node finds room beside the other workloads (on n2, held by Deployment serving/c), "
        "and it stays Pending"
    )


def pair(one, other, first, second):
    return made("a", one, pod=on(first)) + made("b", other, pod=on(second))


@pytest.mark.parametrize(
    ("one", "other", "codes"),
    [
        (KEEPS, KEEPS, [("KLG101", "a"), ("KLG101", "b")]),
        (KEEPS, GIVES, []),
        (GIVES, KEEPS, []),
        (GIVES, GIVES, []),
        (RECREATE, RECREATE, []),
    ],
)
def test_two_that_swap_their_nodes_in_one_apply_block_each_other_only_if_both_keep_their_pods(one, other, codes):
    assert told_now(pair(one, other, "n1", "n2"), pair(one, other, "n2", "n1"), inventory(1, 1)) == codes


def test_a_chain_of_moves_ends_from_its_free_end():
    assert told_now(pair(KEEPS, KEEPS, "n1", "n2"), pair(KEEPS, KEEPS, "n2", "n3"), inventory(1, 1, 1)) == []


@pytest.mark.parametrize("strategy", [KEEPS, GIVES, RECREATE])
def test_a_move_to_a_node_that_others_fill_for_good_is_missing_capacity(strategy):
    before, after = pair(strategy, KEEPS, "n1", "n2"), pair(strategy, KEEPS, "n2", "n2")
    ((code, name, message),) = found(before, after, inventory(1, 1))
    assert (code, name) == ("KLG109", "a")
    assert message == (
        "its 1 replica cannot run beside the other workloads: it waits for 1 nvidia.com/gpu on n2, held by "
        "Deployment serving/b; this is missing capacity, not a rollout deadlock"
    )


def test_another_that_is_scaled_down_in_the_same_change_makes_room():
    before = made("a", pod=on("n1")) + made("b", GIVES, replicas=2, pod=on("n2"))
    assert told_now(before, made("a", pod=on("n2")) + made("b", GIVES, replicas=1, pod=on("n2")), inventory(1, 2)) == []
    assert told_now(before, made("a", pod=on("n2")) + made("b", GIVES, replicas=2, pod=on("n2")), inventory(1, 2)) == [
        ("KLG109", "a")
    ]


def test_of_two_that_lack_room_the_new_one_waits():
    ((code, name, message),) = found(made("a"), made("a") + made("b"), inventory(1))
    assert (code, name) == ("KLG109", "b")
    assert "held by Deployment serving/a" in message
    ((code, name, message),) = found(made("a") + made("b"), made("a", replicas=2) + made("b"), inventory(2))
    assert (code, name) == ("KLG109", "a")
    assert message.startswith("only 1 of 2 replicas can run beside the other workloads: the next one waits for")


def test_what_is_applied_for_the_first_time_has_no_old_pod_and_its_next_rollout_does():
    ((code, _, message),) = found(NONE, made("a"), inventory(1))
    assert code == "KLG101"
    assert message.startswith(
        "this change starts it, and the next rollout never ends: the new pod waits for 1 nvidia.com/gpu on n1"
    )
    assert told(NONE, made("a", GIVES), inventory(1)) == []
    running = (
        "running:\n  - {name: a-1, namespace: serving, node: n1, gpus: 1, owner: ReplicaSet/a-1, labels: {app: a}}\n"
    )
    ((_, _, message),) = found(NONE, made("a"), inventory(1, more=running))
    assert message.startswith("the rollout never ends")


def test_the_next_rollout_of_a_new_one_finds_the_others_as_they_are_then():
    before = made("b", GIVES, pod=on("n1"))
    after = made("a", pod=on("n1")) + made("b", GIVES, pod=on("n2"))
    assert told(before, after, inventory(2, 1)) == []


def test_replicas_that_share_what_only_one_can_have_lack_no_capacity():
    two = made("a", GIVES, replicas=2, pod=DATA) + CLAIM
    ((code, _, message),) = found(NONE, two, inventory(4))
    assert (code, message) == (
        "KLG109",
        (
            "only 1 of 2 replicas can run: the next one waits for claim data (ReadWriteOncePod), used by its other pods; "
            "one pod at a time can use the claim, whatever the strategy: this is no rollout deadlock"
        ),
    )
    port = made("a", GIVES, replicas=2, more="ports: [{containerPort: 80, hostPort: 8080}]")
    ((code, _, message),) = found(NONE, port, inventory(4))
    assert (code, message.rpartition("; ")[2]) == (
        "KLG109",
        "a node has each host port once, whatever the strategy: this is no rollout deadlock",
    )
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: serving}\n"
        'spec: {hard: {requests.nvidia.com/gpu: "1"}}\n'
    )
    ((code, _, message),) = found(NONE, made("a", GIVES, replicas=2) + quota, inventory(4))
    assert (code, message.rpartition("; ")[2]) == ("KLG109", "this is what the quota allows, not a rollout deadlock")


@pytest.mark.parametrize(
    ("running", "gpus", "begins"),
    [
        (
            pod(1),
            (3,),
            "this change rolls out, and the next rollout never ends: the new pod waits for 2 nvidia.com/gpu on n1 (1 free)",
        ),
        (pod(1), (2,), "the rollout never ends"),
        (pod(2), (3,), "the rollout never ends"),
        (pod(1), (4,), ""),
        (pod(2), (4,), ""),
    ],
)
def test_running_pods_of_another_size_make_room_only_for_the_rollout_that_replaces_them(running, gpus, begins):
    text = made("a", gpus=2).replace("priorityClassName: serving", "hostIPC: false")
    told = [one.message for one in findings(text, inventory(*gpus, more=running)) if one.code == "KLG101"]
    assert len(told) == bool(begins)
    assert all(message.startswith(begins) for message in told)


def test_a_running_pod_on_a_node_that_the_template_leaves_makes_room_once():
    def told(node, more):
        cluster = inventory(1, 1, more=pod(1, node) + more)
        return [
            one.message.partition(":")[0] for one in findings(made("a", pod=on("n2")), cluster) if one.code[3] == "1"
        ]

    assert told("n1", "") == ["this change rolls out, and the next rollout never ends"]
    assert told("n2", "") == ["the rollout never ends"]


def test_a_running_pod_on_a_cordoned_node_is_where_the_next_one_may_be_again():
    cluster = inventory(1, 1, more=pod(1)).replace("on: n1}", "on: n1}\n    unschedulable: true")
    assert [one.code for one in findings(made("a"), cluster) if one.code[3] == "1"] == []


def test_what_a_deletion_does_not_touch_is_not_told_of():
    one, other = made("a", replicas=3), made("b", replicas=3)
    cluster = inventory(4)

    def deleted(after):
        old = {found.object: found for found in unit(one + other, cluster).manifests}
        gone = [old["Deployment/serving/a"]]
        judged = ApplySet((read("a.yaml", after.encode()),), world(cluster), before=old, gone=gone)
        return [found.code for found in check((judged,), judged.world).findings if found.severity != "note"]

    assert deleted(other) == []
    assert "KLG109" in deleted(made("b", replicas=4))


def test_what_a_pod_must_be_near_to_is_still_there_when_it_moves_in_the_same_apply():
    near = (
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
        "labelSelector: {matchLabels: {app: b}}}]}}\n"
    )
    before = made("a") + made("b", gpus=0, pod=on("n1"))
    after = made("a", pod=near) + made("b", gpus=0, pod=on("n2"))
    codes = {one.code for one in findings(after, inventory(2, 0), before=before)}
    assert "KLG410" not in codes
    assert "KLG410" in {one.code for one in findings(after, inventory(2, 0))}


def test_what_runs_was_admitted_by_the_classes_of_before():
    """Seen on a control plane 1.34: with a new default class a new pod evicts one that runs."""
    default = (
        "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: std}\nvalue: 100\n"
        "globalDefault: true\n"
    )
    web, api = (made(name).replace("      priorityClassName: serving\n", "") for name in ("web", "api"))
    said = {(code, name): text for code, name, text in found(web, default + web + api, inventory(1))}
    assert said.keys() == {("KLG101", "api"), ("KLG109", "web")}
    assert "held by Deployment serving/api" in said["KLG109", "web"]
    assert said["KLG101", "api"].startswith("this change starts it, and the next rollout never ends")
    assert found(web, default + web, inventory(1)) == [], "the template stays"


def test_what_is_made_again_is_admitted_by_the_classes_of_now():
    """Seen on a control plane 1.34: evicted pods come back with the new default priority; who lacks room is a race."""
    default = (
        "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: std}\nvalue: 500\n"
        "globalDefault: true\n"
    )
    classless = "      priorityClassName: serving\n"
    api, web = (made(*one).replace(classless, "") for one in (("api",), ("web", GIVES)))
    api = api.replace("replicas: 1", "replicas: 2")
    rolled = made("web", GIVES, replicas=2, more="args: [x]").replace(classless, "")
    said = {
        name: text for code, name, text in found(api + web, default + api + rolled, inventory(3)) if code != "KLG108"
    }
    assert said.keys() == {"api", "web"}
    assert said["api"].startswith("as few as 1 of 2 replicas can run")
    assert said["web"].startswith("the rollout may never end")


def bare(name, owner):
    """A pod that nobody owns, with the labels of a workload's pods."""
    return (
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: serving, labels: {{app: {owner}}}}}\n"
        "spec: {priorityClassName: serving, containers: [{name: main, image: i:1, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
    )


@pytest.mark.parametrize(
    ("kind", "name", "codes"),
    [
        ("ReplicaSet", "p", []),
        ("StatefulSet", "r-0", []),
        ("StatefulSet", "r-7", ["KLG109"]),
        ("Deployment", "p", ["KLG109"]),
    ],
)
def test_a_bare_pod_that_the_controller_takes_over_is_its_own(kind, name, codes):
    def after(replicas):
        return bare(name, "r") + made("r", "", replicas=replicas, kind=kind)

    assert [code for code, _ in told(bare(name, "r"), after(1), inventory(1))] == codes
    assert [code for code, _ in told(bare(name, "r"), after(2), inventory(1))] in (["KLG109"], ["KLG111"])
    one = bare("r-1", "r") + made("r", "", kind=kind)
    takes = kind != "Deployment"
    assert (told(one, one.replace("replicas: 1", "replicas: 2"), inventory(2)) == []) is takes


def test_requests_that_are_written_are_another_template():
    before, written = made("a"), made("a").replace("limits:", "requests: {nvidia.com/gpu: 1}, limits:")
    assert told_now(before, written, inventory(1)) == [("KLG101", "a")]
    assert told_now(before, made("a", RECREATE), inventory(1)) == []


def test_gated_pods_hold_nothing_when_they_are_replaced():
    gates = "schedulingGates: [{name: example.com/wait}]\n"
    waits = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a-1, namespace: serving, labels: {app: a}, "
        "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: a-1, uid: u, controller: true}]}\n"
        "spec: {containers: [{name: main, image: i:1}], schedulingGates: [{name: example.com/wait}]}\n"
    )
    assert told_now(made("a", pod=gates), made("a"), inventory(1)) == [("KLG101", "a")]
    assert told_now(made("a", pod=gates), made("a"), inventory(1) + waits) == []


def running(name, owner):
    """The same pod as a capture has it: it runs, and nobody owns it."""
    return bare(name, owner).replace("spec: {", "spec: {nodeName: n1, ") + "status: {phase: Running}\n"


def test_a_daemon_set_takes_over_a_bare_pod_on_its_node():
    agent = made("r", "", kind="DaemonSet")
    for cluster in (inventory(1), inventory(1) + running("p", "r")):
        assert told(bare("p", "r"), bare("p", "r") + agent, cluster) == []
        assert told(bare("p", "q"), bare("p", "q") + agent, cluster)


def test_a_bare_pod_that_runs_is_no_deployments_and_is_one_too_many_for_a_replica_set():
    two = bare("p", "r") + bare("q", "r")
    cluster = inventory(2) + running("p", "r") + running("q", "r")
    assert told_now(two, two + made("r"), cluster) == [("KLG109", "r")]
    assert told_now(two, two + made("r", "", kind="ReplicaSet") + made("w"), cluster) == []


def test_what_a_job_holds_is_free_some_day():
    """Seen on a control plane 1.34: a Deployment takes over the claim of a Job that runs, when that has ended."""
    job = made("load", "", kind="Job", pod=f"{DATA}restartPolicy: Never\n").replace("apps/v1", "batch/v1")
    job = "".join(line for line in job.splitlines(True) if "replicas:" not in line and "selector:" not in line)
    takes = made("a", GIVES, pod=DATA)
    assert told(CLAIM + job + made("a", GIVES), CLAIM + job + takes, inventory(2)) == []
    stays = made("load", GIVES, pod=DATA)
    assert told(CLAIM + stays + made("a", GIVES), CLAIM + stays + takes, inventory(2)) == [("KLG109", "a")]


def test_an_apply_that_says_no_number_leaves_as_many_replicas_as_there_are():
    unsaid = made("a", KEEPS, replicas=7).replace("  replicas: 7\n", "")
    both = pod(1) + pod(1).partition("running:\n")[2].replace("a-1, namespace", "a-2, namespace")
    before, after = unsaid, unsaid.replace("main:1", "main:2")
    assert told_now(before, after, inventory(3) + both) == []
    assert told_now(before, after, inventory(2) + both) == [("KLG101", "a")]
    assert told_now(before, after, inventory(2) + pod(1)) == []
    # a number that the manifest had before becomes the default where it is dropped
    said = made("a", KEEPS, replicas=2)
    assert told_now(said, after, inventory(3) + both) == []


def priority_class(value):
    return (
        f"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: gold}}\nvalue: {value}\n"
        "preemptionPolicy: PreemptLowerPriority\n"
    )


@pytest.mark.parametrize(("before", "after", "waits"), [(10, 9000, "web"), (9000, 10, "rank")])
def test_of_a_class_whose_value_may_not_change_pods_have_the_value_of_before(before, after, waits):
    """Seen on a control plane 1.34: the API server refuses the class, and what else is applied goes on."""
    rank = made("rank")
    web = made("web").replace("priorityClassName: serving", "priorityClassName: gold")
    told = found(priority_class(before) + rank, priority_class(after) + rank + web, inventory(1))
    assert [(code, name) for code, name, _ in told if code == "KLG109"] == [("KLG109", waits)]


def test_what_an_object_would_give_back_stays_where_the_api_server_refuses_its_change():
    """Seen on a control plane 1.34: a selector that changes is refused, and so are the fewer replicas beside it."""
    old, web = made("old", replicas=2), made("web")
    refused = made("old").replace("matchLabels: {app: old}", "matchLabels: {app: old, tier: x}")
    assert refused != made("old")
    assert ("KLG109", "web") in told(old, refused + web, inventory(2))
    assert told_now(old, made("old") + web, inventory(2)) == []


WAITS = (
    "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: serving, labels: {{app: a}}, "
    "ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {owner}, uid: u, controller: true}}]}}\n"
    "spec: {{containers: [{{name: main, image: i:1}}], schedulingGates: [{{name: example.com/wait}}]}}\n"
)


def test_a_gated_pod_of_the_old_template_keeps_an_ordered_set_from_the_new_one():
    """Seen on a control plane 1.34: nobody lifts the gate of the pod that there is."""
    gates = "schedulingGates: [{name: example.com/wait}]\n"
    before, after = (made("a", "", kind="StatefulSet", pod=pod) for pod in (gates, ""))
    waits = WAITS.format(name="a-0", kind="StatefulSet", owner="a")
    ((code, _, text),) = found(before, after, inventory(2) + waits)
    assert code == "KLG111"
    assert text.startswith("the rollout never ends: pod a-0 waits until its scheduling gates are lifted")


def test_a_gated_pod_counts_under_a_quota_while_its_successor_is_made():
    """Seen on a control plane 1.34."""
    gates = "schedulingGates: [{name: example.com/wait}]\n"
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\nspec: {hard: {pods: 1}}\n"
    )
    waits = WAITS.format(name="a-1", kind="ReplicaSet", owner="a-1")
    assert told_now(made("a", pod=gates), made("a"), inventory(2) + waits + quota) == [("KLG105", "a")]


@pytest.mark.parametrize(("gpus", "codes"), [(1, ["KLG107"]), (2, [])])
def test_what_is_resumed_may_have_another_template_than_its_pods(gpus, codes):
    """Seen on a control plane 1.34: paused with a new template, and resumed with the next change."""
    found_now = told_now(made("a", PAUSED), made("a"), inventory(gpus))
    assert [code for code, _ in found_now] == codes


@pytest.mark.parametrize(("before", "after", "codes"), [("x", "z", []), ("z", "x", ["KLG109"])])
def test_a_bare_pod_has_the_labels_that_are_written_now(before, after, codes):
    """Seen on a control plane 1.34: an update changes the labels of the pod that runs."""
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}\n"
    )
    there = inventory(3) + running("p", before)
    for cluster in (there, inventory(3)):
        now = found(bare("p", before) + made("w"), bare("p", after) + made("w", pod=apart), cluster)
        assert [code for code, name, text in now if name == "w" and "next rollout" not in text] == codes
