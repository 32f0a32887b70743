"""NodeResourcesFit: the tables of its specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"


def resources(**amounts):
    return {
        "resources": {"requests": {name.replace("__", "/").replace("_", "-"): str(q) for name, q in amounts.items()}}
    }


def giving(**amounts):
    found = node("n")
    found["status"]["allocatable"] = {name.replace("_", "-"): str(amount) for name, amount in amounts.items()}
    return found


@pytest.mark.parametrize(
    ("version", "code"),
    [("1.33", U), ("1.34", UU)],
)
def test_a_request_above_allocatable_is_final_since_1_34(version, code):
    big = giving(cpu=4, memory="8Gi", pods=10)
    holder = pod("holder", "n", containers=[{"name": "c", **resources(memory="8Gi")}])
    asked = pod(containers=[{"name": "c", **resources(cpu=8, memory="1Gi")}])
    assert verdicts(asked, big, holder, version=version) == {"n": (code, "Insufficient cpu", "Insufficient memory")}


@pytest.mark.parametrize(
    ("allocatable", "asked", "verdict"),
    [
        ({"cpu": 4, "memory": "8Gi"}, {}, (U, "Too many pods")),
        ({"cpu": 4, "pods": 2}, {"cpu": 4}, None),
        ({"cpu": 4, "pods": 2}, {"cpu": "4001m"}, (UU, "Insufficient cpu")),
        ({"pods": 2}, {"nvidia.com/gpu": 1}, (UU, "Insufficient nvidia.com/gpu")),
        ({"pods": 2}, {"nvidia.com/gpu": 0}, None),
        ({"pods": 2, "hugepages-2Mi": "2Mi"}, {"hugepages-2Mi": "4Mi"}, (UU, "Insufficient hugepages-2Mi")),
        ({"pods": 2}, {"ephemeral-storage": "10Gi"}, (UU, "Insufficient ephemeral-storage")),
        ({"pods": 2}, {"storage": "10Gi"}, None),
    ],
)
def test_requests_are_compared_with_allocatable(allocatable, asked, verdict):
    asked = {name: str(amount) for name, amount in asked.items()}
    incoming = pod(containers=[{"name": "c", "resources": {"requests": asked}}])
    assert verdicts(incoming, giving(**allocatable)) == {"n": verdict}


def test_a_pod_without_requests_fits_a_node_that_is_overcommitted():
    holder = pod("holder", "n", containers=[{"name": "c", **resources(cpu=9)}])
    assert verdicts(pod(), giving(cpu=4, pods=10), holder) == {"n": None}


def test_finished_pods_and_pods_of_unknown_nodes_take_no_room():
    full = giving(cpu=1, pods=1)
    done = pod("done", "n") | {"status": {"phase": "Succeeded"}}
    assert verdicts(pod(), full, done, pod("elsewhere", "gone"), pod("pending")) == {"n": None}
