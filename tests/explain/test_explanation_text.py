"""Explanations as text."""

from __future__ import annotations

import pytest
from command_line import kubelint
from explaining import BOTH, explain


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_lines_fit_the_terminal(width, folder):
    for ran in (kubelint(*BOTH, env={"COLUMNS": width}), explain(folder, "-i", "cluster.yaml", env={"COLUMNS": width})):
        assert ran.code == 0
        assert max(map(len, ran.out.splitlines())) <= int(width)


def test_only_ascii_goes_to_a_terminal_that_shows_no_more():
    ran = kubelint(*BOTH, env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (ran.code, ran.out.isascii()) == (0, True)
    assert "   + tracker-node: fits" in ran.out


def test_colours_come_only_where_they_are_wanted():
    assert "\x1b[" not in kubelint(*BOTH).out
    assert "\x1b[" in kubelint(*BOTH, "--color", "always").out
    assert "\x1b[" not in kubelint(*BOTH, "--color", "always", "--output-format", "json").out


def test_the_text_tells_the_same(folder):
    out = explain(folder, "-i", "cluster.yaml").out
    for line in (
        "✗ gpu-[1-3] (3 nodes): Insufficient nvidia.com/gpu",
        "free        0 of 2 nvidia.com/gpu on each",
        "can evict   ml/batch (priority 10) on gpu-3",
        "• the taint maintenance=now:NoSchedule goes",
        "evicts      ml/batch on gpu-3",
        "autoscaler  a node of pool gpu would take it",
    ):
        assert line in out


def test_names_that_could_steer_a_terminal_are_written_out(folder):
    ran = explain(folder, "-i", "cluster.yaml", what="deployment/\x1b[31minfer")
    assert ran.code == 2
    assert "\x1b" not in ran.err


CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: two}]
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
"""
NODE = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.36"
nodes: [{name: n1, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, count: 2}]}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}
status:
  allocation: {devices: {results: [{request: g, driver: gpu.nvidia.com, pool: n1, device: gpu-1}]}}
"""


def test_devices_are_told_with_those_who_have_them(tmp_path):
    (tmp_path / "p.yaml").write_text(CLAIM)
    (tmp_path / "c.yaml").write_text(NODE)
    ran = kubelint("explain", "pod/p", str(tmp_path / "p.yaml"), "-i", str(tmp_path / "c.yaml"))
    assert "held by     ResourceClaim default/c: gpu.nvidia.com/n1/gpu-1\n" in ran.out
    (tmp_path / "c.yaml").write_text(NODE.partition(", devices")[0] + "}]\n")
    ran = kubelint("explain", "pod/p", str(tmp_path / "p.yaml"), "-i", str(tmp_path / "c.yaml"))
    assert "declare the ResourceSlices" in ran.out
    assert "n1: fits" not in ran.out


POD = (
    "resourceClaims: [{name: gpu, resourceClaimTemplateName: two}], "
    "containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]"
)
OTHER = """\
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 99}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2}
spec:
  {driver: other.example.com, nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]}
"""


def test_an_error_on_one_node_is_one_on_all(tmp_path):
    (tmp_path / "p.yaml").write_text(CLAIM)
    (tmp_path / "c.yaml").write_text(NODE.partition("---")[0] + OTHER)
    files = str(tmp_path / "p.yaml"), "-i", str(tmp_path / "c.yaml")
    ran = kubelint("explain", "pod/p", *files)
    assert "fits on none of 2\nnodes: the error on n2 ends the attempt for all nodes\n" in ran.out
    assert "✗ n1: would fit without the error\n" in ran.out.replace(" x ", " ✗ ")
    assert "   scheduler   running" in ran.out
    assert "takes" not in ran.out
    # each pod of a DaemonSet is looked at on a node of its own
    spec = f"{{selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{{POD}}}}}}}"
    template = CLAIM.partition("---")[0]
    daemons = f"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: p}}\nspec: {spec}\n"
    (tmp_path / "p.yaml").write_text(f"{template}---\n{daemons}")
    assert "fits on 1 of 2 nodes\n" in kubelint("explain", "daemonset/p", *files).out
