"""Which resources are GPUs and their like."""

from __future__ import annotations

from collections.abc import Mapping

_RESOURCES = ("nvidia.com/gpu", "nvidia.com/gpu.shared", "amd.com/gpu", "habana.ai/gaudi", "google.com/tpu")
_FAMILIES = (
    "nvidia.com/mig-",
    "amd.com/spx_",
    "amd.com/dpx_",
    "amd.com/qpx_",
    "amd.com/cpx_",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "npu.intel.com/accel",
    "aws.amazon.com/neuron",
    "huawei.com/Ascend",
)
# Handles that give access to all devices, and amounts of memory, are no devices.
_NO_DEVICES = ("_monitoring", "-memory", "-core")
# A second view of devices that are counted under another name.
_VIEWS = ("aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice")


def is_accelerator(resource: str) -> bool:
    """Whether a resource counts GPUs, parts of GPUs, or accelerators that are scheduled like them."""
    if resource in _VIEWS or resource.endswith(_NO_DEVICES):
        return False
    return resource in _RESOURCES or resource.startswith(_FAMILIES)


def has_accelerators(allocatable: Mapping[str, int]) -> bool:
    """Whether there is any of them among some amounts."""
    return any(amount and is_accelerator(name) for name, amount in allocatable.items())


def gpus_in(amounts: Mapping[str, int]) -> int:
    """How many GPUs, or parts of GPUs, there are among some amounts."""
    return sum(amount for name, amount in amounts.items() if is_accelerator(name))
