"""DeviceClasses."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.claim import read_claim_spec
from kubelint_gpu.kube.dra.device_class import (
    CLAIM_COUNT,
    DeviceClass,
    claim_charge,
    classes_by_resource,
    is_charged_for_claims,
    read_device_class,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields


def device_class(version="v1", **spec):
    meta = {"name": "gpu", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": "DeviceClass", "metadata": meta, "spec": spec}


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_a_class_has_one_shape_in_all_versions(version):
    selectors = [{"cel": {"expression": "device.driver == 'd.e'"}}]
    found = read_device_class(device_class(version, selectors=selectors, extendedResourceName="e.com/gpu"))
    assert found == DeviceClass("gpu", ("device.driver == 'd.e'",), "e.com/gpu", "2026-01-01T00:00:00Z")


def test_a_wrong_value_is_told_at_its_place():
    value = device_class(selectors="all")
    with pytest.raises(InvalidObject, match="DeviceClass"):
        read_device_class(value)
    problems = []
    read_device_class(value, problems)
    assert [one.pointer for one in problems] == [("spec", "selectors")]


def test_of_two_classes_for_one_resource_the_newer_counts_and_then_the_first_name():
    old, new = DeviceClass("a", (), "e.com/gpu", "2025"), DeviceClass("b", (), "e.com/gpu", "2026")
    twin = DeviceClass("c", (), "e.com/gpu", "2026")
    found = classes_by_resource([twin, old, new])
    assert found["e.com/gpu"] is new
    assert found["deviceclass.resource.kubernetes.io/a"] is old
    assert len(found) == 4


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
