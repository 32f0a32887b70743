"""Declared pods that run."""

from __future__ import annotations

from declarations_of import RUNNING, inventory_of


def test_running_pods_are_complete_pods():
    pods = {pod.name: pod.value for pod in inventory_of(RUNNING).of_kind("Pod")}
    assert list(pods) == ["tracker", "free-1", "free-2", "fixed", "critical", "raw"]
    tracker = pods["tracker"]
    assert tracker["metadata"]["namespace"] == "vision"
    assert tracker["metadata"]["ownerReferences"] == [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "tracker", "controller": True}
    ]
    assert tracker["spec"]["nodeName"] == "m"
    assert tracker["status"]["phase"] == "Running"
    (container,) = tracker["spec"]["containers"]
    assert container["resources"] == {
        "requests": {"cpu": "500m", "nvidia.com/gpu": "1"},
        "limits": {"nvidia.com/gpu": "1"},
    }
    assert [(port["hostPort"], port["protocol"]) for port in container["ports"]] == [(80, "TCP"), (53, "UDP")]
    assert pods["free-2"]["spec"]["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu.shared": "2"}


def test_running_pods_have_the_priority_that_admission_gives():
    specs = {pod.name: pod.value["spec"] for pod in inventory_of(RUNNING).of_kind("Pod")}
    assert (specs["tracker"]["priority"], specs["tracker"]["preemptionPolicy"]) == (7, "Never")
    assert (specs["free-1"]["priority"], specs["free-1"]["priorityClassName"]) == (3, "usual")
    assert specs["fixed"]["priority"] == 9
    assert specs["critical"]["priority"] == 2_000_001_000
    assert specs["raw"]["priority"] == 7
