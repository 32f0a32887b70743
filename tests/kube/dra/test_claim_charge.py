"""What a claim is charged against a quota."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.claim import read_claim_spec
from kubelint_gpu.kube.dra.claim_charge import CLAIM_COUNT, claim_charge, is_charged_for_claims
from kubelint_gpu.kube.values.fields import Fields

GPUS = "gpu.deviceclass.resource.k8s.io/devices"


def charge(*requests):
    spec = {"devices": {"requests": [{"name": f"r{number}", **one} for number, one in enumerate(requests)]}}
    return dict(claim_charge(read_claim_spec(Fields(spec), flat=False)))


def exactly(name="gpu", **more):
    return {"deviceClassName": name, **more}


@pytest.mark.parametrize(
    ("requests", "devices"),
    [
        ([{"exactly": exactly(count=3)}], 3000),
        ([{"exactly": exactly()}], 1000),
        ([{"exactly": exactly(count=1)}, {"exactly": exactly(count=2)}], 3000),
        ([{"exactly": exactly(allocationMode="All")}], 32_000),
    ],
)
def test_devices_of_a_class_are_added_up_and_all_of_them_are_the_most(requests, devices):
    assert charge(*requests) == {CLAIM_COUNT: 1000, GPUS: devices}


def test_of_alternatives_the_largest_of_each_class_counts():
    ways = [{"name": "a", **exactly(count=2)}, {"name": "b", **exactly(count=4)}, {"name": "c", **exactly("cpu")}]
    found = charge({"firstAvailable": ways})
    assert found == {CLAIM_COUNT: 1000, GPUS: 4000, "cpu.deviceclass.resource.k8s.io/devices": 1000}


def test_only_keys_of_claims_and_classes_are_charged_for_claims():
    assert is_charged_for_claims(GPUS)
    assert is_charged_for_claims(CLAIM_COUNT)
    assert not is_charged_for_claims("count/pods")
