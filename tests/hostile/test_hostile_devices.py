"""Devices that could be tried in more orders than anybody can count."""

from __future__ import annotations

import json

import pytest
from limited import run

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
        "nodeInfo": {"kubeletVersion": "v1.34.1"},
    },
}
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {}}
SELECTOR = {"cel": {"expression": "device.attributes['d.io'].y == 'a'"}}
REQUEST = {"name": "r", "exactly": {"deviceClassName": "c", "selectors": [SELECTOR]}}
OBJECTS = [
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t"},
        "spec": {"spec": {"devices": {"requests": [REQUEST]}}},
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
            "containers": [
                {
                    "name": "c",
                    "image": "i",
                    "resources": {"claims": [{"name": "g"}], "requests": {"cpu": 1, "memory": "1Gi"}},
                }
            ],
        },
    },
]


def slices(pools, each, last):
    """The slices of some pools, with one device each; the last device has the attribute that is asked for."""
    for pool in range(pools):
        for number in range(each):
            device = {"name": f"g{number}"}
            if last and (pool, number) == (pools - 1, each - 1):
                device["attributes"] = {"y": {"string": "a"}}
            of_pool = {"name": f"p{pool}", "generation": 1, "resourceSliceCount": each}
            spec = {"driver": "d.io", "nodeName": "n1", "pool": of_pool, "devices": [device]}
            name = f"s{pool}-{number}"
            yield {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": name},
                "spec": spec,
            }


def listed(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(("pools", "each"), [(1, 40), (1, 400), (40, 1), (12, 12)])
def test_more_orders_of_slices_than_can_be_tried_are_told(pools, each, last, tmp_path):
    (tmp_path / "m.yaml").write_text(listed(OBJECTS))
    (tmp_path / "i.yaml").write_text(listed([NODE, CLASS, *slices(pools, each, last)]))
    arguments = ("check", "m.yaml", "-i", "i.yaml", "--isolated", "--output-format", "json")
    ended = run(*arguments, cwd=tmp_path, seconds=5, memory=300 * 1024**2)
    found = json.loads(ended.stdout)
    assert found["summary"]["undecided"] == 1
    assert any("24 orders of the pools and slices, and there are more" in one["message"] for one in found["findings"])
