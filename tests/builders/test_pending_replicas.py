"""OnDelete: pods keep the template they were made with until somebody deletes them, and what is made anew has the new one."""

from __future__ import annotations

import pytest
from change_cases import findings_of, found, inventory, made
from checks_units import NODES, deployment, findings

ON_DELETE = "updateStrategy: {type: OnDelete}\n"
PARALLEL = f"podManagementPolicy: Parallel\n{ON_DELETE}"
NO_ROOM = "no pod that it makes for 1 node finds room (on n1): each asks for 5 nvidia.com/gpu, and no such node has more than 4"
HAND = "with this change its old pods run on, and once they are deleted by hand (OnDelete), "


def stateful(gpus, replicas=2, strategy=ON_DELETE):
    return made("s", strategy, replicas=replicas, gpus=gpus, kind="StatefulSet")


def daemons(gpus, more=""):
    return made("d", ON_DELETE, gpus=gpus, more=more, kind="DaemonSet")


def test_a_template_that_grows_lacks_room_only_when_the_old_pods_have_been_deleted():
    ((code, name, text),) = found(stateful(1), stateful(3), inventory(4))
    assert (code, name) == ("KLG109", "s")
    assert text.startswith(
        f"{HAND}only 1 of 2 replicas can run: 1 of the 3 nvidia.com/gpu that each needs is free on n1"
    )
    assert found(stateful(1), stateful(2), inventory(4)) == []


def test_the_same_change_without_on_delete_lacks_room_at_once():
    ((_, _, text),) = found(
        stateful(1, strategy="podManagementPolicy: Parallel\n"),
        stateful(3, strategy="podManagementPolicy: Parallel\n"),
        inventory(4),
    )
    assert text.startswith("only 1 of 2 replicas can run: ")


def test_ordinals_that_are_added_have_the_new_template_at_once_and_find_room_beside_the_old_ones():
    ((_, _, text),) = found(stateful(1, strategy=PARALLEL), stateful(3, 3, PARALLEL), inventory(4))
    assert text.startswith("only 2 of 3 replicas can run: ")
    ((_, _, text),) = found(stateful(1, strategy=PARALLEL), stateful(2, 3, PARALLEL), inventory(4))
    assert text.startswith(f"{HAND}only 2 of 3 replicas can run: ")
    assert found(stateful(1, strategy=PARALLEL), stateful(2, 3, PARALLEL), inventory(6)) == []


def test_others_find_what_the_old_pods_hold_and_not_what_the_new_template_asks_for():
    beside = made("c", "strategy: {type: Recreate}\n", gpus=2)
    ((_, name, text),) = found(stateful(1) + beside, stateful(2) + beside, inventory(4))
    assert name == "s"
    assert text.startswith(HAND)


def test_a_daemon_set_keeps_its_pods_too():
    ((code, _, text),) = found(daemons(1), daemons(5), inventory(4))
    assert code == "KLG109"
    assert text == f"{HAND}{NO_ROOM}, and it stays Pending"
    beside = made("c", "strategy: {type: Recreate}\n", gpus=2)
    ((_, _, text),) = found(daemons(1) + beside, daemons(3) + beside, inventory(4))
    assert text.startswith(
        f"{HAND}no pod that it makes for 1 node finds room beside the other workloads (on n1, held by Dep"
    )
    assert found(daemons(1), daemons(4), inventory(4)) == []


def test_a_change_that_is_none_for_the_pods_says_nothing():
    assert found(stateful(3, 1), stateful(3, 1), inventory(4)) == []
    assert found(daemons(1), daemons(1, more="args: [x]"), inventory(1)) == []


def test_a_daemon_set_that_fits_on_no_node_is_told():
    text = made("d", "", gpus=5, kind="DaemonSet")
    ((code, _, told),) = found(text, text, inventory(4))
    assert (code, told) == ("KLG109", f"{NO_ROOM}, and it stays Pending")


PARTITION = "updateStrategy: {rollingUpdate: {partition: 2}}\n"
LOWERED = "with this change the pods below its partition run on, and once it is lowered to 0, "


def test_a_partition_keeps_the_template_of_all_ordinals_below_it_until_it_is_lowered():
    ((code, name, text),) = found(stateful(1, strategy=PARTITION), stateful(4, strategy=PARTITION), inventory(4))
    assert (code, name) == ("KLG109", "s")
    assert text.startswith(f"{LOWERED}only 1 of 2 replicas can run: 0 of 4 nvidia.com/gpu is free on n1")
    assert found(stateful(1, strategy=PARTITION), stateful(2, strategy=PARTITION), inventory(4)) == []


def test_a_partition_below_some_ordinals_is_a_canary_that_is_looked_at_now():
    canary = PARTITION.replace("2", "1")
    ((code, _, text),) = found(stateful(1, strategy=canary), stateful(2, strategy=canary), inventory(3))
    assert code == "KLG109"
    assert text.startswith(f"{LOWERED}only 1 of 2 replicas can run")
    assert found(stateful(1, strategy=canary), stateful(2, strategy=canary), inventory(4)) == []
    ((code, _, text),) = found(stateful(1, strategy=canary), stateful(4, strategy=canary), inventory(4))
    assert code == "KLG111"
    assert not text.startswith(LOWERED)


def test_a_template_that_stays_says_nothing_of_a_partition():
    assert found(stateful(3, 1, PARTITION), stateful(3, 1, PARTITION), inventory(3)) == []
    one, more = stateful(1, strategy=PARTITION), stateful(1, 3, PARTITION)
    assert found(one, one, inventory(1)) == []
    assert found(one, more, inventory(2))[0][2].startswith("only 2 of 3 replicas can run")


BARE = (
    "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: debug, namespace: serving}}\nspec:\n  priorityClassName: {}\n"
    "  restartPolicy: {}\n  containers: [{{name: main, image: i:1, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]\n"
)
URGENT = "  - {name: urgent, value: 2000}\n"


def test_a_new_bare_pod_finds_no_room_beside_what_runs():
    web = made("web")
    ((code, name, text),) = found(web, web + BARE.format("serving", "Always"), inventory(1))
    assert (code, name) == ("KLG109", "debug")
    assert text.startswith("it cannot run beside the other workloads: it waits for ")
    assert found(web, web + BARE.format("serving", "Always"), inventory(2)) == []


def test_who_evicts_the_pods_that_find_no_room_is_named():
    high = made("high").replace("priorityClassName: serving", "priorityClassName: urgent")
    cluster = inventory(1, more=URGENT)
    first = "Deployment serving/high has a higher priority, and evicts its pods where they are in the way"
    for other, told in ((high, True), (made("high"), False)):
        (one,) = [one for one in findings_of(made("web"), made("web") + other, cluster) if one.code == "KLG109"]
        assert (one.help[0] == first) is told


def test_a_pod_that_a_new_bare_pod_evicts_waits_until_that_one_ends():
    """Seen on a control plane 1.34."""
    web = made("web")
    ((code, name, text),) = found(web, web + BARE.format("urgent", "Always"), inventory(1, more=URGENT))
    assert (code, name) == ("KLG109", "web")
    assert "held by Pod serving/debug" in text
    assert found(web, web + BARE.format("urgent", "Never"), inventory(1, more=URGENT)) == []


def test_a_new_workload_that_evicts_a_bare_pod_of_the_manifests_for_good_is_told():
    low = "  - {name: low, value: 10}\n"
    bare = BARE.format("low", "Always")
    (later, now) = sorted(found(bare, bare + made("web"), inventory(1, more=low)))
    assert (later[:2], now[:2]) == (("KLG101", "web"), ("KLG108", "web"))
    assert later[2].startswith("this change starts it, and the next rollout never ends")
    assert "can evict Pod serving/debug (priority 10) from n1" in now[2]
    assert "and nothing creates it again" in now[2]


@pytest.mark.parametrize(
    ("hard", "replicas", "words"),
    [
        (
            "limits.memory: 1Gi",
            2,
            "set the requests and limits that the quota counts, or declare a LimitRange that sets them",
        ),
        ("limits.cpu: 500m", 1, "let the quota allow more, or ask for less of what it counts"),
    ],
)
def test_what_a_quota_refuses_is_helped_by_no_node(hard, replicas, words):
    quota = "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: serving}, spec: {hard: {%s}}}\n"
    text = deployment(spec=f"replicas: {replicas}\nstrategy: {{type: Recreate}}", limits="{cpu: 1}")
    (told,) = [one for one in findings(text, NODES + quota % hard) if one.code == "KLG109"]
    assert told.help == (words,)
    assert not any("cpu-1" in one.message for one in told.related)


POD = """apiVersion: v1
kind: Pod
metadata: {name: notebook, namespace: lab}
spec:
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
HELD = f"{NODES}running: [{{name: other, namespace: lab, node: gpu-1, gpus: 1}}]\n"


def test_a_bare_pod_has_no_replicas_and_its_finding_stands_at_its_spec():
    (one,) = findings(POD, HELD, "KLG109")
    assert one.message.startswith(
        "it cannot run: 0 of 1 nvidia.com/gpu is free on gpu-1; Pod lab/other (1 nvidia.com/gpu) holds all; "
    )
    assert (one.place.line, one.place.end_line) == (4, 4)


def test_where_no_replicas_are_written_the_finding_stands_at_the_word_spec():
    text = deployment().replace("      priorityClassName: serving\n", "")
    (one,) = findings(text, HELD, "KLG109")
    assert text.split("\n")[one.place.line - 1] == "spec:"
    assert one.place.end_line == one.place.line


GROUPS = """\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: llm, namespace: serving}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {spec: {containers: [{name: a, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}}
"""


def test_pods_of_groups_are_no_replicas_and_as_many_groups_as_find_room_are_offered():
    (one,) = findings(GROUPS, inventory(2, 2), "KLG109")
    assert one.message.startswith("only 1 of 2 groups of 3 pods (4 of 6 pods) can run: ")
    assert [fix.title for fix in one.fixes] == ["set replicas: 1, as many as find room"]
    room = "add nodes with room for 1 more group (2 more pods with 1 nvidia.com/gpu each)"
    assert any(text.startswith(room) for text in one.help)
    (alone,) = findings(GROUPS, inventory(2), "KLG109")
    assert (alone.message.startswith("none of its 2 groups of 3 pods (2 of 6 pods) can run: "), alone.fixes) == (
        True,
        (),
    )
