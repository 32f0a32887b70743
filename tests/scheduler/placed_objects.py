"""Nodes and pods as plain data, all alike but for what is said."""


def node(name="n", **allocatable):
    amounts = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "4", "pods": "20", **allocatable}
    labels = {"kubernetes.io/hostname": name}
    return {"kind": "Node", "metadata": {"name": name, "labels": labels}, "status": {"allocatable": amounts}}


def pod(name="p", limits=None, ports=(), priority=0, **spec):
    container = {"name": "c", "ports": list(ports), "resources": {"limits": limits or {}}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "a"}},
        "spec": {"containers": [container], "priority": priority, **spec},
    }
