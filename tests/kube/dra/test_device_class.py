"""DeviceClasses."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.device_class import DeviceClass, classes_by_resource, read_device_class
from kubelint_gpu.kube.values.errors import InvalidObject


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
