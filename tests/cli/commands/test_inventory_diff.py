"""What two inventories have different."""

from __future__ import annotations

from command_line import kubelint


def difference(tmp_path, old, new):
    (tmp_path / "old.yaml").write_text(old)
    (tmp_path / "new.yaml").write_text(new)
    return kubelint("inventory", "diff", "old.yaml", "new.yaml", cwd=tmp_path)


OLD = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.33"
nodes:
  - {name: gpu-1, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 4}}
  - {name: gpu-2, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 4}}
  - {name: cpu-1, allocatable: {cpu: 8, memory: 32Gi}, labels: {team: a}}
pools:
  - name: spot
    count: 1
    template: {allocatable: {cpu: 4, memory: 16Gi}}
    autoscaling: {min: 0, max: 3}
priorityClasses:
  - {name: gpu-serving, value: 1000}
  - {name: batch, value: 10}
running:
  - {name: notebook, namespace: lab, node: gpu-1, gpus: 1}
  - {name: train, namespace: lab, node: gpu-2, gpus: 2}
"""


def test_what_decides_nothing_is_no_difference(tmp_path):
    claim = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ns%s}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: %s}}]}}}
"""
    raw = claim % (", resourceVersion: '5', managedFields: [{manager: m}]", "gpu")
    ran = difference(tmp_path, OLD + raw, OLD + claim % ("", "gpu"))
    assert (ran.code, ran.out) == (0, "")
    assert "ResourceClaimTemplate ns/t has changed" in difference(tmp_path, OLD + raw, OLD + claim % ("", "other")).out


def test_the_same_inventory_has_no_difference(tmp_path):
    ran = difference(tmp_path, OLD, OLD)
    assert (ran.code, ran.out) == (0, "")


def test_what_has_changed_is_said_in_sentences(tmp_path):
    new = (
        OLD.replace("1.33", "1.34")
        .replace("gpu-2, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 4}",
                 "gpu-3, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 8}")
        .replace("labels: {team: a}", 'labels: {team: b}, taints: ["x=y:NoSchedule"]')
        .replace("max: 3", "max: 5")
        .replace("value: 1000", "value: 2000")
        .replace("  - {name: batch, value: 10}\n", "")
        .replace("node: gpu-1, gpus: 1", "node: gpu-3, gpus: 1")
        .replace("node: gpu-2, gpus: 2", "node: gpu-3, count: 2, gpus: 2")
    )  # fmt: skip
    ran = difference(tmp_path, OLD, new)
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "Kubernetes 1.34, was 1.33",
        "node gpu-2 is gone (each with 4 nvidia.com/gpu)",
        "node gpu-3 is new (each with 8 nvidia.com/gpu)",
        "node cpu-1: taint x=y:NoSchedule is new; label team=a is gone; label team=b is new",
        "in all 12 nvidia.com/gpu, was 8",
        "free 7 nvidia.com/gpu, was 5",
        "pool spot: autoscaling 0 to 5, was 0 to 3",
        "lab/notebook: 1 pod moved from gpu-1 to gpu-3",
        "lab/train: 1 pod gone",
        "lab/train-1: 1 pod new",
        "lab/train-2: 1 pod new",
        "PriorityClass batch is gone (value 10)",
        "PriorityClass gpu-serving: value 2000, was 1000",
    ]


def test_an_inventory_that_cannot_be_used_fails_the_comparison(tmp_path):
    assert difference(tmp_path, OLD, "kind: Nonsense\n").code == 2
    assert kubelint("inventory", "diff", "a.yaml", "b.yaml", cwd=tmp_path).code == 2
