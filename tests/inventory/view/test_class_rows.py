"""The classes and quotas that a table of the cluster lists."""

from __future__ import annotations

import json

from command_line import kubelint

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
