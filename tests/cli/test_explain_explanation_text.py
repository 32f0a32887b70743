"""Explanations as text."""

from __future__ import annotations

import pytest
from command_line import kubelint

ARGUMENTS = ("explain", "vision/deployment/object-tracker", "examples/tracker/tracker.yaml")
BOTH = (*ARGUMENTS, "-i", "examples/tracker/nodes.yaml")

CLUSTER = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - {name: special, allocatable: {cpu: 32, memory: 64Gi}, gpus: {model: A100-PCIE-40GB, count: 2},
     labels: {pool: gpu}, taints: ["maintenance=now:NoSchedule"]}
pools:
  - name: gpu
    count: 3
    namePattern: gpu-{}
    template:
      allocatable: {cpu: 32, memory: 64Gi}
      gpus: {model: A100-PCIE-40GB, count: 2}
      labels: {pool: gpu}
    autoscaling: {min: 1, max: 4}
priorityClasses:
  - {name: serving, value: 1000}
running:
  - {name: train, namespace: ml, node: gpu-1, gpus: 1, owner: Job/ml/train, count: 2, priority: 5000}
  - {name: notebook, namespace: lab, node: gpu-2, gpus: 2, priority: 5000}
  - {name: batch, namespace: ml, node: gpu-3, gpus: 2, owner: Job/ml/batch, priority: 10}
"""
WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: infer, namespace: vision}
spec:
  replicas: 1
  selector: {matchLabels: {app: infer}}
  template:
    metadata: {labels: {app: infer}}
    spec:
      priorityClassName: serving
      nodeSelector: {pool: gpu}
      containers:
        - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 2}}}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "infer.yaml").write_text(WORKLOAD)
    return tmp_path


def explain(folder, *arguments, what="deployment/infer", **options):
    return kubelint("explain", what, *arguments, cwd=folder, **options)


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
