"""Custom resources with pods."""

from kubelint_gpu.kube.kinds.custom_workload import custom_workloads

POD = {"containers": [{"name": "main", "image": "image", "resources": {"limits": {"nvidia.com/gpu": 4}}}]}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": POD}


def custom(version, kind, spec):
    value = {"apiVersion": version, "kind": kind, "metadata": {"name": "it", "namespace": "ml"}, "spec": spec}
    return [workload for workload, _ in custom_workloads(value)]
