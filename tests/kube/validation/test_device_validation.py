"""What the API server refuses of claims, and what it lets pass, as the control plane answered."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.device_validation import device_limits, device_problems, is_attribute
from kubelint_gpu.kube.values.errors import field_path


def claim(query=None, constraint=None, config=None):
    devices = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", **(query or {})}}]}
    devices |= {"constraints": [{"matchAttribute": "a.com/b", **constraint}]} if constraint else {}
    devices |= {"config": [config]} if config else {}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": devices}}


def opaque(**fields):
    return {"opaque": {"driver": "gpu.example.com", "parameters": {"kind": "Sharing"}, **fields}}


def tolerating(**fields):
    return {"tolerations": [fields]}


def fields_of(value):
    return [field_path(problem.pointer).rpartition("devices.")[2] for problem in device_problems(value)]


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (claim(tolerating(operator="Equal")), []),
        (claim(tolerating(key="broken")), []),
        (claim(tolerating(key="a", operator="Equal", value="b c")), ["requests[0].exactly.tolerations[0].value"]),
        (claim(tolerating(key="a", value="b c")), ["requests[0].exactly.tolerations[0].value"]),
        (claim(constraint={"requests": ["gpu"]}), []),
        (claim(constraint={"requests": ["gpu", "gpu"]}), ["constraints[0].requests[1]"]),
        (claim(config=opaque()), []),
        (claim(config=opaque(parameters={})), []),
        (claim(config=opaque(parameters=None)), ["config[0].opaque"]),
        (claim(config=opaque(parameters="text")), ["config[0].opaque.parameters"]),
        (claim(config=opaque(parameters=[])), ["config[0].opaque.parameters"]),
        (claim(config=opaque(driver="a b")), ["config[0].opaque.driver"]),
        (claim(config=opaque(driver="GPU.example.com")), []),
        (claim(config=opaque(driver=f"{'a' * 60}.com")), ["config[0].opaque.driver"]),
    ],
)
def test_a_claim_is_refused_at_its_field(value, fields) -> None:
    assert fields_of(value) == fields


def test_the_domain_of_an_attribute_has_letters_of_either_case() -> None:
    assert is_attribute("GPU.example.com/numa")
    assert not is_attribute("gpu.example.com/numa-node")


def test_a_template_gives_its_claims_labels_and_annotations_only() -> None:
    spec = claim()["spec"]
    template = {"kind": "ResourceClaimTemplate", "apiVersion": "resource.k8s.io/v1"}
    found = {"metadata": {"name": "one", "labels": {"a b": "c"}, "annotations": {"a": "b"}}, "spec": spec}
    paths = [field_path(problem.pointer) for problem in device_problems({**template, "spec": found})]
    assert paths == ["spec.metadata.labels.a b", "spec.metadata.name"]


@pytest.mark.parametrize(("minor", "count"), [(34, 1), (35, 0), (36, 0), (None, 0)])
def test_tolerations_have_the_effect_none_from_1_35_on(minor, count) -> None:
    value = claim(tolerating(key="broken", operator="Exists", effect="None"))
    assert len(list(device_problems(value, minor))) == count


@pytest.mark.parametrize("name", ["gpu", "kubernetes.io/gpu", "requests.example.com/gpu", "example.com/a b"])
def test_a_class_serves_an_extended_resource_by_its_name(name) -> None:
    value = {"kind": "DeviceClass", "spec": {"extendedResourceName": name}}
    assert [len(list(device_problems(value, minor))) for minor in (34, 36)] == [0, 1]


def test_a_constraint_has_at_least_one_attribute() -> None:
    assert list(device_problems(claim(constraint={"distinctAttribute": "a.com/c"}))) == []
    assert fields_of(claim(constraint={"matchAttribute": ""})) == ["constraints[0]"]


def test_a_request_that_is_null_and_a_count_that_no_int64_holds_are_refused():
    value = {"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1", "spec": {"devices": {"requests": [None]}}}
    assert {one.pointer for one in device_problems(value)} == {("spec", "devices", "requests", 0)}
    exactly = {"deviceClassName": "c", "count": 2**63}
    value["spec"]["devices"]["requests"] = [{"name": "r", "exactly": exactly}]
    (problem,) = device_problems(value)
    assert problem.pointer[-1] == "count"
    exactly["count"] -= 1
    assert list(device_problems(value)) == []


GPU = {"deviceClassName": "gpu.nvidia.com"}


def claim_of(requests):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": {"requests": requests}}}


def requests(number):
    return [{"name": f"r{one}", "exactly": GPU} for one in range(number)]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (claim_of(requests(32)), []),
        (claim_of(requests(33)), ["spec.devices.requests"]),
        (claim_of([{"name": "a", "firstAvailable": [GPU] * 9}]), ["spec.devices.requests[0].firstAvailable"]),
        (
            claim_of([{"name": "a", "exactly": {**GPU, "selectors": [{"cel": {"expression": "1" * 10241}}]}}]),
            ["spec.devices.requests[0].exactly.selectors[0].cel.expression"],
        ),
        ({"kind": "DeviceClass", "spec": {"config": [{"opaque": {}}] * 33}}, ["spec.config"]),
    ],
)
def test_what_is_too_many_or_too_long_is_found_at_its_field(value, where):
    assert [field_path(one.pointer) for one in device_limits(value)] == where
