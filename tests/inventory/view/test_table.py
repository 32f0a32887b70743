"""The table of a cluster, whole, and the same as data."""

from __future__ import annotations

import json

import pytest
from command_line import kubelint
from hypothesis import given, settings
from hypothesis import strategies as st
from node_table import cluster

from kubelint_gpu.inventory.view.node_rows import abbreviated, natural
from kubelint_gpu.inventory.view.table import render

NARROW = """staging · Kubernetes 1.34 · 6 nodes, and there may be others · 45 GPU devices,
41 free · 4 running pods

NODES         COUNT  GPUS PER NODE                      CPU    MEMORY  FREE GPUS
mig-1             1  32 * mig-1g.10gb              no limit  no limit   40 of 40
                     8 * mig-3g.40gb
  cordoned   takes no new pods
  also       4 * vpc.amazonaws.com/efa
t4-a              1  4 * Tesla-T4-SHARED (time-         7.9    29.2Gi     1 of 4
                     slicing, 4 per GPU)
  unhealthy  ECC errors
  free       7.9 CPU, 29.2Gi memory
  labels     topology.kubernetes.io/zone=a
  taints     nvidia.com/gpu=present:NoSchedule
  runs       a/b * 3 (3 GPUs)
tracker-node      1  1 * NVIDIA-GeForce-RTX-3090         32     125Gi     0 of 1
  free       28 CPU, 109Gi memory
  runs       vision/tracker (1 GPU)
worker-[1-3]      3  -                                   32     125Gi          -
  free       96 CPU, 375Gi memory

pool worker: 3 nodes, autoscaling from 1 to 5
""".replace("*", "\N{MULTIPLICATION SIGN}")
WIDE = """staging - Kubernetes 1.34 - 6 nodes, and there may be others - 45 GPU devices, 41 free - 4 running pods

NODES         COUNT  GPUS PER NODE                                       CPU    MEMORY  FREE GPUS  FREE CPU  FREE MEM
mig-1             1  32 x mig-1g.10gb                               no limit  no limit   40 of 40  no limit  no limit
                     8 x mig-3g.40gb
  cordoned   takes no new pods
  also       4 x vpc.amazonaws.com/efa
t4-a              1  4 x Tesla-T4-SHARED (time-slicing, 4 per GPU)       7.9    29.2Gi     1 of 4       7.9    29.2Gi
  unhealthy  ECC errors
  labels     topology.kubernetes.io/zone=a
  taints     nvidia.com/gpu=present:NoSchedule
  runs       a/b x 3 (3 GPUs)
tracker-node      1  1 x NVIDIA-GeForce-RTX-3090                          32     125Gi     0 of 1        28     109Gi
  runs       vision/tracker (1 GPU)
worker-[1-3]      3  -                                                    32     125Gi          -        96     375Gi

pool worker: 3 nodes, autoscaling from 1 to 5
"""


def test_the_table_at_80_columns():
    assert render(cluster(), width=80, ascii_only=False) == NARROW


def test_the_table_at_120_columns_in_ascii():
    assert render(cluster(), width=120, ascii_only=True) == WIDE


@pytest.mark.parametrize("width", [72, 80, 100, 120, 200])
def test_no_line_is_wider_than_asked_for(width):
    assert max(len(line) for line in render(cluster(), width=width, ascii_only=False).splitlines()) <= width


def test_an_empty_inventory_has_a_table_too():
    empty = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"
    assert render(cluster(empty), width=80, ascii_only=True) == (
        "Kubernetes version unknown - 0 nodes, and there may be others - no GPUs - 0\nrunning pods\n"
    )


def test_control_characters_of_a_file_never_reach_the_terminal():
    text = (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{name: a, unhealthy: true, reason: "x\\e[31m"}]\n'
    )
    assert "\x1b" not in render(cluster(text), width=80, ascii_only=False)


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["gpu-1", "gpu-2", "gpu-3"], ("gpu-[1-3]",)),
        (["gpu-1", "gpu-3", "gpu-10"], ("gpu-[1,3,10]",)),
        (["n08", "n09", "n10"], ("n10", "n[08-09]")),
        (["a", "b"], ("a", "b")),
        (["ip-10-0-0-1.ec2", "ip-10-0-0-2.ec2"], ("ip-10-0-0-[1-2].ec2",)),
        ([f"n{number}" for number in range(0, 100, 2)], ("n[0,2,4,6,...,98]",)),
    ],
)
def test_names_are_folded(names, folded):
    assert abbreviated(names) == folded


@given(st.lists(st.from_regex(r"[a-z]{1,3}-?[0-9]{0,3}", fullmatch=True), max_size=20))
@settings(max_examples=100)
def test_the_order_of_names_is_total_and_does_not_depend_on_their_order(names):
    backwards = names[::-1]
    assert [natural(name) for name in sorted(names, key=natural)] == sorted(map(natural, backwards))
    assert abbreviated(names) == abbreviated(list(reversed(names)))


INVENTORY = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
- {name: node-1, allocatable: {cpu: 8, memory: 8Gi}}
priorityClasses: [{name: low, value: 5}, {name: high, value: 50}]
resourceQuotas: [{name: gpus, namespace: research, hard: {requests.nvidia.com/gpu: 16, pods: 40}}]
"""


def test_classes_stand_by_value_and_quotas_with_their_limits(tmp_path):
    (tmp_path / "i.yaml").write_text(INVENTORY, encoding="utf-8")
    told = kubelint("inventory", "show", "i.yaml", cwd=tmp_path).out
    assert told.endswith(
        "\npriority classes: high (50), low (5)\nquota research/gpus: pods 40, requests.nvidia.com/gpu 16\n"
    )
    found = json.loads(kubelint("inventory", "show", "i.yaml", "--output-format", "json", cwd=tmp_path).out)
    assert found["priorityClasses"] == {"high": 50, "low": 5}
    assert found["resourceQuotas"] == {"research/gpus": {"pods": "40", "requests.nvidia.com/gpu": "16"}}


def test_an_inventory_without_classes_has_no_lines_for_them(tmp_path):
    (tmp_path / "i.yaml").write_text(INVENTORY.partition("priorityClasses")[0], encoding="utf-8")
    assert "classes" not in kubelint("inventory", "show", "i.yaml", cwd=tmp_path).out
