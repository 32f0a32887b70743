"""Requests of a claim."""

from __future__ import annotations

import pytest
from claim_objects import ASKED, QUERY, claim

from kubelint_gpu.kube.dra.claim import (
    ALL,
    AllocatedDevice,
    ClaimSpec,
    Consumer,
    DeviceConstraint,
    DeviceQuery,
    DeviceRequest,
    read_resource_claim,
    read_resource_claim_template,
)
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.values.errors import InvalidObject


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


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_alternatives_have_one_shape_in_all(version):
    both = [{"name": "a", "deviceClassName": "gpu"}, {"name": "b", "deviceClassName": "gpu", "allocationMode": "All"}]
    found = read_resource_claim(claim({"name": "r", "firstAvailable": both}, version=version)).spec
    assert found.requests == (DeviceRequest("r", None, (DeviceQuery("a", "gpu"), DeviceQuery("b", "gpu", mode=ALL))),)
    assert [one.name for one in found.queries] == ["a", "b"]


def test_the_shape_of_another_version_asks_for_nothing():
    assert read_resource_claim(claim({"name": "r", **ASKED})).spec.requests == (DeviceRequest("r"),)


def test_constraints():
    value = claim()
    value["spec"]["devices"]["constraints"] = [
        {"requests": ["a", "b"], "matchAttribute": "d.e/numa"},
        {"distinctAttribute": "d.e/x"},
    ]
    assert read_resource_claim(value).spec.constraints == (
        DeviceConstraint(("a", "b"), "d.e/numa"),
        DeviceConstraint((), "", "d.e/x"),
    )


def test_an_allocation_and_its_users():
    result = {"request": "r", "driver": "d.e", "pool": "p", "device": "d0", "adminAccess": True, "shareID": "u"}
    result |= {"consumedCapacity": {"memory": "1Gi"}, "bindingConditions": ["x"]}
    terms = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}
    status = {
        "allocation": {"devices": {"results": [result]}, "nodeSelector": terms},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
    }
    found = read_resource_claim(claim(status=status))
    assert found.allocation.devices == (
        AllocatedDevice("r", DeviceID("d.e", "p", "d0"), True, "u", {"memory": 2**30}, ("x",)),
    )
    assert found.allocation.node_selector.matches({}, "n")
    assert not found.allocation.node_selector.matches({}, "m")
    assert found.reserved_for == (Consumer("pods", "p", "u"),)


def test_a_template_has_the_claims_spec_in_its_own():
    meta = {"name": "t", "namespace": "ns"}
    spec = {"devices": {"requests": [{"name": "r", "exactly": ASKED}]}}
    found = read_resource_claim_template({"kind": "ResourceClaimTemplate", "metadata": meta, "spec": {"spec": spec}})
    assert (found.key, found.spec.requests) == ("ns/t", (DeviceRequest("r", QUERY),))
    flat = read_resource_claim_template({"kind": "ResourceClaimTemplate", "metadata": meta, "spec": spec})
    assert flat.spec == ClaimSpec()


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"count": "2"}, "count"),
        ({"count": -1}, "count"),
        ({"allocationMode": "Some"}, "allocationMode"),
        ({"selectors": [{"cel": {"expression": 1}}]}, "selectors/0/cel/expression"),
        ({"tolerations": [{"operator": "In"}]}, "tolerations/0/operator"),
        ({"capacity": {"requests": {"memory": "much"}}}, "capacity/requests/memory"),
    ],
)
def test_a_wrong_value_is_told_at_its_place(asked, path):
    value = claim({"name": "r", "exactly": {"deviceClassName": "gpu", **asked}})
    with pytest.raises(InvalidObject, match="ResourceClaim"):
        read_resource_claim(value)
    problems = []
    read_resource_claim(value, problems)
    assert ["/".join(map(str, one.pointer)) for one in problems] == [f"spec/devices/requests/0/exactly/{path}"]


def pod(**more):
    return read_pod({"metadata": {"name": "p", "namespace": "ns", "uid": "u"}, **more})


def test_a_claim_belongs_to_the_pod_that_controls_it():
    def owned(uid):
        value = claim()
        value["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": uid, "controller": True}]
        return read_resource_claim(value)

    assert owned("u").meta.is_made_for(pod().meta)
    assert not owned("earlier").meta.is_made_for(pod().meta)
    assert not read_resource_claim(claim()).meta.is_made_for(pod().meta)
