"""A rollout that is stuck and reverted: the running pods have the new template, and the pod that waits goes."""

from __future__ import annotations

import json

import pytest
from change_cases import found, inventory, made

IMAGE = "registry.example.com/main"
WAITS = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}


def captured(name, gpus, node="", image=None, **spec):
    limits = {"nvidia.com/gpu": str(gpus)}
    container = {"name": "main", "resources": {"limits": limits, "requests": limits}}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"a-{name}", "uid": name, "controller": True}
    labels = {"app": "a", "pod-template-hash": name}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"a-{name}-x", "namespace": "serving", "labels": labels, "ownerReferences": [owner]},
        "spec": {"containers": [{**container, "image": image} if image else container], "priority": 1000, **spec},
        "status": {"phase": "Running"} if node else WAITS,
    }
    if node:
        pod["spec"]["nodeName"] = node
    return f"---\n{json.dumps(pod)}\n"


def told(before, after, cluster):
    return [(code, "next rollout" in text) for code, _, text in found(before, after, cluster)]


@pytest.mark.parametrize(("gpus", "expected"), [(1, [("KLG101", True)]), (2, [])])
def test_the_next_rollout_finds_the_pods_that_run_and_not_the_one_that_waited(gpus, expected):
    cluster = inventory(gpus) + captured("1", 1, "n1") + captured("2", gpus + 1)
    assert told(made("a", gpus=gpus + 1), made("a"), cluster) == expected
    cluster = inventory(gpus) + captured("1", 1, "n1") + captured("2", 1, nodeSelector={"on": "n9"})
    assert told(made("a", pod="nodeSelector: {on: n9}\n"), made("a"), cluster) == expected


def test_that_a_revert_is_none_is_not_certain_where_only_the_image_could_tell():
    before, after = (made("a").replace("main:1", f"main:{name}") for name in "ji")
    assert told(before, after, inventory(1) + captured("1", 1, "n1") + captured("2", 1)) == [("KLG107", False)]


def test_what_comes_back_with_another_image_may_be_new():
    before, after = (made("a", gpus=gpus).replace("main:1", f"main:{gpus}") for gpus in (2, 1))
    cluster = inventory(1) + captured("1", 1, "n1") + captured("2", 2)
    assert told(before, after, cluster) == [("KLG107", False)]
    assert told(before, after.replace("main:1", "main:2"), cluster) == [("KLG101", True)]
    shown = inventory(1) + captured("1", 1, "n1", f"{IMAGE}:1") + captured("2", 2, image=f"{IMAGE}:2")
    assert told(before, after, shown) == [("KLG101", True)]
    assert told(before, after.replace("main:1", "main:3"), shown) == [("KLG101", False)]
