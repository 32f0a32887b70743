"""StatefulSets that halt: which pod waits, how it came to that, and what was there before the change."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit, world

from kubelint_gpu.checks.run import check
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.documents import read

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
    judged = Unit((read("a.yaml", text.encode()),), world(inventory), before=there)
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
    assert "chat-1 keeps the template" in one.help[0]


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
