"""Entries of concise declarations."""

from __future__ import annotations

from declarations_of import POOL_TEXT, RUNNING, inventory_of, line_of, loaded


def test_pools_that_are_too_large_together_are_an_error_and_not_an_outage():
    (error,) = loaded("pools: [{name: a, count: 1, template: {}}, {name: b, count: 30000, template: {}}]\n")[1]
    assert error.message == "the pool brings the cluster above 30,000 nodes, more than an inventory may have"
    assert error.span.line == 3


def test_fields_of_pods_pools_and_policies_lead_back_to_their_lines():
    running = inventory_of(RUNNING)
    requests = ("spec", "containers", 0, "resources", "requests")
    assert line_of(running, "Pod", "tracker", *requests, "nvidia.com/gpu") == 15
    assert line_of(running, "Pod", "tracker", *requests, "cpu") == 14
    assert line_of(running, "Pod", "tracker", "spec", "priority") == 17
    assert line_of(running, "Pod", "raw", "spec", "nodeName") == 22
    assert line_of(running, "PriorityClass", "usual", "globalDefault") == 10
    pool = inventory_of(POOL_TEXT)
    assert line_of(pool, "Node", "gpu-2", "metadata", "name") == 5
    assert line_of(pool, "Node", "gpu-2", "status", "allocatable", "nvidia.com/gpu") == 9


def test_policies_are_api_objects():
    inventory = inventory_of(
        """namespaces: [{name: vision, labels: {team: ml}}]
resourceQuotas: [{name: q, namespace: vision, hard: {requests.nvidia.com/gpu: 4}, used: {requests.nvidia.com/gpu: 1}}]
podDisruptionBudgets:
  - {name: b, namespace: vision, selector: {matchLabels: {a: b}}, minAvailable: 50%}
  - {name: c, selector: {}, maxUnavailable: 1, disruptionsAllowed: 0}
"""
    )
    values = {each.kind + "/" + each.name: each.value for each in inventory.objects}
    assert values["Namespace/vision"]["metadata"]["labels"]["kubernetes.io/metadata.name"] == "vision"
    assert values["ResourceQuota/q"]["spec"]["hard"] == values["ResourceQuota/q"]["status"]["hard"]
    assert values["PodDisruptionBudget/b"]["spec"]["minAvailable"] == "50%"
    assert "status" not in values["PodDisruptionBudget/b"]
    assert values["PodDisruptionBudget/c"]["status"] == {"disruptionsAllowed": 0}
