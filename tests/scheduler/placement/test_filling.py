"""How many pods of a kind find room, one after the other."""

from __future__ import annotations

import pytest

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.filling import filled, without_spreading

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


def term(app, key=HOST, **more):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


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


SNAPSHOT = Snapshot.of(read_cluster([node("one", "a"), node("two", "b"), node("three", "b")]))


@pytest.mark.parametrize(
    ("mine", "wanted", "placed"),
    [
        (pod(gpus=8), 3, 3),
        (pod(gpus=8), 4, 3),
        (pod(gpus=8, spread=[even()]), 3, 3),
        (pod(gpus=4, spread=[even(minDomains=3)]), 4, 2),
        (pod(gpus=8, spread=[even()], nodeSelector={ZONE: "b"}), 2, 2),
        (pod(gpus=8, spread=[even(nodeAffinityPolicy="Ignore")], nodeSelector={ZONE: "b"}), 2, 1),
        (pod(apart=[term("a")]), 4, 3),
    ],
)
def test_pods_are_placed_one_after_the_other_until_none_fits(mine, wanted, placed):
    found, failed = filled(mine, wanted, SNAPSHOT)
    assert found == placed
    assert (failed is None) == (placed == wanted)


def test_without_spreading_the_room_counts_alone():
    assert filled(without_spreading(pod(gpus=4, spread=[even(minDomains=3)])), 4, SNAPSHOT)[0] == 4
