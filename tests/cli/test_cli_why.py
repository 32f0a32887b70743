"""The answers behind each verdict: `check --why`, `decided` in JSON, and `explain`."""

from __future__ import annotations

import pytest
from command_line import kubelint
from explaining import workload

NODES = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
"""
NODE = "  - {{name: {name}, allocatable: {{cpu: 32, memory: 64Gi}}, gpus: {{model: L4, count: {gpus}}}}}\n"
POOL = """
pools:
  - name: gpu
    count: 0
    template: {allocatable: {cpu: 32, memory: 64Gi}, gpus: {model: L4, count: 1}}
    autoscaling: {min: 0, max: 4}
"""
ONE_AWAY = "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"
DAEMONS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: health, namespace: d}
spec:
  selector: {matchLabels: {app: health}}
  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: health}}
    spec: {containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
CLAIMED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: d}
spec:
  replicas: 1
  selector: {matchLabels: {app: a}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers: [{name: main, image: x, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: d}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
TOGETHER = workload("Deployment", "a", 1, 2, spec=ONE_AWAY) + workload("Deployment", "b", 2, 1, spec=ONE_AWAY)
CASES = {
    "stuck": (workload("Deployment", "a", 1, 1), {"l": 1}, "", "never ends", "alone"),
    "together": (TOGETHER, {"l": 2, "s": 2}, "", "might not end", "others-roll"),
    "completes": (workload("Deployment", "a", 1, 1), {"l": 2}, "", "ends", "anything-changes"),
    "undecided": (CLAIMED, {"l": 1}, "", "undecided", "devices-unknown"),
    "grown": (workload("Deployment", "a", 1, 1), {"l": 1}, POOL, "ends if pools grow", "pools-grown"),
    "daemons": (DAEMONS, {"l": 1}, "", "never ends", "alone"),
}


def laid_out(tmp_path, name):
    """The arguments of a command about a case."""
    manifest, nodes, more, *_ = CASES[name]
    (tmp_path / "m.yaml").write_text(manifest)
    listed = "".join(NODE.format(name=node, gpus=gpus) for node, gpus in nodes.items())
    (tmp_path / "i.yaml").write_text(NODES + listed + more)
    return "m.yaml", "-i", "i.yaml"


def why(out):
    """The lines of all tables."""
    lines = out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("why: "))
    return [line for line in lines[first:] if line.startswith(("why: ", "  "))]


@pytest.mark.parametrize("name", CASES)
def test_why_says_which_hypothesis_gives_the_verdict_and_so_does_explain(tmp_path, name):
    given = laid_out(tmp_path, name)
    lines = why(kubelint("check", *given, "--why", cwd=tmp_path).out)
    *_, told, hypothesis = CASES[name]
    assert any(told in line for line in lines), lines
    assert all(len(line) <= 80 for line in lines)
    rows = kubelint("check", *given, "--output-format", "json", cwd=tmp_path).json["decided"]
    assert hypothesis in {row["hypothesis"] for row in rows}
    assert [*rows[0]] == ["object", "path", "line", "verdict", "hypothesis", "clause", "answer", "argument", "steps"]
    kind, named = ("daemonset", "health") if name == "daemons" else ("deployment", "a")
    explained = why(kubelint("explain", f"{kind}/{named}", *given, cwd=tmp_path).out)
    at = lines.index(explained[0])
    assert lines[at : at + len(explained)] == explained


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_same_input_prints_the_same_tables(tmp_path, seed):
    given = laid_out(tmp_path, "together")
    out = kubelint("check", *given, "--why", "--no-cache", cwd=tmp_path).out
    assert kubelint("check", *given, "--why", cwd=tmp_path, env={"PYTHONHASHSEED": seed}).out == out


def test_what_was_kept_has_its_rows(tmp_path):
    given = laid_out(tmp_path, "stuck")
    first, again = (kubelint("check", *given, "--output-format", "json", cwd=tmp_path).json for _ in range(2))
    assert first["decided"] == again["decided"] != []
