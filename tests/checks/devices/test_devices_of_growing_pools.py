"""A pool that grows brings the devices that its template has: rollouts and claims count with them."""

from __future__ import annotations

import pytest
from checks_units import findings

POOL = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
pools:
  - name: gpu
    {size}
    template:
      allocatable: {{cpu: 96, memory: 512Gi}}
      devices: [{{model: H100-80GB-HBM3, count: 1}}]
"""
FIXED = POOL.format(size="count: 2")
GROWS = POOL.format(size="autoscaling: {min: 2, max: 5}")
EMPTY = POOL.format(size="autoscaling: {min: 0, max: 5}")
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpu, namespace: ml}}
spec: {{spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu.nvidia.com, count: {count}}}}}]}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: ml}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      containers: [{{name: main, image: "registry.example.com/chat:1", resources: {{claims: [{{name: gpu}}]}}}}]
      resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpu}}]
"""


def told(inventory, replicas=2, count=1):
    text = CLAIM.format(replicas=replicas, count=count)
    return [(one.code, one.severity, one.message) for one in findings(text, inventory)]


def test_a_rollout_that_waits_for_a_device_ends_where_its_pool_adds_a_node():
    ((code, severity, message),) = told(FIXED)
    assert (code, severity) == ("KLG101", "error")
    assert "waits for devices on gpu-1 and gpu-2 (gpu.nvidia.com/gpu-1/gpu-0 and gpu.nvidia.com/gpu-2/gpu-0)" in message
    ((code, severity, message),) = told(GROWS)
    assert (code, severity) == ("KLG114", "note")
    assert message.startswith("the rollout ends only if pool gpu adds a node meanwhile")


@pytest.mark.parametrize("inventory", [GROWS, EMPTY])
def test_replicas_are_counted_on_the_devices_of_all_nodes_that_a_pool_may_have(inventory):
    ((code, severity, message),) = told(inventory, 6)
    assert (code, severity) == ("KLG109", "error")
    assert message.startswith(
        "only 5 of 6 replicas can run even with pool gpu at its maximum of 5 nodes: "
        "too few devices are left for its claims on 5 nodes"
    )


def test_partitions_are_counted_on_the_nodes_that_a_pool_may_add_too():
    pool = POOL.format(size="autoscaling: {min: 0, max: 1}").replace('"1.34"', '"1.36"')
    pool = pool.replace("count: 1}]", "mig: dynamic}]")
    text = CLAIM.format(replicas=9, count=1).replace("gpu.nvidia.com", "mig.nvidia.com")
    (found,) = findings(text, pool)
    assert (found.code, found.severity) == ("KLG109", "error")
    assert found.message.startswith("only 7 of 9 replicas can run even with pool gpu at its maximum of 1 node:")


def test_a_claim_that_no_node_of_an_empty_pool_would_serve_is_unsatisfiable_for_certain():
    found = told(EMPTY, count=2)
    assert ("KLG703", "error") in [one[:2] for one in found]
    assert "the largest node, gpu+1, has 1" in found[0][2]


def test_devices_of_a_node_that_joins_are_named_with_those_who_hold_them():
    ((code, _, message),) = told(EMPTY, replicas=1)
    assert code == "KLG114"
    assert "waits for device gpu.nvidia.com/gpu+1/gpu-0 on gpu+1, held by the old pod" in message
