"""A captured inventory tells no secret, and an anonymous one tells no device from another by what it is called."""

import json

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.capture.capturing import captured
from kubelint_gpu.sources.kubectl import Answers

UUID = "GPU-8f3a2b1c-1111-2222-3333-123456789012"
SERIAL = "1320221021345"
SECRET = "hunter2-from-the-driver"  # noqa: S105 - of nobody
CEL = f"device.attributes['gpu.nvidia.com'].uuid == '{UUID}' || device.attributes['gpu.nvidia.com'].productName.matches('A100')"
DEVICES = {
    "requests": [
        {
            "name": "one",
            "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2, "selectors": [{"cel": {"expression": CEL}}]},
        }
    ],
    "constraints": [{"requests": ["one"], "matchAttribute": "gpu.nvidia.com/parentUUID"}],
    "config": [{"requests": ["one"], "opaque": {"driver": "gpu.nvidia.com", "parameters": {"password": SECRET}}}],
}
ATTRIBUTES = {
    "uuid": {"string": UUID},
    "gpu.nvidia.com/serial": {"string": SERIAL},
    "serialNumber": {"int": int(SERIAL)},
    "index": {"int": 3},
    "productName": {"string": "NVIDIA A100-SXM4-80GB"},
    "driverVersion": {"version": "570.86.15"},
}


def objects(beta):
    device = {
        "name": f"gpu-{UUID.lower()}",
        **({"basic": {"attributes": ATTRIBUTES}} if beta else {"attributes": ATTRIBUTES}),
    }
    requests = [{"name": "one", **DEVICES["requests"][0]["exactly"]}] if beta else DEVICES["requests"]
    version = "resource.k8s.io/" + ("v1beta1" if beta else "v1")
    devices = {**DEVICES, "requests": requests}
    config = [{"opaque": {"driver": "gpu.nvidia.com", "parameters": {"password": SECRET}}}]
    return (
        {"apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "team"}, "spec": {"devices": devices},
         "status": {"allocation": {"devices": {"config": config, "results": [
             {"driver": "gpu.nvidia.com", "pool": "node-1", "device": device["name"], "request": "one"}]}}}},
        {"apiVersion": version, "kind": "ResourceClaimTemplate", "metadata": {"name": "t", "namespace": "team"},
         "spec": {"spec": {"devices": devices}}},
        {"apiVersion": version, "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"},
         "spec": {"selectors": [{"cel": {"expression": CEL}}], "config": config}},
        {"apiVersion": version, "kind": "ResourceSlice", "metadata": {"name": "s"},
         "spec": {"driver": "gpu.nvidia.com", "nodeName": "node-1", "pool": {"name": "node-1", "resourceSliceCount": 1}, "devices": [device]}},
    )  # fmt: skip


def values(text):
    return {document.value["kind"]: document.value for document in read("x.yaml", text.encode()).documents[1:]}


def test_what_is_configured_for_a_driver_is_not_captured():
    for beta in (False, True):
        text = captured(Answers(objects(beta), "v1.34.1", "", ()))
        assert SECRET not in text
        kept = values(text)
        assert set(kept["ResourceClaim"]["spec"]["devices"]) == {"requests", "constraints"}
        request = kept["ResourceClaimTemplate"]["spec"]["spec"]["devices"]["requests"][0]
        assert (request if beta else request["exactly"])["count"] == 2
        assert UUID in json.dumps(kept["ResourceSlice"])
        assert not load((read("x.yaml", text.encode()),))[1]


def test_an_anonymous_inventory_has_no_uuid_and_no_serial_number():
    for beta in (False, True):
        text = captured(Answers(objects(beta), "v1.34.1", "", ()), anonymize=True)
        for part in (UUID, UUID.lower(), UUID[4:], SERIAL, "123456789012", "team", SECRET):
            assert part not in text, (part, text)
        kept = values(text)
        device = kept["ResourceSlice"]["spec"]["devices"][0]
        attributes = (device["basic"] if beta else device)["attributes"]
        assert attributes["productName"] == {"string": "NVIDIA A100-SXM4-80GB"}
        assert attributes["driverVersion"] == {"version": "570.86.15"}
        assert attributes["index"] == {"int": 3}
        assert "serialNumber" not in attributes
        # the same device is still the same
        expression = kept["DeviceClass"]["spec"]["selectors"][0]["cel"]["expression"]
        assert f"uuid == '{attributes['uuid']['string']}'" in expression
        assert "device.attributes['gpu.nvidia.com'].productName.matches('A100')" in expression
        result = kept["ResourceClaim"]["status"]["allocation"]["devices"]["results"][0]
        assert result["device"] == device["name"]
        assert kept["ResourceClaim"]["spec"]["devices"]["requests"][0]["name"] == result["request"]
