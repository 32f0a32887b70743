"""Nodes in zones, and pods that spread over them."""

from __future__ import annotations

from kubelint_gpu.scheduler import read_pod

HOST = "kubernetes.io/hostname"


ZONE = "topology.kubernetes.io/zone"


def node(name, zone, gpus=8, **spec):
    labels = {HOST: name, **({ZONE: zone} if zone else {})}
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": {"cpu": "64", "pods": "110", "nvidia.com/gpu": str(gpus)}},
    }


def pod(app="a", namespace="ml", near=(), apart=(), spread=(), gpus=1, **spec):
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"podAffinity": {required: list(near)}, "podAntiAffinity": {required: list(apart)}}
    container = {"name": "main", "image": "image", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return read_pod(
        {
            "kind": "Pod",
            "metadata": {"name": app, "namespace": namespace, "labels": {"app": app}},
            "spec": {
                **({"affinity": affinity} if near or apart else {}),
                "topologySpreadConstraints": list(spread),
                "containers": [container],
                **spec,
            },
        }
    )


def even(skew=1, **more):
    selector = {"matchLabels": {"app": "a"}}
    return {
        "maxSkew": skew,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector,
        **more,
    }
