"""What admission adds to the spec of a pod."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.admission.defaults import admitted, extended_resources, without_resources
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.taints import Toleration

GPU = "nvidia.com/gpu"


def spec(*requests, **more):
    containers = [{"name": f"c{number}", "resources": {"requests": one}} for number, one in enumerate(requests)]
    return read_pod({"metadata": {"name": "p"}, "spec": {"containers": containers, **more}}).spec


def keys(found):
    return [one.key for one in found.tolerations]


def test_extended_resources_are_named_once_and_those_of_zero_not_at_all():
    found = spec({GPU: "1", "cpu": "1"}, {GPU: "2", "example.com/a": "1", "example.com/none": "0"})
    assert extended_resources(found) == ("example.com/a", GPU)


def test_every_pod_tolerates_a_lost_node_for_five_minutes():
    found = admitted(spec({}))
    assert keys(found) == ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    assert {(one.operator, one.effect, one.seconds) for one in found.tolerations} == {("Exists", "NoExecute", 300)}


@pytest.mark.parametrize("effect", ["NoExecute", ""])
def test_a_pod_that_says_how_long_itself_keeps_its_word(effect):
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", **({"effect": effect} if effect else {})}
    assert keys(admitted(spec({}, tolerations=[own]))) == [own["key"], "node.kubernetes.io/unreachable"]
    assert len(keys(admitted(spec({}, tolerations=[{"operator": "Exists"}])))) == 1


def test_a_toleration_of_another_effect_does_not_count():
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}
    assert keys(admitted(spec({}, tolerations=[own]))).count(own["key"]) == 2


def test_extended_resource_toleration_and_webhooks_add_theirs():
    webhook = [
        ("", Toleration("all", "Exists")),
        (GPU, Toleration("gpus", "Exists")),
        ("x/y", Toleration("y", "Exists")),
    ]
    found = admitted(spec({GPU: "1"}), extended_resource_toleration=True, tolerations=webhook)
    assert keys(found)[:3] == [GPU, "all", "gpus"]
    assert "y" not in keys(found)


def test_requests_that_something_else_decides_are_left_out():
    found = spec({GPU: "1", "cpu": "1", "example.com/a": "1"})
    left = without_resources(found, lambda name: name == "example.com/a")
    assert set(left.containers[0].requests) == {GPU, "cpu"}
    assert without_resources(found, lambda _: False) is found
    assert set(without_resources(found, lambda _: True).containers[0].requests) == {"cpu"}
