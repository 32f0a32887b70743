"""A device, in each version of the API."""

from __future__ import annotations

import pytest
from slice_objects import BODY, resource_slice

from kubelint_gpu.kube.dra.device import Attribute, Capacity, Consumption
from kubelint_gpu.kube.dra.resource_slice import read_resource_slice
from kubelint_gpu.kube.objects.taints import Taint


@pytest.mark.parametrize(
    ("version", "device"),
    [
        ("v1", {"name": "d0", **BODY}),
        ("v1beta2", {"name": "d0", **BODY}),
        ("v1beta1", {"name": "d0", "basic": BODY}),
    ],
)
def test_a_device_says_the_same_in_each_version(version, device):
    found = read_resource_slice(resource_slice([device], version, nodeName="n"))
    assert (found.name, found.driver, found.pool, found.generation, found.count) == ("s", "d.e", "p", 2, 3)
    assert found.node_name == "n"
    (one,) = found.devices
    assert one.attributes == {
        "model": Attribute("string", "A"),
        "numa": Attribute("int", 1),
        "fast": Attribute("bool", True),
        "driver": Attribute("version", "1.0.0"),
    }
    assert one.capacity == {"memory": Capacity(40 * 2**30)}
    assert one.consumes == (Consumption("gpu-0", {"slices": 3}),)
    assert one.taints == (Taint("k", "v", "NoExecute"),)
    assert one.binds_to_node
    assert (one.binding_conditions, one.binding_failure_conditions, one.shareable) == (("ready",), ("failed",), True)
