"""How much a claim may ask for, with the limits of the API."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.device_limits import device_limits
from kubelint_gpu.kube.values.errors import field_path

GPU = {"deviceClassName": "gpu.nvidia.com"}


def claim(requests):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": {"requests": requests}}}


def requests(number):
    return [{"name": f"r{one}", "exactly": GPU} for one in range(number)]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (claim(requests(32)), []),
        (claim(requests(33)), ["spec.devices.requests"]),
        (claim([{"name": "a", "firstAvailable": [GPU] * 9}]), ["spec.devices.requests[0].firstAvailable"]),
        (
            claim([{"name": "a", "exactly": {**GPU, "selectors": [{"cel": {"expression": "1" * 10241}}]}}]),
            ["spec.devices.requests[0].exactly.selectors[0].cel.expression"],
        ),
        ({"kind": "DeviceClass", "spec": {"config": [{"opaque": {}}] * 33}}, ["spec.config"]),
    ],
)
def test_what_is_too_many_or_too_long_is_found_at_its_field(value, where):
    assert [field_path(one.pointer) for one in device_limits(value)] == where
