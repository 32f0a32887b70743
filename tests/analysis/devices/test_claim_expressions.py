"""Expressions of claims that have no value for a device."""

from __future__ import annotations

from claim_findings import GPUS, H100, claim, codes, found, gpu, objects, pod

MODEL = "device.attributes['gpu.nvidia.com'].productName"


def test_an_expression_is_tried_on_what_the_driver_publishes_where_nothing_is_declared():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = claim(f"[{gpu(index)}]")
    assert [one[:2] for one in found(text, "")] == [("KLG704", "warning")]
    assert codes(text, GPUS) == ["KLG704"]
    published = f"{MODEL}.lowerAscii().matches('^.*a100.*$')"
    assert codes(claim(f"[{gpu(published)}]"), "") == []
    assert codes(claim(f"[{gpu(index, of='other.example.com')}]"), "") == []


def test_an_expression_is_asked_only_about_nodes_that_the_filters_before_let_pass():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = objects(claim(f"[{gpu(index)}]"), pod())
    assert "KLG704" in codes(text)
    assert "KLG704" not in codes(text, H100.replace("devices:", "unschedulable: true\n    devices:"))
    assert "KLG704" not in codes(text, H100.replace("devices:", 'taints: ["a=b:NoSchedule"]\n    devices:'))
