"""Which model is meant.

MIG profiles.
"""

from __future__ import annotations

import pytest
from declarations_of import loaded, node

from kubelint_gpu.inventory.gpus.gpu_models import MODELS, has_accelerators, is_accelerator, profile_of


def test_memory_chooses_between_models_of_one_name():
    _, errors = loaded("nodes:\n  - {name: m, gpus: {model: H100, memory: 94Gi, count: 1}}\n")
    assert errors == ()
    labels = node("gpus: {model: H100, memory: 94Gi, count: 1}")["metadata"]["labels"]
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-NVL"
    assert labels["nvidia.com/gpu.memory"] == "96256"


@pytest.mark.parametrize(
    ("gpus", "message", "hint"),
    [
        (
            "{model: A1000, count: 1}",
            'unknown GPU model "A1000", taken as product label "A1000"',
            'did you mean "A100"?',
        ),
        (
            "{model: V100, count: 1}",
            '"V100" may be Tesla-V100-SXM2-16GB, Tesla-V100-SXM2-32GB, Tesla-V100-PCIE-16GB, Tesla-V100-PCIE-32GB; taken as the first',
            "write the product label",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}",
            'NVIDIA-A100-SXM4-80GB has no MIG profile "1g.5gb"',
            'did you mean "1g.10gb"?',
        ),
        (
            "{model: T4, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}",
            "Tesla-T4 cannot be divided by MIG",
            "use timeSlicing or mps",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {3g.40gb: 3}}}}",
            "NVIDIA-A100-SXM4-80GB holds at most 2 of 3g.40gb, not 3",
            "",
        ),
    ],
)
def test_doubtful_gpus_are_a_warning_and_a_doubtful_model_a_note(gpus, message, hint):
    severity = "warning" if "mig" in gpus else "note"
    _, errors = loaded(f"nodes:\n  - name: m\n    gpus: {gpus}\n")
    assert (errors[0].severity, errors[0].message, errors[0].hint) == (severity, message, hint)
    assert errors[0].span.line == 5


def test_the_79_gb_profile_of_some_drivers_is_no_other_profile():
    _, errors = loaded(
        "nodes:\n  - {name: m, gpus: {model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {7g.79gb: 1}}}}}\n"
    )
    assert errors == ()


@pytest.mark.parametrize(
    "resource",
    ["nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/cpx_nps4", "gpu.intel.com/xe", "aws.amazon.com/neuron"],
)
def test_gpus_their_parts_and_their_like_count(resource):
    assert is_accelerator(resource)
    assert has_accelerators({"cpu": 4, resource: 1})


@pytest.mark.parametrize(
    "resource",
    ["cpu", "nvidia.com/gpu-memory", "gpu.intel.com/i915_monitoring", "aws.amazon.com/neuroncore", "example.com/gpu"],
)
def test_handles_memory_and_second_views_do_not(resource):
    assert not is_accelerator(resource)
    assert not has_accelerators({resource: 1})


def test_a_node_that_has_none_left_has_none():
    assert not has_accelerators({"nvidia.com/gpu": 0})


def model(product):
    return next(found for found in MODELS if found.product == product)


@pytest.mark.parametrize(
    ("product", "resource", "profile"),
    [
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-7g.79gb", "7g.80gb"),
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-1g.10gb.me", "1g.10gb+me"),
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-1g.5gb", None),
        ("NVIDIA-A100-SXM4-40GB", "nvidia.com/mig-1g.5gb.shared", "1g.5gb"),
        ("NVIDIA-L4", "nvidia.com/mig-1g.5gb", None),
    ],
)
def test_a_resource_name_is_a_profile_within_one_gigabyte(product, resource, profile):
    assert profile_of(model(product), resource) == profile
