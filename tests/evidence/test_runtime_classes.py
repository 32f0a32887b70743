"""What a RuntimeClass adds to pods, and the pods that are refused for it."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests

CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kata}
handler: kata
overhead: {podFixed: {cpu: "2"}}
scheduling:
  nodeSelector: {runtime: kata}
  tolerations: [{key: kata, operator: Exists}]
"""
KATA_NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: true
nodes:
  - name: n1
    labels: {runtime: kata}
    taints: ["kata=yes:NoSchedule"]
    allocatable: {cpu: 8, memory: 64Gi}
  - name: n2
    allocatable: {cpu: 64, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
"""
RUNTIME = "runtimeClassName: kata"


def runs(cpu, pod=RUNTIME, spec=""):
    return deployment(pod=pod, spec=spec, limits=f"{{cpu: {cpu}}}")


def told(found):
    return [
        (one.message, one.place.line, one.severity)
        for one in check((found,), found.world).findings
        if one.code == "KLG003"
    ]


def codes(text, inventory):
    return {one.code: one for one in findings(text, inventory) if one.severity != "note"}


@pytest.mark.parametrize(
    ("text", "inventory"),
    [
        (f"{runs(1)}---\n{CLASS}", KATA_NODES),
        (runs(1), f"{KATA_NODES}---\n{CLASS}"),
    ],
)
def test_the_tolerations_of_a_runtime_class_open_its_nodes(text, inventory):
    assert codes(text, inventory) == {}
    assert "KLG202" in codes(runs(1, pod="nodeSelector: {runtime: kata}"), inventory)


def test_overhead_and_selector_of_a_runtime_class_leave_no_room_for_the_surge():
    found = codes(runs(3), f"{KATA_NODES}---\n{CLASS}")["KLG101"]
    assert "waits for 5 cpu on n1 (3 free)" in found.message
    said = {one.message: one.place.line for one in found.related}
    lines = f"{KATA_NODES}---\n{CLASS}".splitlines()
    assert "each pod takes 5 cpu" in said
    assert "podFixed" in lines[said["RuntimeClass kata adds 2 cpu to each pod"] - 1]
    only = "RuntimeClass kata asks for nodes with runtime=kata: only n1 can take it"
    assert "nodeSelector" in lines[said[only] - 1]
    assert "KLG101" not in codes(runs(2), f"{KATA_NODES}---\n{CLASS}")


def test_a_class_of_the_context_counts_and_that_of_the_inventory_comes_first():
    context = manifests([read("b.yaml", CLASS.encode())])
    text = read("a.yaml", runs(3).encode())
    found = ApplySet((text,), world(KATA_NODES), beside=context)
    assert "KLG101" in {one.code for one in check((found,), found.world).findings}
    lighter = CLASS.replace('cpu: "2"', "cpu: 10m")
    found = ApplySet((text,), world(f"{KATA_NODES}---\n{lighter}"), beside=context)
    assert "KLG101" not in {one.code for one in check((found,), found.world).findings}


def test_replicas_that_overhead_leaves_no_room_for_are_counted_by_what_is_short():
    found = codes(runs(2, spec="replicas: 3\nstrategy: {type: Recreate}"), f"{KATA_NODES}---\n{CLASS}")["KLG109"]
    assert found.message.startswith("only 2 of 3 replicas can run: 0 of 8 cpu is free on n1")
    assert "RuntimeClass kata adds 2 cpu to each pod" in [one.message for one in found.related]


def test_a_label_that_only_the_class_asks_for_is_told_at_its_name():
    nodes = KATA_NODES.replace("runtime: kata", "runtime: runc")
    found = codes(runs(1), f"{nodes}---\n{CLASS}")["KLG402"]
    assert found.message == (
        "no node of the inventory meets runtime=kata, which its RuntimeClass asks for: the nodes have runc"
    )
    assert RUNTIME in runs(1).splitlines()[found.place.line - 1]
    assert not found.fixes
    assert any(one.message.startswith("RuntimeClass kata asks for nodes") for one in found.related)


def test_a_label_that_class_and_affinity_ask_for_otherwise_is_a_contradiction():
    affinity = (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: runtime, operator: In, values: [runc]}]}]}}}"
    )
    found = codes(runs(1, pod=f"{RUNTIME}\n{affinity}"), f"{KATA_NODES}---\n{CLASS}")["KLG401"]
    assert "both conditions on runtime; they are kata and In [runc]" in found.message


@pytest.mark.parametrize(
    ("pod", "message", "where"),
    [
        (
            f"{RUNTIME}\nnodeSelector: {{runtime: runc}}",
            (
                "admission refuses the pods: conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; "
                "pod.spec.nodeSelector[runtime] = runc"
            ),
            "nodeSelector",
        ),
        (
            f"{RUNTIME}\noverhead: {{cpu: 1}}",
            "admission refuses the pods: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
            "overhead",
        ),
        (
            "overhead: {cpu: 1}",
            (
                "admission refuses the pods: pod rejected: Pod Overhead set without corresponding RuntimeClass "
                "defined Overhead"
            ),
            "overhead",
        ),
        (
            "runtimeClassName: katta",
            'admission refuses the pods: pod rejected: RuntimeClass "katta" not found',
            "runtimeClassName",
        ),
    ],
)
def test_pods_that_the_runtime_class_plugin_refuses(pod, message, where):
    text = runs(1, pod=pod)
    ((said, line, severity),) = told(unit(text, f"{KATA_NODES}---\n{CLASS}"))
    assert (said, severity) == (message, "error")
    assert where in text.splitlines()[line - 1]


def test_an_unknown_class_is_no_error_where_not_all_are_known():
    text = runs(1, pod="runtimeClassName: nvidia")
    assert told(unit(text, KATA_NODES)) == []
    assert told(unit(text, f"{KATA_NODES.replace('complete: true', 'complete: false')}---\n{CLASS}")) == []
    assert told(unit(f"{text}---\n{CLASS}", "")) == []


def test_an_overhead_that_agrees_is_accepted():
    assert told(unit(runs(1, pod=f"{RUNTIME}\noverhead: {{cpu: 2000m}}"), f"{KATA_NODES}---\n{CLASS}")) == []


def test_that_a_class_is_not_there_is_told_once():
    other = runs(1, "runtimeClassName: gvisor")
    assert codes(other, f"{KATA_NODES}---\n{CLASS}").keys() == {"KLG003"}
    growing = KATA_NODES.replace("complete: true", "complete: false")
    assert codes(other, f"{growing}---\n{CLASS}").keys() == {"KLG201"}
