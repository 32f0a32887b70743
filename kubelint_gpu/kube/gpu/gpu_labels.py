"""Node labels that describe a node's GPU, and its group of equal nodes.

Source: GPU feature discovery, node labellers of AMD and Intel, cloud providers, Karpenter.
"""

from __future__ import annotations

# the model of the GPU, the most telling label first; a family holds models that are no substitute for each other
MODEL = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "k8s.amazonaws.com/accelerator",
    "gpu.nvidia.com/model",
    "gpu.nvidia.com/class",
    "karpenter.azure.com/sku-gpu-name",
    "aliyun.accelerator/nvidia_name",
    "cloud.tencent.com/tke-accelerator",
    "alibabacloud.com/gpu-card-model",
)
# a group of nodes that are made from one template
POOL = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "karpenter.sh/nodepool",
    "compute.coreweave.com/node-pool",
    "doks.digitalocean.com/node-pool",
    "oci.oraclecloud.com/node-pool",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
)
_FURTHER = (
    "nvidia.com/gpu.memory",
    "nvidia.com/gpu.compute.major",
    "nvidia.com/gpu.compute.minor",
    "nvidia.com/gpu.count",
    "nvidia.com/gpu.family",
    "nvidia.com/gpu.clique",
    "nvidia.com/gpu.machine",
    "nvidia.com/gpu.replicas",
    "nvidia.com/gpu.sharing-strategy",
    "cloud.google.com/gke-accelerator-count",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-gpu-memory",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "karpenter.azure.com/sku-gpu-count",
    "amd.com/gpu.vram",
    "amd.com/gpu.family",
    "gpu.intel.com/family",
)
_GPU_LABELS = frozenset((*MODEL, *_FURTHER))
HOSTNAME = "kubernetes.io/hostname"
PRESENT = ".present"
"""What GPU feature discovery adds to a resource for the label of the nodes that have it: `nvidia.com/gpu.present`."""


def is_gpu_label(key: str) -> bool:
    """Whether a label describes the GPUs of a node: model, memory, number."""
    return key in _GPU_LABELS or key.startswith(("nvidia.com/mig-", "beta.amd.com/gpu."))
