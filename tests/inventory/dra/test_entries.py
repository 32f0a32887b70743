"""Declared devices: what is read, and what is refused."""

from __future__ import annotations

import pytest
from declared_devices import loaded, slices


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
