"""`inventory capture`, with a kubectl that replays what a real API server answered."""

from __future__ import annotations

import json
import lzma
import os
import sys

import pytest
from command_line import ROOT, kubelint

from kubelint_gpu.cli.commands.inventory_capture import captured
from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.sources.kubectl import Answers

RECORDED = ROOT / "tests" / "inventory" / "recorded"
KUBECTL = """#!{python}
import pathlib, sys
folder = pathlib.Path({folder!r})
with (folder / "calls").open("a") as calls:
    print(*sys.argv[1:], sep="\\n", end="\\n\\n", file=calls)
answer = folder / sys.argv[1]
sys.stdout.write(answer.read_text() if answer.exists() else "")
failure = folder / (sys.argv[1] + ".fails")
if failure.exists():
    sys.stderr.write(failure.read_text())
    sys.exit(1)
"""

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


@pytest.fixture
def kubectl(tmp_path):
    """A folder whose files are the answers, by the verb; `calls` says what was asked."""
    folder = tmp_path / "kubectl"
    folder.mkdir()
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text(KUBECTL.format(python=sys.executable, folder=str(folder)))
    program.chmod(0o755)
    (folder / "get").write_bytes(lzma.decompress((RECORDED / "get.json.xz").read_bytes()))
    (folder / "api-resources").write_text((RECORDED / "api-resources.txt").read_text())
    (folder / "version").write_text((RECORDED / "version.json").read_text())
    (folder / "config").write_text("prod\n")
    return folder


def capture(kubectl, *options):
    path = f"{kubectl.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return kubelint("inventory", "capture", *options, cwd=kubectl.parent, env={"PATH": path})


def calls(kubectl):
    return [call.split("\n") for call in (kubectl / "calls").read_text().strip().split("\n\n")]


def test_a_captured_file_is_valid_shown_and_the_same_again(kubectl):
    ran = capture(kubectl, "-o", "cluster.yaml")
    assert (ran.code, ran.out) == (0, "")
    assert "cluster.yaml: 5 nodes, 10 pods" in ran.err
    first = (kubectl.parent / "cluster.yaml").read_bytes()
    assert capture(kubectl).out.encode() == first
    assert kubelint("inventory", "validate", "cluster.yaml", cwd=kubectl.parent).code == 0
    assert "3 of 6" in kubelint("inventory", "show", "cluster.yaml", cwd=kubectl.parent).out


def test_nothing_but_reading_is_asked_of_the_cluster(kubectl):
    capture(kubectl)
    assert {verb for verb, *_ in calls(kubectl)} == {"api-resources", "get", "version", "config"}
    assert [call[1] for call in calls(kubectl) if call[0] == "config"] == ["current-context"]


@pytest.mark.parametrize("name", ["-x", "--as=admin", "a b;touch x"])
def test_a_context_is_never_taken_for_an_option(kubectl, name):
    assert capture(kubectl, f"--context={name}", f"--kubeconfig={name}").code == 0
    for call in calls(kubectl):
        assert f"--context={name}" in call
        assert f"--kubeconfig={name}" in call
        assert name not in call


def test_a_resource_that_the_server_does_not_have_is_left_out_with_a_line(kubectl):
    served = (kubectl / "api-resources").read_text().replace("resourceslices.resource.k8s.io\n", "")
    (kubectl / "api-resources").write_text(served)
    ran = capture(kubectl)
    assert ran.code == 0
    assert "resourceslices.resource.k8s.io: left out: this server does not have it" in ran.err
    assert "resourceslices" not in str([call for call in calls(kubectl) if call[0] == "get"])


def test_what_may_not_be_listed_fails_and_keeps_the_old_file(kubectl):
    (kubectl.parent / "cluster.yaml").write_text("old")
    (kubectl / "get.fails").write_text(
        'Error from server (Forbidden): csinodes.storage.k8s.io is forbidden: User "me" cannot list resource "csinodes"\n'
    )
    ran = capture(kubectl, "-o", "cluster.yaml")
    assert ran.code == 2
    assert "csinodes.storage.k8s.io is forbidden" in ran.err
    assert "--leave-out" in ran.err
    assert (kubectl.parent / "cluster.yaml").read_text() == "old"


def test_a_resource_is_left_out_when_asked(kubectl):
    ran = capture(kubectl, "--leave-out", "csinodes")
    assert ran.code == 0
    assert "csinodes.storage.k8s.io: left out, as asked" in ran.err
    assert "csinodes" not in str([call for call in calls(kubectl) if call[0] == "get"])


@pytest.mark.parametrize(
    ("name", "said"), [("csinode", "did you mean csinodes?"), ("nodes", "without nodes there is no inventory")]
)
def test_what_cannot_be_left_out_is_refused(kubectl, name, said):
    ran = capture(kubectl, "--leave-out", name)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("verb", "answer", "said"),
    [
        ("get", "nonsense", "something else than JSON"),
        ("get", "[]", "no list of objects"),
        ("api-resources", "widgets\n", "nodes and pods"),
    ],
)
def test_nonsense_of_a_server_is_an_error(kubectl, verb, answer, said):
    (kubectl / verb).write_text(answer)
    ran = capture(kubectl)
    assert ran.code == 2
    assert said in ran.err


def test_without_kubectl_it_says_so(tmp_path):
    ran = kubelint("inventory", "capture", cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert ran.code == 2
    assert "kubectl is not installed" in ran.err


def test_a_file_that_cannot_be_written_is_an_error(kubectl):
    ran = capture(kubectl, "-o", "nowhere/cluster.yaml")
    assert ran.code == 2
    assert "cannot write nowhere/cluster.yaml" in ran.err


def _held(name, driver_results, pod, node):
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {
                "name": f"{pod}-{name}-x7k2p",
                "namespace": "serving",
                "uid": f"uid-{pod}",
                "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": pod, "controller": True}],
            },
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}},
            "status": {
                "allocation": {
                    "devices": {"results": driver_results},
                    "nodeSelector": {
                        "nodeSelectorTerms": [
                            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
                        ]
                    },
                },
                "reservedFor": [{"resource": "pods", "name": pod, "uid": pod}],
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": pod, "namespace": "serving", "uid": pod, "labels": {"app": pod}},
            "spec": {
                "nodeName": node,
                "containers": [{"name": "c", "image": "x", "resources": {"claims": [{"name": name}]}}],
                "resourceClaims": [{"name": name, "resourceClaimTemplateName": "one"}],
            },
            "status": {
                "phase": "Running",
                "resourceClaimStatuses": [{"name": name, "resourceClaimName": f"{pod}-{name}-x7k2p"}],
            },
        },
    ]


def _result(node, device, **more):
    return {"request": "gpu", "driver": "gpu.example.com", "pool": node, "device": device, **more}


def _devices():
    """Two nodes of two devices: held as a whole, by a share, tainted by a rule, free."""
    shared = {
        "allowMultipleAllocations": True,
        "capacity": {
            "memory": {"value": "40Gi", "requestPolicy": {"default": "40Gi", "validValues": ["10Gi", "40Gi"]}}
        },
    }
    slices = [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node}-gpu"},
            "spec": {
                "driver": "gpu.example.com",
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "gpu-0", "capacity": {"memory": {"value": "40Gi"}}}, {"name": "gpu-1", **more}],
            },
        }
        for node, more in (("n1", shared), ("n2", {"capacity": {"memory": {"value": "40Gi"}}}))
    ]
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": node, "labels": {"kubernetes.io/hostname": node}},
            "status": {
                "allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"},
                "nodeInfo": {"kubeletVersion": "v1.36.3"},
            },
        }
        for node in ("n1", "n2")
    ]
    rule = {
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "broken"},
        "spec": {
            "deviceSelector": {"driver": "gpu.example.com", "pool": "n2", "device": "gpu-1"},
            "taint": {"key": "example.com/broken", "effect": "NoSchedule"},
        },
    }
    part = _result("n1", "gpu-1", shareID="8b1f0d6e-0000-0000-0000-000000000001", consumedCapacity={"memory": "10Gi"})
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]},
    }
    held = [
        *_held("g", [_result("n1", "gpu-0")], "whole", "n1"),
        *_held("g", [part], "part", "n1"),
        *_held("g", [_result("n2", "gpu-0")], "other", "n2"),
    ]
    return [*nodes, *slices, device_class, rule, *held]


ASKED = {
    "one": ({"count": 1}, ["KLG109"], "pod serving/part: gpu.example.com/n1/gpu-1"),
    "tolerant": (
        {"count": 1, "tolerations": [{"operator": "Exists"}]},
        ["KLG107"],
        "pod serving/part: gpu.example.com/n1/gpu-1",
    ),
    "small": (
        {"count": 1, "capacity": {"requests": {"memory": "10Gi"}}},
        [],
        "pod serving/other: gpu.example.com/n2/gpu-0",
    ),
    "large": ({"count": 1, "capacity": {"requests": {"memory": "40Gi"}}}, ["KLG109"], "pod serving/part"),
}
WEB = """apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: one, namespace: serving}}
spec: {{spec: {{devices: {{requests: [{{name: gpu, exactly: {asked}}}]}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: serving}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      resourceClaims: [{{name: g, resourceClaimTemplateName: one}}]
      containers: [{{name: c, image: "x:1", resources: {{claims: [{{name: g}}]}}}}]
"""


def test_claims_in_use_shares_and_device_taints_decide_as_they_do_in_the_cluster(kubectl):
    """`check`, `explain` and `inventory show` say the same of what was captured as of the objects themselves."""
    objects = _devices()
    folder = kubectl.parent
    (kubectl / "get").write_text(json.dumps({"kind": "List", "items": objects}))
    (kubectl / "version").write_text('{"serverVersion": {"gitVersion": "v1.36.3"}}')
    (kubectl / "config").write_text("")
    (kubectl / "api-resources").write_text("nodes\npods\ndevicetaintrules.resource.k8s.io\n")
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    assert capture(kubectl, "-o", "captured.yaml").code == 0
    assert "devicetaintrules.resource.k8s.io" in str([call for call in calls(kubectl) if call[0] == "get"])
    for name, (asked, _, _) in ASKED.items():
        text = WEB.format(asked=json.dumps({"deviceClassName": "gpu", **asked}))
        (folder / f"{name}.yaml").write_text(text.replace("namespace: serving", f"namespace: {name}"))

    def said(inventory):
        check = kubelint(
            *("check", *(f"{name}.yaml" for name in ASKED), "--unit", "file"),
            *("-i", inventory, "--output-format", "json"),
            cwd=folder,
        )
        found = [(one["path"], one["code"], one["message"]) for one in json.loads(check.out)["findings"]]
        explained = {
            name: kubelint("explain", "Deployment/web", f"{name}.yaml", "-i", inventory, cwd=folder).out
            for name in ASKED
        }
        shown = kubelint("inventory", "show", inventory, cwd=folder).out
        return found, {name: out.replace(inventory, "") for name, out in explained.items()}, shown

    found, explained, shown = said("captured.yaml")
    assert (found, explained, shown) == said("all.json")
    for name, (_, codes, holders) in ASKED.items():
        assert [code for path, code, _ in found if path == f"{name}.yaml"] == codes, name
        assert holders in explained[name]
    assert "4 devices for claims, 1 free" in shown


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
