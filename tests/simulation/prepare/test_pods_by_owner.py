"""The pods that a controller knows as its own, found without looking at all of them."""

from __future__ import annotations

import random

import pytest

from kubelint_gpu.kube.kinds.custom_workload import custom_workloads
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.pods_by_owner import PodsByOwner, pods_by_owner
from kubelint_gpu.values import replace

TEMPLATE = {"metadata": {"labels": {"app": "a", "tier": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
SELECTORS = (
    {"matchLabels": {"app": "a"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
    {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
)
KINDS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "RayCluster": "ray.io/v1",
}


def pod(number: int, dice: random.Random):
    found = read_pod(
        {
            "metadata": {
                "name": dice.choice(("web", "web-0", "other", f"web-{number}")),
                "namespace": dice.choice(("default", "other")),
                "labels": {key: dice.choice(("a", "b", "c")) for key in ("app", "tier") if dice.random() < 0.7},
            },
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        }
    )
    kind = dice.choice((*KINDS, "RayClusterGroup", ""))
    if not kind:
        return found
    owner = OwnerReference(kind, dice.choice(("web", "web-5d8f", "web-5d8f-1", "other-5d8f")))
    return replace(found, meta=replace(found.meta, owner=owner))


def workload(kind: str, selector):
    if kind == "Pod":
        value = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": TEMPLATE["spec"]}
    elif kind == "RayCluster":
        head = {"headGroupSpec": {"rayStartParams": {}, "template": TEMPLATE}}
        value = {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": "web"}, "spec": head}
        return next(found for found, _ in custom_workloads(value))
    else:
        spec = {"template": TEMPLATE} if kind == "Job" else {"selector": selector, "template": TEMPLATE}
        value = {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": "web"}, "spec": spec}
    return read_workload(value)


@pytest.mark.parametrize("kind", [*KINDS, "Pod"])
@pytest.mark.parametrize("selector", SELECTORS)
def test_a_controller_finds_the_same_pods_as_among_all(kind, selector):
    dice = random.Random(7)
    pods = tuple(pod(number, dice) for number in range(600))
    mine = workload(kind, selector)
    controller = controller_of(mine)
    expected = [one for one in pods if one.meta.namespace == "default" and controller.owns(one)]
    assert expected
    assert PodsByOwner(pods).own(controller) == expected
    gone = {one.identifier for one in expected[::2]}
    assert PodsByOwner(pods).own(controller, gone) == [one for one in expected if one.identifier not in gone]


def test_pods_are_sorted_once_for_each_cluster():
    pods = tuple(pod(number, random.Random(number)) for number in range(3))
    assert pods_by_owner(pods) is pods_by_owner(pods)
    assert pods_by_owner((*pods[:2], pods[2])).pods == pods
