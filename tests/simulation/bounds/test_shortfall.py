"""StatefulSets that halt: which pod waits, how it came to that, and what was there before the change."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"
CLASSES = "priorityClasses:\n  - {name: serving, value: 1000}\n"


def nodes(gpus, count=1, version="1.34", more=""):
    return (
        f'{HEAD}kubernetesVersion: "{version}"\npools:\n  - name: l4\n    count: {count}\n    template:\n'
        f"      allocatable: {{cpu: 16, memory: 64Gi}}\n      gpus: {{model: L4, count: {gpus}}}\n{CLASSES}{more}"
    )


def stateful_set(replicas, gpus=1, more=""):
    text = deployment(spec=f"replicas: {replicas}\nserviceName: chat\n{more}", limits=f"{{nvidia.com/gpu: {gpus}}}")
    return text.replace("kind: Deployment", "kind: StatefulSet")


def found(text, inventory, before=""):
    there = {one.object: one for one in unit(before, inventory).manifests} if before else {}
    judged = ApplySet((read("a.yaml", text.encode()),), world(inventory), before=there)
    return [one for one in check((judged,), judged.world).findings if one.code == "KLG111"]


def test_a_set_that_is_made_first_halts_at_the_ordinal_for_which_no_room_is_left():
    (one,) = found(stateful_set(3), nodes(1, 2))
    assert "while chat-2 is not ready" in one.message
    told = [step.message for step in one.trace]
    assert told[0] == "nothing runs"
    assert told[-3:] == [
        "creates pod 2",
        "cannot place the new pod chat-2: Insufficient nvidia.com/gpu on l4-1 and l4-2",
        "waits for that pod: nothing moves any more",
    ]


def test_a_request_that_grows_halts_at_the_ordinal_whose_turn_it_is():
    (one,) = found(stateful_set(3, 2), nodes(4), stateful_set(3, 1))
    assert "only 2 of 3 replicas can run" in one.message
    assert "while chat-1 is not ready" in one.message
    assert one.trace[0].message.startswith("the old pods run: 3 on l4-1;")
    assert "deletes pod 1 on l4-1" in [step.message for step in one.trace]
    assert "add nodes with room for 1 more pod" in one.help[0]
    assert "chat-1 keeps the template" in one.help[1]


def test_more_replicas_of_the_same_template_halt_at_the_first_new_one():
    (one,) = found(stateful_set(4), nodes(3), stateful_set(2))
    assert "while chat-3 is not ready" in one.message
    assert one.trace[0].message.startswith("the old pods run: 2 on l4-1;")


def test_running_pods_are_where_it_begins():
    pods = "".join(
        f"  - {{name: chat-{number}, namespace: serving, node: l4-{number + 1}, gpus: 1, owner: StatefulSet/chat,\n"
        "     labels: {app: chat}, priorityClassName: serving}\n"
        for number in (0, 1)
    )
    (one,) = found(stateful_set(3), nodes(1, 2, more=f"running:\n{pods}"))
    assert "while chat-2 is not ready" in one.message
    assert one.trace[0].message.startswith("the old pods run: 1 on l4-1, 1 on l4-2;")


def test_a_template_that_fitted_nowhere_keeps_its_mending_from_an_ordered_set():
    (one,) = found(stateful_set(3), nodes(1, 3), stateful_set(3, 4))
    assert (one.severity, one.certainty) == ("warning", "possible")
    assert one.message == (
        "this change may reach no pod: no node takes a pod of the template before it, and where that was applied such a "
        "pod waits for ever, while OrderedReady goes no further"
    )
    assert one.help[0].startswith("when the change is applied, delete the pod that waits (chat-0, or chat-2 if")
    assert one.trace[-1].message == "waits for that pod: nothing moves any more"


@pytest.mark.parametrize("more", ["updateStrategy: {type: OnDelete}", "podManagementPolicy: Parallel"])
def test_a_set_that_waits_for_nobody_is_silent(more):
    assert found(stateful_set(3, 1, more), nodes(1, 3), stateful_set(3, 4, more)) == []


def test_a_template_that_fitted_is_no_trap():
    assert found(stateful_set(3), nodes(4), stateful_set(3, 1).replace("main:1", "main:0")) == []
    assert found(stateful_set(3, 9), nodes(4), stateful_set(3, 8)) == [], "the rules for the node speak of it"


def pods(*gpus, waits=-1):
    """What the inventory has of the set: pods with so many GPUs each, one of which has no node."""
    found = ""
    for number, count in enumerate(gpus):
        limits = f"{{limits: {{nvidia.com/gpu: {count}}}, requests: {{nvidia.com/gpu: {count}}}}}"
        node, phase, ready = ("", "Pending", "") if number == waits else ("nodeName: l4-1, ", "Running", "'True'")
        condition = f", conditions: [{{type: Ready, status: {ready}}}]" if ready else ""
        found += (
            "---\napiVersion: v1\nkind: Pod\n"
            f"metadata: {{name: chat-{number}, namespace: serving, labels: {{app: chat}}, "
            "ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: chat, uid: u, controller: true}]}\n"
            f"spec: {{{node}priority: 1000, containers: [{{name: c, image: i, resources: {limits}}}]}}\n"
            f"status: {{phase: {phase}{condition}}}\n"
        )
    return found


@pytest.mark.parametrize("before", ["", stateful_set(2, 4)])
def test_a_pod_that_the_inventory_shows_waiting_keeps_the_lowered_request_away(before):
    (one,) = found(stateful_set(2), nodes(2) + pods(1, 4, waits=1), before)
    assert one.certainty == "certain"
    assert "the rollout never ends: pod chat-1 finds no node (1 Insufficient nvidia.com/gpu), and the S" in one.message
    assert one.help == ("when the change is applied, delete chat-1: it comes back with the new template",)


def test_a_template_that_fitted_nowhere_is_told_beside_the_pods_that_run_of_an_earlier_one():
    (one,) = found(stateful_set(2), nodes(2) + pods(1), stateful_set(2, 4))
    assert one.certainty == "possible"
    assert "this change may reach no pod" in one.message
    assert "(chat-1)" in one.help[0]
    assert found(stateful_set(2), nodes(2) + pods(1, 1), stateful_set(2, 4)) == []


def test_pods_after_one_that_is_not_ready_are_not_there_where_they_are_not_known():
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: chat-{number}\n  namespace: serving\n"
        "  labels: {app: chat}\n  ownerReferences:\n"
        "    - {apiVersion: apps/v1, kind: StatefulSet, name: chat, uid: u, controller: true}\n"
        "spec:\n  nodeName: l4-1\n  containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
        f"status: {{phase: Running, conditions: [{{type: Ready, status: '{ready}'}}]}}\n"
        for number, ready in ((0, True), (1, False))
    )
    (one,) = found(stateful_set(3), nodes(4) + pods)
    assert one.trace[0].message.startswith("the old pods run: 2 on l4-1; old pod chat-1 on l4-1 is not ready")


@pytest.mark.parametrize(("class_name", "gpus", "halts"), [("serving", 2, 0), ("polite", 2, 1), ("serving", 0, 1)])
def test_what_is_evicted_below_the_partition_comes_back_on_any_node(class_name, gpus, halts):
    node = "---\n{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {on: %s}}, status: {allocatable: %s}}\n"
    amounts = "{cpu: 16, memory: 64Gi, pods: 110, nvidia.com/gpu: %d}"
    there = [node % (name, name, amounts % count) for name, count in (("n1", gpus), ("n2", 2))]
    running = [
        f"  - {{name: chat-{number}, namespace: serving, node: {name}, gpus: 1, owner: StatefulSet/chat, "
        "labels: {app: chat}}\n"
        for number, name in ((0, "n2"), (1, "n1"))
    ][: 2 if gpus else 1]
    polite = "  - {name: polite, value: 1000, preemptionPolicy: Never}\n"
    shown = f"{HEAD}kubernetesVersion: '1.34'\n{CLASSES}{polite}running:\n{''.join(running)}{''.join(there)}"
    partition = "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}"
    before = stateful_set(2 if gpus else 1, more=partition).replace("priorityClassName: serving", "hostNetwork: false")
    # the two pods above the partition take n2; chat-0, which was there, has a place on n1 only
    after = stateful_set(3, more=partition).replace("serving\n", f"{class_name}\n      nodeSelector: {{on: n2}}\n")
    told = [one.certainty for one in found(after, shown, before) if one.severity == "error"]
    assert told == ["certain"] * halts
