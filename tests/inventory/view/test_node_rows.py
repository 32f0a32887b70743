"""The rows of the table: nodes that are alike stand in one.

Devices of nodes in the table.
"""

from __future__ import annotations

import json

from node_table import cluster

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.view.table import render, to_json


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


DEVICES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.36"
nodes:
  - {name: gpu-1, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, count: 4}]}
  - {name: gpu-2, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, count: 4}]}
  - {name: dyn-1, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, mig: dynamic}]}
  - {name: cpu-1, allocatable: {cpu: 8, memory: 8Gi}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: x}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}
status:
  allocation: {devices: {results: [{request: g, driver: gpu.nvidia.com, pool: gpu-2, device: gpu-1}]}}
"""


def test_devices_are_counted_with_those_that_claims_have():
    text = render(load([read("d.yaml", DEVICES.encode())])[0])
    assert "9 devices for claims, 8 free" in text
    assert "devices    4 \u00d7 NVIDIA H100 80GB HBM3 (7 of 8 free)" in text
    assert "devices    1 \u00d7 NVIDIA H100 80GB HBM3 (1 of 1 free)" in text, "of a GPU and its parts the GPU counts"
    classes = {one["nodes"][0]: one for one in to_json(load([read("d.yaml", DEVICES.encode())])[0])["classes"]}
    assert classes["gpu-1"]["devices"] == [{"name": "NVIDIA H100 80GB HBM3", "count": 4, "free": 7}]
    assert "devices" not in classes["cpu-1"]


def test_devices_of_a_pool_that_misses_slices_are_not_free():
    text = (
        DEVICES
        + """---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: cpu-1
  pool: {name: p, generation: 1, resourceSliceCount: 2}
  devices: [{name: d}]
"""
    )
    assert "1 \u00d7 gpu.example.com in an unusable pool (0 of 1 free)" in render(
        load([read("d.yaml", text.encode())])[0]
    )


def test_a_gpu_counts_where_its_parts_are_in_several_slices():
    text = DEVICES.replace("mig: dynamic}", "mig: dynamic, count: 4}")
    assert "12 devices for claims, 11 free" in render(load([read("d.yaml", text.encode())])[0])


def test_a_gpu_is_told_with_the_partitions_that_it_can_be_divided_into():
    inventory = load([read("d.yaml", DEVICES.encode())])[0]
    assert "partitions 7 \u00d7 1g.10gb, 1 \u00d7 1g.10gb+me, 4 \u00d7 1g.20gb, 3 \u00d7 2g.20gb" in render(inventory)
    (found,) = [one for one in to_json(inventory)["classes"] if one["nodes"] == ["dyn-1"]]
    assert {"name": "3g.40gb", "most": 2} in found["devices"][0]["partitions"]


def test_a_gpu_of_which_a_claim_has_a_partition_is_not_free():
    held = "pool: dyn-1, device: gpu-0-mig-1g10gb-19-0"
    inventory = load([read("d.yaml", DEVICES.replace("pool: gpu-2, device: gpu-1", held).encode())])[0]
    assert "devices    1 \u00d7 NVIDIA H100 80GB HBM3 (0 of 1 free)" in render(inventory)


def test_devices_that_taints_keep_from_claims_are_told_apart():
    tainted = """---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: cpu-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: a, taints: [{key: x.example/bad, effect: NoExecute}]}, {name: b}]
---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: r}
spec: {deviceSelector: {device: b}, taint: {key: x.example/off, value: "1", effect: NoSchedule}}
"""
    of_newest, of_old = (DEVICES.replace("1.36", version) + tainted for version in ("1.36", "1.35"))
    text = " ".join(render(load([read("d.yaml", of_newest.encode())])[0]).split())
    assert "gpu.example.com tainted x.example/bad:NoExecute (1 of 1 free)" in text
    assert "gpu.example.com tainted x.example/off=1:NoSchedule (1 of 1 free)" in text
    assert "devices    2 \u00d7 gpu.example.com (2 of 2 free)" in render(load([read("d.yaml", of_old.encode())])[0])
