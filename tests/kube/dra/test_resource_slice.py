"""ResourceSlices of three versions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from slice_objects import BODY, resource_slice

from kubelint_gpu.kube.dra.device import Attribute, Capacity
from kubelint_gpu.kube.dra.resource_slice import CounterSet, read_resource_slice
from kubelint_gpu.kube.values.errors import InvalidObject


def test_the_shape_of_another_version_is_not_read():
    assert not read_resource_slice(resource_slice([{"name": "d0", "basic": BODY}])).devices[0].attributes


def test_shared_counters_are_exact():
    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "1500m"}}}]
    found = read_resource_slice(resource_slice([], sharedCounters=counters, allNodes=True))
    assert found.counters == (CounterSet("gpu-0", {"memory": Fraction(3, 2)}),)
    assert found.all_nodes


def test_who_reaches_it_may_be_told_by_a_selector_or_by_each_device():
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    assert read_resource_slice(resource_slice([], nodeSelector=terms)).node_selector.matches({"zone": "a"}, "n")
    found = read_resource_slice(
        resource_slice(
            [{"name": "a", "nodeName": "n"}, {"name": "b", "nodeSelector": terms}, {"name": "c", "allNodes": True}],
            perDeviceNodeSelection=True,
        )
    )
    assert found.per_device
    assert found.devices[0].node_name == "n"
    assert found.devices[1].node_selector is not None
    assert found.devices[2].all_nodes


def test_what_a_request_may_take_of_a_capacity():
    policy = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "8Gi", "step": "1Gi"}}
    values = {"default": "1", "validValues": ["1", "2", "4"]}
    capacity = {"memory": {"value": "10Gi", "requestPolicy": policy}, "cores": {"value": "8", "requestPolicy": values}}
    (found,) = read_resource_slice(resource_slice([{"name": "d", "capacity": capacity}])).devices
    gi = 2**30
    assert found.capacity["memory"] == Capacity(10 * gi, gi, (), gi, 8 * gi, gi, True)
    assert found.capacity["cores"] == Capacity(8, 1, (1, 2, 4))


WRONG = [
    ({"attributes": {"model": {"string": 3}}}, "attributes/model/string", "must be a string"),
    ({"attributes": {"model": {"int": "3"}}}, "attributes/model/int", "must be an integer"),
    ({"attributes": {"model": {"int": 2**63}}}, "attributes/model/int", "must be an integer"),
    ({"attributes": {"model": {"bool": 1}}}, "attributes/model/bool", "must be true or false"),
    ({"attributes": {"model": {}}}, "attributes/model", "must have one of int, bool, string, version"),
    ({"attributes": {"models": {"strings": ["a", 1]}}}, "attributes/models/strings", "must be a list"),
    ({"capacity": {"memory": {"value": "much"}}}, "capacity/memory/value", '"much" is no quantity'),
    (
        {"capacity": {"m": {"value": "1", "requestPolicy": {"validValues": "1"}}}},
        "capacity/m/requestPolicy/validValues",
        "must be a list",
    ),
    ({"allowMultipleAllocations": "yes"}, "allowMultipleAllocations", "must be"),
]


@pytest.mark.parametrize(("body", "path", "text"), WRONG)
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_wrong_value_is_told_at_its_place(body, path, text, version):
    device = {"name": "d0", **body} if version == "v1" else {"name": "d0", "basic": body}
    value = resource_slice([device], version, nodeName="n")
    with pytest.raises(InvalidObject, match="ResourceSlice"):
        read_resource_slice(value)
    problems = []
    read_resource_slice(value, problems)
    before = "spec/devices/0" if version == "v1" else "spec/devices/0/basic"
    assert ["/".join(map(str, one.pointer)) for one in problems] == [f"{before}/{path}"]
    assert text in str(problems[0])


def test_all_wrong_values_of_one_object_are_told():
    problems = []
    found = read_resource_slice(
        resource_slice([{"name": "d0", "attributes": {"a": {"int": "x"}, "b": {"int": 1}}}, {"name": 3}], allNodes="x"),
        problems,
    )
    assert len(problems) == 3
    assert found.devices[0].attributes == {"b": Attribute("int", 1)}
