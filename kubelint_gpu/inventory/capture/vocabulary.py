"""Words, label keys and label values that are the same in everybody's cluster and tell nothing of its people."""

from __future__ import annotations

from kubelint_gpu.kube.admission.neighbours import SCHEDULERS
from kubelint_gpu.kube.gpu.gpu_labels import is_gpu_label

_OF_SCHEDULERS = frozenset(word for name in SCHEDULERS for part in name.split("/") for word in part.split("-"))
WORDS = _OF_SCHEDULERS | frozenset([
    "default", "kube", "system", "public", "node", "nodes", "lease", "master", "worker", "control", "plane", "pool",
    "gpu", "gpus", "cpu", "critical", "cluster", "scheduler", "apiserver", "controller", "manager", "proxy",
    "coredns", "dns", "etcd", "nvidia", "device", "plugin", "operator", "exporter", "driver", "requests", "limits",
    "count", "name", "metadata", "app", "true", "false",
])  # fmt: skip
# the projects that define labels, taints and resources for everybody
_DOMAINS = (
    "amazonaws.com",
    "amd.com",
    "azure.com",
    "count",
    "google.com",
    "habana.ai",
    "hami.io",
    "intel.com",
    "k8s.aws",
    "k8s.io",
    "karpenter.sh",
    "kubelint-gpu",
    "kubernetes.io",
    "nvidia.com",
    "openshift.io",
    "run.ai",
    "volcano.sh",
    "x-k8s.io",
)
_KEYS = frozenset([
    "app", "component", "controller-revision-hash", "controller-uid", "job-name", "k8s-app", "name",
    "pod-template-generation", "pod-template-hash", "role", "tier", "version", "metadata.name",
])  # fmt: skip
_VALUES = frozenset(
    [
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
        "karpenter.sh/capacity-type",
    ]
)
_HARDWARE = ("amd.com/", "beta.amd.com/", "feature.node.kubernetes.io/", "gpu.intel.com/", "nvidia.com/")


_MODEL = frozenset([
    "addressingmode", "architecture", "brand", "cudacomputecapability", "cudadriverversion", "driverversion",
    "family", "generation", "model", "product", "productname", "profile", "type", "vendor",
])  # fmt: skip


def is_known_attribute(name: str) -> bool:
    """Whether an attribute of a device says what model it is, not which one."""
    return name.rpartition("/")[2].lower() in _MODEL


def is_known_key(key: str) -> bool:
    """Whether the key of a label or taint, or the name of a resource, is one that everybody has."""
    domain, slash, _ = key.rpartition("/")
    if not slash:
        # resources of Kubernetes and of quotas have no domain: cpu, requests.memory, hugepages-2Mi
        return key in _KEYS or key.partition("-")[0].rpartition(".")[2] in _RESOURCES
    return any(domain == known or domain.endswith(f".{known}") for known in _DOMAINS)


def is_known_value(key: str) -> bool:
    """Whether the values of a label say what hardware or system a node has, not what somebody called it."""
    return key in _VALUES or is_gpu_label(key) or key.startswith(_HARDWARE)


_RESOURCES = frozenset([
    "cpu", "memory", "ephemeral", "storage", "pods", "hugepages", "attachable", "services", "secrets", "configmaps",
    "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "loadbalancers", "nodeports",
])  # fmt: skip
