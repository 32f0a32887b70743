"""Requests of a claim."""

from __future__ import annotations

import pytest
from claim_objects import ASKED, QUERY, claim

from kubelint_gpu.kube.dra.claim import read_resource_claim
from kubelint_gpu.kube.dra.request import DeviceRequest


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
