"""Resources and labels that the plugins of GPUs advertise."""

from __future__ import annotations

import pytest
from declarations_of import node

from kubelint_gpu.inventory import ONE_PER_CONTAINER


def test_t4_has_the_labels_of_the_driver_name_and_not_of_the_vendor():
    labels = node("gpus: {model: T4, count: 2}")["metadata"]["labels"]
    assert {key: value for key, value in labels.items() if key.startswith("nvidia.com/")} == {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "Tesla-T4",
        "nvidia.com/gpu.count": "2",
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/gpu.sharing-strategy": "none",
        "nvidia.com/gpu.memory": "15360",
        "nvidia.com/gpu.family": "turing",
        "nvidia.com/gpu.compute.major": "7",
        "nvidia.com/gpu.compute.minor": "5",
        "nvidia.com/mig.capable": "false",
        "nvidia.com/mps.capable": "false",
    }


@pytest.mark.parametrize(
    ("gpus", "resources", "product", "replicas"),
    [
        ("{model: L4, count: 3}", {"nvidia.com/gpu": "3"}, "NVIDIA-L4", "1"),
        (
            "{model: L4, count: 2, sharing: {timeSlicing: {replicas: 4}}}",
            {"nvidia.com/gpu": "8"},
            "NVIDIA-L4-SHARED",
            "4",
        ),
        (
            "{model: L4, count: 2, sharing: {timeSlicing: {replicas: 4, renameByDefault: true}}}",
            {"nvidia.com/gpu.shared": "8"},
            "NVIDIA-L4",
            "4",
        ),
        ("{model: L4, count: 1, sharing: {mps: {replicas: 3}}}", {"nvidia.com/gpu": "3"}, "NVIDIA-L4-SHARED", "3"),
        (
            "{model: A100-SXM4-80GB, count: 2, sharing: {mig: {strategy: single, profiles: {1g.10gb: 7}}}}",
            {"nvidia.com/gpu": "14"},
            "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 2, sharing: {mig: {strategy: mixed, profiles: {1g.10gb+me: 1, 3g.40gb: 1}}}}",
            {"nvidia.com/mig-1g.10gb.me": "2", "nvidia.com/mig-3g.40gb": "2"},
            "NVIDIA-A100-SXM4-80GB",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.10gb: 7}}, timeSlicing: {replicas: 2, renameByDefault: true}}}",
            {"nvidia.com/mig-1g.10gb.shared": "14"},
            "NVIDIA-A100-SXM4-80GB",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: single, profiles: {1g.10gb: 2, 2g.20gb: 1}}}}",
            {},
            "NVIDIA-A100-SXM4-80GB-MIG-INVALID",
            "0",
        ),
    ],
)
def test_sharing_decides_resource_names_and_labels(gpus, resources, product, replicas):
    value = node(f"gpus: {gpus}")
    allocatable = value["status"]["allocatable"]
    assert {name: amount for name, amount in allocatable.items() if "/" in name} == resources
    assert value["metadata"]["labels"]["nvidia.com/gpu.product"] == product
    assert value["metadata"]["labels"]["nvidia.com/gpu.replicas"] == replicas


def test_mixed_mig_has_a_set_of_labels_for_each_profile():
    labels = node("gpus: {model: A100-SXM4-40GB, count: 2, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}")[
        "metadata"
    ]["labels"]
    assert labels["nvidia.com/gpu.count"] == "2"
    assert labels["nvidia.com/mig.strategy"] == "mixed"
    assert labels["nvidia.com/mig-1g.5gb.count"] == "14"
    assert labels["nvidia.com/mig-1g.5gb.product"] == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        ("timeSlicing: {replicas: 2}", None),
        ("timeSlicing: {replicas: 2, failRequestsGreaterThanOne: true}", "nvidia.com/gpu"),
        ("mps: {replicas: 2}", "nvidia.com/gpu"),
        ("mps: {replicas: 2, failRequestsGreaterThanOne: false}", None),
    ],
)
def test_mps_refuses_two_tickets_by_default_and_time_slicing_does_not(sharing, expected):
    annotations = node(f"gpus: {{model: L4, count: 1, sharing: {{{sharing}}}}}")["metadata"]["annotations"]
    assert annotations.get(ONE_PER_CONTAINER) == expected


def test_gpus_of_other_plugins_have_a_resource_and_no_labels():
    value = node("gpus: {resource: amd.com/gpu, count: 8}")
    assert value["status"]["allocatable"]["amd.com/gpu"] == "8"
    assert not any(label.startswith("nvidia.com/") for label in value["metadata"]["labels"])
