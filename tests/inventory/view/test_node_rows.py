"""The rows of the table: nodes that are alike stand in one."""

from __future__ import annotations

import json

from node_table import cluster

from kubelint_gpu.inventory.view.table import to_json


def test_the_data_says_the_same_and_is_json():
    data = to_json(cluster())
    assert json.loads(json.dumps(data)) == data
    tracker = next(found for found in data["classes"] if found["nodes"] == ["tracker-node"])
    assert tracker["free"]["cpu"] == "28"
    assert tracker["allocatable"]["ephemeral-storage"] is None
    assert tracker["running"] == [
        {
            "owner": "vision/tracker",
            "pods": 1,
            "requests": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"},
        }
    ]
    assert data["pools"] == [{"name": "worker", "nodes": ["worker-1", "worker-2", "worker-3"], "min": 1, "max": 5}]


def test_a_label_that_is_different_on_every_node_makes_no_classes_and_a_zone_does():
    nodes = "".join(
        f"  - {{name: n{n}, labels: {{id: x{n}, topology.kubernetes.io/zone: z{n % 2}}}}}\n" for n in range(6)
    )
    head = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
    classes = to_json(cluster(head + nodes))["classes"]
    assert [found["nodes"] for found in classes] == [["n0", "n2", "n4"], ["n1", "n3", "n5"]]
