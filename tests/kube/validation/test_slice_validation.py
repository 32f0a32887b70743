"""What the API server refuses of ResourceSlices; `conformance/cases/validation/slices.yaml` has what it was asked."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.slice_validation import rule_problems, slice_problems
from kubelint_gpu.kube.values.errors import field_path

COUNTERS = {"c": {"value": "1"}}


def problems(version="v1", minor=36, **spec):
    pool = {"name": "p", "resourceSliceCount": 1}
    value = {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "gpu.example.com", "pool": pool, "nodeName": "n", **spec},
    }
    return [field_path(one.pointer) for one in slice_problems(value, minor)]


def of_device(minor=36, **body):
    return [one.removeprefix("spec.devices[0]") for one in problems(minor=minor, devices=[{"name": "d", **body}])]


def with_attribute(**attribute):
    return of_device(attributes={"a": attribute})


def test_a_slice_without_a_spec_is_refused():
    assert [one.pointer for one in slice_problems({"kind": "ResourceSlice", "spec": None}, 36)] == [("spec",)]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"driver": ""}, "spec.driver"),
        ({"driver": "a_b"}, "spec.driver"),
        ({"pool": {"resourceSliceCount": 1}}, "spec.pool.name"),
        ({"pool": {"name": "a//b", "resourceSliceCount": 1}}, "spec.pool.name"),
        ({"pool": {"name": "p"}}, "spec.pool.resourceSliceCount"),
        ({"nodeName": None}, "spec"),
        ({"allNodes": True}, "spec.allNodes"),
        ({"allNodes": False}, "spec.allNodes"),
        ({"nodeName": None, "nodeSelector": {"nodeSelectorTerms": [{}, {}]}}, "spec.nodeSelector.nodeSelectorTerms"),
        ({"devices": [{"name": "d"}, {"name": "d"}]}, "spec.devices[1].name"),
        ({"devices": [{"name": "d_0"}]}, "spec.devices[0].name"),
        ({"devices": [{"name": "d", "basic": {}}]}, "spec.devices[0].basic"),
        ({"devices": [{"name": f"d{number}"} for number in range(129)]}, "spec.devices"),
    ],
)
@pytest.mark.parametrize("minor", [34, 36])
def test_a_slice_that_no_driver_could_publish_is_refused(spec, field, minor):
    assert problems(minor=minor, **spec) == [field]


def test_what_a_driver_publishes_is_left_alone():
    assert problems(devices=[{"name": "d", "attributes": {"a": {"string": "x"}, "b": {"ints": [1, 2]}}}]) == []
    assert problems("v1beta1", devices=[{"name": "d", "basic": {"attributes": {"a": {"string": "x"}}}}]) == []
    assert problems(nodeName=None, allNodes=True) == []
    assert problems(driver="GPU.example.com", pool={"name": "a/b.c", "resourceSliceCount": 2}) == []


def test_what_is_wrong_with_a_device_of_v1beta1_stands_in_its_basic_part():
    basic = {"attributes": {"a": {}}, "nodeName": "n"}
    where = "spec.devices[0].basic"
    assert problems("v1beta1", devices=[{"name": "d", "basic": basic}]) == [
        f"{where}.attributes.a",
        f"{where}.nodeName",
    ]


def test_an_attribute_has_one_value_that_is_not_too_long():
    assert with_attribute(string="x" * 64) == []
    assert with_attribute(string="é" * 33) == [".attributes.a.string"]
    assert with_attribute(string="x", int=1) == [".attributes.a"]
    assert with_attribute(strings=[]) == [".attributes.a.strings"]
    assert with_attribute(strings=["x", "x", "x" * 65]) == [".attributes.a.strings[2]"]


def test_an_attribute_without_a_value_is_refused():
    assert with_attribute() == [".attributes.a"]
    assert with_attribute(bool=False) == []


@pytest.mark.parametrize(("text", "lawful"), [("1.0.0-rc.1+b.5", True), ("1.0", False), ("v1.0.0", False), ("", False)])
def test_a_version_is_semantic(text, lawful):
    assert with_attribute(version=text) == ([] if lawful else [".attributes.a.version"])


@pytest.mark.parametrize("name", ["a-b", "1a", "/b", "b/", "a_b/c", "a" * 33, f"{'d' * 64}/a"])
def test_an_attribute_is_called_by_an_identifier(name):
    assert len(of_device(attributes={name: {"int": 1}})) == 1
    assert len(of_device(capacity={name: {"value": "1"}})) == 1


def test_a_device_has_only_so_many_attributes_and_values():
    many = {f"a{number}": {"int": 1} for number in range(31)}
    assert of_device(attributes=many, capacity={"c": {"value": "1"}}) == []
    assert of_device(attributes=many, capacity={"c": {"value": "1"}, "d": {"value": "1"}}) == [""]
    assert of_device(attributes={**many, "a31": {"ints": list(range(17))}}) == []
    assert of_device(attributes={**many, "a31": {"ints": list(range(18))}}) == [""]


@pytest.mark.parametrize("part", [{"taints": [{"key": "k", "effect": "None"}]}, {"attributes": {"a": {"ints": [1]}}}])
def test_a_slice_has_fewer_devices_where_one_has_taints_or_lists(part):
    devices = [{"name": f"d{number}"} for number in range(64)]
    assert problems(devices=[{**devices[0], **part}, *devices[1:]]) == []
    assert problems(devices=[*devices, {"name": "last"}]) == []
    assert problems(devices=[*devices, {"name": "last", **part}]) == ["spec.devices"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"taints": [{"key": "k", "effect": "NoExecute"}] * 17}, ".taints"),
        ({"taints": [{"effect": "NoExecute"}]}, ".taints[0].key"),
        ({"taints": [{"key": "k"}]}, ".taints[0].effect"),
        ({"taints": [{"key": "k", "effect": "Never"}]}, ".taints[0].effect"),
        ({"consumesCounters": [{"counterSet": f"s{n}", "counters": COUNTERS} for n in range(3)]}, ".consumesCounters"),
        ({"consumesCounters": [{"counterSet": "s", "counters": COUNTERS}] * 2}, ".consumesCounters[1].counterSet"),
        ({"consumesCounters": [{"counterSet": "s", "counters": {}}]}, ".consumesCounters[0].counters"),
        ({"consumesCounters": [{"counters": COUNTERS}]}, ".consumesCounters[0].counterSet"),
        (
            {"consumesCounters": [{"counterSet": "s", "counters": {f"c{n}": {"value": "1"} for n in range(33)}}]},
            ".consumesCounters[0].counters",
        ),
        ({"bindingConditions": ["a"]}, ".bindingFailureConditions"),
        ({"bindingConditions": ["a"], "bindingFailureConditions": ["a"]}, ".bindingFailureConditions[0]"),
        ({"bindingConditions": list("abcde"), "bindingFailureConditions": ["f"]}, ".bindingConditions"),
        ({"nodeName": "n"}, ".nodeName"),
        ({"allNodes": False}, ".allNodes"),
        ({"capacity": {"c": {"value": "1", "requestPolicy": {"default": "1"}}}}, ".capacity.c.requestPolicy"),
    ],
)
def test_what_a_release_drops_is_not_validated(body, field):
    assert of_device(36, **body) == [field]
    assert of_device(35, **body) == []


@pytest.mark.parametrize(
    ("one", "fields"),
    [
        ({"nodeSelector": {"nodeSelectorTerms": [{}, {}]}}, []),
        ({"nodeSelector": {"nodeSelectorTerms": []}}, [".nodeSelector.nodeSelectorTerms"]),
        ({"nodeName": "a"}, []),
        ({}, [""]),
        ({"allNodes": False}, [".allNodes", ""]),
        ({"nodeName": ""}, [".nodeName", ""]),
    ],
)
def test_where_devices_tell_their_nodes_each_tells_it_once(one, fields):
    found = problems(nodeName=None, perDeviceNodeSelection=True, devices=[{"name": "d", **one}])
    assert found == [f"spec.devices[0]{field}" for field in fields]


def test_devices_tell_no_nodes_in_a_release_that_drops_it():
    devices = [{"name": "d", "allNodes": True}]
    assert problems(minor=34, nodeName=None, perDeviceNodeSelection=True, devices=devices) == ["spec"]


def test_counters_have_a_slice_of_their_own():
    sets = [{"name": f"s{number}", "counters": COUNTERS} for number in range(8)]
    assert problems(sharedCounters=sets) == []
    assert problems(sharedCounters=[*sets, {"name": "more", "counters": COUNTERS}]) == ["spec.sharedCounters"]
    assert problems(sharedCounters=[*sets, sets[0]])[1:] == ["spec.sharedCounters[8].name"]
    assert problems(sharedCounters=[{"name": "s", "counters": {}}]) == ["spec.sharedCounters[0].counters"]
    assert problems(sharedCounters=sets, devices=[{"name": "d"}]) == ["spec.sharedCounters"]
    assert problems(minor=34, sharedCounters=sets, devices=[{"name": "d"}]) == []


def of_rule(minor, taint, **selector):
    value = {"kind": "DeviceTaintRule", "spec": {"deviceSelector": selector, "taint": taint}}
    return [field_path(one.pointer) for one in rule_problems(value, minor)]


@pytest.mark.parametrize(
    ("taint", "old", "new"),
    [
        ({"key": "a.example/b", "value": "c", "effect": "NoSchedule"}, [], []),
        ({"key": "a", "effect": "None"}, ["spec.taint.effect"], []),
        ({"key": "a", "effect": "Noschedule"}, ["spec.taint.effect"], ["spec.taint.effect"]),
        ({"key": "a"}, ["spec.taint.effect"], ["spec.taint.effect"]),
        ({"key": "a b", "value": "c d", "effect": "NoExecute"}, *[["spec.taint.key", "spec.taint.value"]] * 2),
        (None, *[["spec.taint.key", "spec.taint.effect"]] * 2),
    ],
)
def test_a_taint_of_a_rule_is_judged_as_that_of_a_device(taint, old, new):
    assert of_rule(34, taint) == old
    assert of_rule(36, taint) == new


def test_a_rule_selects_by_lawful_names():
    taint = {"key": "a", "effect": "NoSchedule"}
    assert not of_rule(36, taint, driver="gpu.example.com", pool="a/b", device="gpu-0")
    wrong = of_rule(36, taint, driver="", pool="A", device="a.b")
    assert wrong == [f"spec.deviceSelector.{key}" for key in ("driver", "pool", "device")]
    assert of_rule(34, taint, deviceClassName="A") == ["spec.deviceSelector.deviceClassName"]
