"""Which devices a pod would have on a node."""

from __future__ import annotations

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler.explain.explanation import explain

CLASS = device_class("gpu", "device.driver == 'gpu.example.com'")


def test_an_explanation_names_the_devices_that_a_pod_would_have():
    one = resource_slice(device("d0"), device("d1"), device("d2"))
    (found,) = explain(read(pod("c")), snapshot(node(), one, CLASS, held("d0"), claim(request("r", 2)))).classes
    assert found.takes == ("gpu.example.com/n/d1", "gpu.example.com/n/d2")
    (found,) = explain(read(pod("c")), snapshot(node(), one, CLASS, held("d0"), claim(request("r", 3)))).classes
    assert found.takes == ()
