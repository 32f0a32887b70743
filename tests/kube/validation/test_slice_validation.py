"""What the API server refuses of ResourceSlices."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.slice_validation import slice_problems
from kubelint_gpu.kube.values.errors import field_path


def problems(version="v1", **spec):
    found = {"driver": "gpu.example.com", "pool": {"name": "p"}, "nodeName": "n", **spec}
    value = {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": found,
    }
    return [field_path(one.pointer) for one in slice_problems(value)]


def with_attribute(**attribute):
    return problems(devices=[{"name": "d", "attributes": {"a": attribute}}])


def test_a_slice_without_a_spec_is_refused():
    assert [one.pointer for one in slice_problems({"kind": "ResourceSlice", "spec": None})] == [("spec",)]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"driver": ""}, "spec.driver"),
        ({"pool": {}}, "spec.pool.name"),
        ({"nodeName": ""}, "spec"),
        ({"allNodes": True}, "spec.allNodes"),
        ({"devices": [{"name": "d"}, {"name": "d"}]}, "spec.devices[1].name"),
        ({"devices": [{"name": "d_0"}]}, "spec.devices[0].name"),
        ({"devices": [{"name": "d", "basic": {}}]}, "spec.devices[0].basic"),
        ({"devices": [{"name": f"d{number}"} for number in range(129)]}, "spec.devices"),
    ],
)
def test_a_slice_that_no_driver_could_publish_is_refused(spec, field):
    assert problems(**spec) == [field]


def test_what_a_driver_publishes_is_left_alone():
    assert problems(devices=[{"name": "d", "attributes": {"a": {"string": "x"}, "b": {"ints": [1, 2]}}}]) == []
    assert problems("v1beta1", devices=[{"name": "d", "basic": {"attributes": {"a": {"string": "x"}}}}]) == []
    assert problems(nodeName="", allNodes=True) == []


def test_an_attribute_has_one_value_that_is_not_too_long():
    assert with_attribute(string="x" * 64) == []
    assert with_attribute(string="x" * 65) == ["spec.devices[0].attributes.a.string"]
    assert with_attribute(string="x", int=1) == ["spec.devices[0].attributes.a"]


def test_an_attribute_without_a_value_is_refused():
    assert with_attribute() == ["spec.devices[0].attributes.a"]
    assert with_attribute(bool=False) == []
