"""Requests of a claim."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.claim import read_resource_claim
from kubelint_gpu.kube.dra.device_taints import DeviceToleration
from kubelint_gpu.kube.dra.request import DeviceQuery, DeviceRequest

ASKED = {
    "deviceClassName": "gpu",
    "count": 2,
    "selectors": [{"cel": {"expression": "true"}}, {"other": {}}],
    "adminAccess": False,
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
    "capacity": {"requests": {"memory": "1Gi"}},
}
QUERY = DeviceQuery(
    "r",
    "gpu",
    ("true", None),
    count=2,
    admin=False,
    tolerations=(DeviceToleration("k", "Exists", "", "NoSchedule"),),
    capacity={"memory": 2**30},
    has_capacity=True,
)


def claim(*requests, version="v1", **more):
    spec = {"devices": {"requests": list(requests)}}
    meta = {"name": "c", "namespace": "ns"}
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": "ResourceClaim", "metadata": meta, "spec": spec, **more}


@pytest.mark.parametrize(
    ("version", "request_"),
    [
        ("v1", {"name": "r", "exactly": ASKED}),
        ("v1beta2", {"name": "r", "exactly": ASKED}),
        ("v1beta1", {"name": "r", **ASKED}),
    ],
)
def test_a_request_says_the_same_in_each_version(version, request_):
    found = read_resource_claim(claim(request_, version=version))
    assert found.key == "ns/c"
    assert found.spec.requests == (DeviceRequest("r", QUERY),)
