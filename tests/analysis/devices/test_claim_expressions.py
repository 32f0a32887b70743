"""Expressions of claims that have no value for a device."""

from __future__ import annotations

from claim_findings import GPUS, H100, claim, codes, findings, found, gpu, objects, pod

MODEL = "device.attributes['gpu.nvidia.com'].productName"


def test_an_expression_is_tried_on_what_the_driver_publishes_where_nothing_is_declared():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = claim(f"[{gpu(index)}]")
    assert [one[:2] for one in found(text, "")] == [("KLG704", "warning")]
    assert codes(text, GPUS) == ["KLG702", "KLG704"]
    assert codes(objects(text, pod()), "") == ["KLG704"]
    published = f"{MODEL}.lowerAscii().matches('^.*a100.*$')"
    assert codes(claim(f"[{gpu(published)}]"), "") == []
    assert codes(claim(f"[{gpu(f'{published} && {index}')}]"), "") == ["KLG704"]
    assert codes(claim(f"[{gpu(index, of='other.example.com')}]"), "") == []


def test_an_expression_is_asked_only_about_nodes_that_the_filters_before_let_pass():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = objects(claim(f"[{gpu(index)}]"), pod())
    assert "KLG704" in codes(text)
    assert "KLG704" not in codes(text, H100.replace("devices:", "unschedulable: true\n    devices:"))
    assert "KLG704" not in codes(text, H100.replace("devices:", 'taints: ["a=b:NoSchedule"]\n    devices:'))


def test_a_class_is_asked_about_the_nodes_of_the_pods_that_use_it():
    expression = f"{MODEL} == 'NVIDIA H100 80GB HBM3'"
    of_class = f"""apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: any.example.com}}
spec: {{selectors: [{{cel: {{expression: "{expression}"}}}}]}}
"""
    wanted = claim("[{name: gpu, exactly: {deviceClassName: any.example.com}}]")
    nodes = H100 + "  - {name: nic-1, devices: [{driver: nic.example.com}]}\n"
    assert found(objects(of_class, wanted, pod()), nodes)[0][:2] == ("KLG704", "error")
    assert found(of_class, nodes)[0][:2] == ("KLG704", "warning")
    advice = findings(objects(of_class, wanted, pod()), nodes)[0].help
    told = "such a device is of driver nic.example.com: ask for the driver first, as in "
    assert advice == (f"{told}`device.driver == 'gpu.nvidia.com' &&`",)
    away = nodes.replace("name: nic-1,", 'name: nic-1, taints: ["a=b:NoSchedule"],')
    assert codes(objects(of_class, wanted, pod()), away) == []


def test_a_device_that_somebody_has_fails_no_attempt_now():
    nodes = H100 + "  - {name: h-2, allocatable: {cpu: 96}, devices: [{driver: gpu.nvidia.com, count: 1}]}\n"
    named = f"{MODEL}.startsWith('NVIDIA')"
    asking = objects(claim(f"[{gpu(named)}]", kind="ResourceClaimTemplate"), pod("resourceClaimTemplateName: c"))
    assert [one[:2] for one in found(asking, nodes)] == [("KLG704", "error")]
    device = "{request: gpu, driver: gpu.nvidia.com, pool: h-2, device: device-0}"
    held = (
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: h, namespace: ns, uid: u}\n"
        "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}\n"
        f"status: {{allocation: {{devices: {{results: [{device}]}}}}}}\n"
    )
    assert [one[:2] for one in found(asking, nodes + held)] == [("KLG704", "warning")]


def test_a_device_that_may_be_come_to_first_fails_some_attempts():
    of_class = f"""apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: any.example.com}}
spec: {{selectors: [{{cel: {{expression: "{MODEL} == 'NVIDIA H100 80GB HBM3'"}}}}]}}
"""
    nodes = H100.replace("count: 4}]", "count: 4}, {driver: nic.example.com, count: 1}]")
    text = objects(of_class, claim("[{name: gpu, exactly: {deviceClassName: any.example.com}}]"), pod())
    ((code, severity, _, message),) = found(text, nodes, version="1.35")
    assert (code, severity) == ("KLG704", "warning")
    assert "device nic.example.com/h-1/device-0: no such key: productName; where the scheduler comes to it" in message
    # the order is fixed since 1.36, and then the first device that fits ends the search
    assert codes(text, nodes, version="1.36") == []
    assert codes(text, nodes.replace("devices:", "unschedulable: true\n    devices:"), version="1.35") == []
    every = text.replace("any.example.com}}]}}", "any.example.com, allocationMode: All}}]}}")
    assert [one[:2] for one in found(every, nodes, version="1.35")] == [("KLG704", "error")]
