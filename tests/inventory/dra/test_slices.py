"""Devices of concise nodes: the slices that a driver would publish, and what the scheduler makes of them."""

from __future__ import annotations

import json

import pytest
from declared_devices import inventory_of, loaded, slices

from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod


def test_each_node_of_a_pool_has_devices_of_its_own():
    found = slices("pools: [{name: p, count: 3, template: {devices: [{driver: d.example, count: 1}]}}]\n")
    assert [one["spec"]["nodeName"] for one in found] == ["p-1", "p-2", "p-3"]
    assert [one["spec"]["pool"]["name"] for one in found] == ["p-1", "p-2", "p-3"]


def test_a_class_that_is_declared_is_not_made_up():
    raw = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com"},
        "spec": {"selectors": []},
    }
    text = f"nodes: [{{name: a, devices: [{{model: L4}}]}}]\n---\n{json.dumps(raw)}\n"
    found = list(inventory_of(text).of_kind("DeviceClass"))
    assert [each.value["spec"] for each in found if each.name == "gpu.nvidia.com"] == [{"selectors": []}]


def test_pools_too_large_for_one_slice_have_several_that_count_themselves():
    found = slices("nodes: [{name: a, devices: [{model: H100, count: 9, mig: dynamic}]}]\n")
    counts = {one["spec"]["pool"]["resourceSliceCount"] for one in found}
    assert counts == {len(found)}
    assert all(len(one["spec"].get("devices", ())) <= 64 for one in found)
    assert all(len(one["spec"].get("sharedCounters", ())) <= 8 for one in found)


def test_without_devices_nothing_is_known_of_devices():
    inventory = inventory_of("nodes: [{name: a}]\n")
    cluster = read_cluster([each.value for each in inventory.objects])
    pod = read_pod(
        {
            "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "c"}], "resourceClaims": [{"name": "g", "resourceClaimName": "x"}]},
        }
    )
    assert attempt(pod, Snapshot.of(cluster)).fit.fits == ("a",)


def test_a_broken_raw_slice_is_an_error_at_its_field():
    text = """apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  allNodes: true
  devices:
    - name: gpu
      attributes: {model: {int: many}}
"""
    _, (error,) = loaded(text, head="")
    assert error.span.line == 10
    assert error.message == (
        'ResourceSlice s: spec.devices[0].attributes.model.int must be an integer, not the string "many"'
    )


def test_an_attribute_that_no_slice_may_have_is_an_error_at_its_entry():
    wrong = "{devices: [{driver: d.example, attributes: {speed: 99999999999999999999}}]}"
    for text in (f"pools: [{{name: p, count: 1, template: {wrong}}}]\n", f"nodes: [{{name: p, {wrong[1:]}]\n"):
        inventory, problems = loaded(text)
        assert [(one.severity, "attributes.speed" in one.message) for one in problems] == [("error", True)]
        assert list(inventory.of_kind("ResourceSlice")) == []


def test_the_devices_of_a_driver_are_one_slice_a_node_and_its_values_are_typed():
    text = """
nodes:
  - name: a
    devices:
      - driver: gpu.example.com
        count: 2
        names: gpu-{}
        attributes: {model: LATEST, healthy: true, numa: [0, 1], version: {version: 1.2.3}}
        capacity: {memory: 80Gi}
        taints: [{key: k, effect: NoSchedule}]
"""
    (found,) = slices(text)
    assert found["spec"]["nodeName"] == "a"
    assert found["spec"]["pool"] == {"name": "a", "generation": 1, "resourceSliceCount": 1}
    assert [device["name"] for device in found["spec"]["devices"]] == ["gpu-0", "gpu-1"]
    assert found["spec"]["devices"][1] == {
        "name": "gpu-1",
        "attributes": {
            "model": {"string": "LATEST"},
            "healthy": {"bool": True},
            "numa": {"int": 1},
            "version": {"version": "1.2.3"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
        "taints": [{"key": "k", "effect": "NoSchedule"}],
    }


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            "nodes: [{name: a, devices: [{count: 2}]}]",
            4,
            30,
            "nodes[0].devices[0] needs 'model' (NVIDIA's driver), or 'driver' (any other)",
        ),
        (
            "nodes: [{name: a, devices: [{driver: d.e, names: x, count: 2}]}]",
            4,
            29,
            'two devices of d.e are called "x"',
        ),
        (
            "nodes: [{name: a, devices: [{driver: d.e, capacity: {memory: much}}]}]",
            4,
            62,
            (
                'nodes[0].devices[0].capacity.memory: "much" is no quantity; a number, then nothing, one of n u m k M G T '
                "P E, or one of Ki Mi Gi Ti Pi Ei"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text, line, column, message):
    _, errors = loaded(text + "\n")
    assert [(error.span.line, error.span.column, error.message) for error in errors] == [(line, column, message)]


def test_an_unknown_model_and_a_layout_that_cannot_be_are_warnings():
    _, errors = loaded("nodes: [{name: a, devices: [{model: H10O}, {model: T4, mig: dynamic}]}]\n")
    assert [(error.severity, error.message) for error in errors] == [
        ("note", 'unknown GPU model "H10O", taken as product "H10O"'),
        ("warning", "T4 cannot be divided by MIG"),
    ]
