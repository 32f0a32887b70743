"""What the rules about GPUs and nodes say, and above all where they are silent."""

from __future__ import annotations

import pytest
from pinned_pods import deployment, run, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

A100 = "    allocatable: {cpu: 96, memory: 900Gi}\n    gpus: {model: A100-SXM4-80GB, count: 4}\n"
TWO = f"nodes:\n  - name: a-1\n{A100}  - name: a-2\n{A100}"
CPU = "nodes:\n  - name: cpu-1\n    allocatable: {cpu: 32, memory: 128Gi}\n"
MAPPED = """
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec:
  extendedResourceName: nvidia.com/gpu
  selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]
"""


def codes(text, inventory):
    return [finding.code for finding in run(text, inventory, fixes=False)]


RECREATE = "  strategy: {type: Recreate}\n"


@pytest.mark.parametrize(
    "resources",
    [
        "nvidia.com/gpumem: 8000",
        "nvidia.com/gpumem-percentage: 50, nvidia.com/gpucores: 30",
        "cambricon.com/mlu370.smlu.vcore: 10",
        "huawei.com/Ascend910B2: 1, huawei.com/Ascend910B2-memory: 16384",
        "volcano.sh/vgpu-number: 1",
        "aliyun.com/gpu-mem: 8",
        "deviceclass.resource.kubernetes.io/gpu.example.com: 1",
    ],
)
def test_names_that_something_else_gives_out_are_no_more_than_a_note(resources):
    found = run(deployment(resources, strategy=RECREATE), world(CPU))
    assert {(one.code, one.severity) for one in found} <= {("KLG502", "note")}


def test_a_name_of_hami_is_told_unless_the_inventory_says_who_gives_it_out():
    text = deployment("nvidia.com/gpu: 1, nvidia.com/gpumem: 8000", strategy=RECREATE)
    (note,) = run(text, world(TWO))
    assert note.message.startswith("nvidia.com/gpumem of HAMi is not in the inventory")
    declared = "scheduler: {profiles: [{schedulerName: default-scheduler, ignoredResources: [nvidia.com/gpumem]}]}\n"
    assert codes(text, world(TWO + declared)) == []


def test_a_name_that_nobody_owns_is_told():
    assert codes(deployment("nvidia.com/gqu: 1", strategy=RECREATE), world(TWO)) == ["KLG502"]


def test_a_name_that_a_device_class_of_the_inventory_maps_is_silent():
    text = deployment("nvidia.com/gpu: 1", strategy=RECREATE)
    assert codes(text, world(CPU)) == ["KLG502"]
    assert codes(text, world(CPU + MAPPED)) == []


def test_a_name_that_the_default_profile_ignores_is_silent():
    ignored = "scheduler: {profiles: [{schedulerName: default-scheduler, ignoredResourceGroups: [example.com]}]}\n"
    text = deployment("example.com/gpu: 1", strategy=RECREATE)
    assert codes(text, world(CPU + ignored)) == []
    assert codes(text, world(CPU)) == ["KLG502"]


def test_a_growing_pool_may_bring_a_name_and_a_count():
    pool = "pools: [{name: big, autoscaling: {max: 2}, template: {gpus: {model: H100-80GB-HBM3, count: 8}}}]\n"
    assert codes(deployment("nvidia.com/gpu: 8", strategy=RECREATE), world(CPU + pool)) == []
    assert codes(deployment("nvidia.com/gpu: 9", strategy=RECREATE), world(CPU + pool)) == ["KLG503"]


def test_a_pool_that_has_no_room_brings_nothing():
    pool = "pools: [{name: big, count: 0, template: {gpus: {model: H100-80GB-HBM3, count: 8}}}]\n"
    assert codes(deployment("nvidia.com/gpu: 8", strategy=RECREATE), world(CPU + pool)) == ["KLG502"]


@pytest.mark.parametrize(
    ("resources", "code"), [("nvidia.com/gqu: 1", "KLG502"), ("nvidia.com/mig-1g.5gb: 1", "KLG506")]
)
def test_a_daemon_set_makes_its_pods_for_nodes_that_do_not_have_what_they_ask_for(resources, code):
    assert codes(deployment(resources, kind="DaemonSet"), world(TWO)) == [code]


def test_a_daemon_set_whose_pods_are_made_for_nodes_that_are_too_small_is_told():
    (found,) = run(deployment("nvidia.com/gpu: 16", kind="DaemonSet"), world(TWO))
    assert (found.code, found.severity) == ("KLG109", "warning")
    assert found.message == (
        "no pod that it makes for 2 nodes finds room (on a-1 and a-2): each asks for 16 nvidia.com/gpu, and no such node has "
        "more than 4, and they stay Pending"
    )


@pytest.mark.parametrize("resources", ["nvidia.com/gqu: 1", "nvidia.com/gpu: 16", "nvidia.com/mig-1g.5gb: 1"])
def test_without_an_inventory_nothing_that_depends_on_nodes_is_said(resources):
    assert set(codes(deployment(resources, strategy=RECREATE), ClusterContext())) <= {"KLG114"}


def test_one_cause_is_one_finding():
    tainted = TWO.replace("    allocatable", '    taints: ["nvidia.com/gpu:NoSchedule"]\n    allocatable')
    both = "      nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}\n"
    assert codes(deployment("nvidia.com/gpu: 9", pod=both, strategy=RECREATE), world(tainted)) == ["KLG503"]
    assert codes(deployment("nvidia.com/gpu: 4", pod=both, strategy=RECREATE), world(tainted)) == ["KLG202"]


def test_taints_of_a_nodes_life_are_no_reason_for_a_toleration():
    taint = '    taints: ["node.kubernetes.io/not-ready:NoSchedule"]\n    allocatable'
    found = run(deployment("nvidia.com/gpu: 4", strategy=RECREATE), world(TWO.replace("    allocatable", taint)))
    assert [finding.code for finding in found] == ["KLG201"]


@pytest.mark.parametrize(
    ("admission", "expected"),
    [
        ("", ["KLG202"]),
        ("admission: {extendedResourceToleration: true}\n", []),
        ("admission: {defaultTolerations: [{key: nvidia.com/gpu, operator: Exists, resource: nvidia.com/gpu}]}\n", []),
        (
            "admission: {defaultTolerations: [{key: nvidia.com/gpu, operator: Exists, resource: amd.com/gpu}]}\n",
            ["KLG202"],
        ),
    ],
)
def test_tolerations_that_admission_adds_count(admission, expected):
    tainted = TWO.replace("    allocatable", '    taints: ["nvidia.com/gpu=present:NoSchedule"]\n    allocatable')
    assert codes(deployment("nvidia.com/gpu: 1", strategy=RECREATE), world(tainted + admission)) == expected


@pytest.mark.parametrize(
    ("taint", "safety"), [("nvidia.com/gpu=present:NoSchedule", "safe"), ("dedicated=vision:NoSchedule", "unsafe")]
)
def test_only_a_taint_of_the_resource_itself_is_tolerated_without_asking(taint, safety):
    tainted = TWO.replace("    allocatable", f'    taints: ["{taint}"]\n    allocatable')
    (finding,) = run(deployment("nvidia.com/gpu: 1", strategy=RECREATE), world(tainted))
    assert [(fix.safety, fix.verified) for fix in finding.fixes] == [(safety, True)]


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [("", ["KLG208"]), ('alibabacloud.com/gpu-mem: "8"', []), ('gpu-fraction: "0.5"', [])],
)
def test_a_pod_that_gets_its_share_by_annotation_is_no_cpu_pod(annotations, expected):
    running = "running: [{name: llm, node: a-1, requests: {cpu: 24, nvidia.com/gpu: 1}}]\n"
    inventory = world(TWO + CPU.removeprefix("nodes:\n") + running)
    assert codes(deployment("cpu: 20", annotations=annotations), inventory) == expected


def test_a_pod_of_hami_has_no_tickets_of_the_device_plugin():
    shared = "nodes: [{name: t4, gpus: {model: T4, count: 4, sharing: {mps: {replicas: 4}}}}]\n"
    assert codes(deployment("nvidia.com/gpu: 2", strategy=RECREATE), world(shared)) == ["KLG505"]
    text = deployment("nvidia.com/gpu: 2, nvidia.com/gpumem: 4000", strategy=RECREATE)
    assert codes(text, world(shared)) == ["KLG502"]


def test_contradictions_of_the_inventory_are_told_once_in_a_run():
    inventory = world(f"{TWO}running: [{{name: llm, node: a-1, gpus: 5}}]\n")
    units = [ApplySet((read(name, deployment("cpu: 1").encode()),), inventory) for name in ("a.yaml", "b.yaml")]
    found = check(units, inventory).findings
    assert [finding.code for finding in found].count("KLG602") == 1
