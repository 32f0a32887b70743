"""Explanations as JSON."""

from __future__ import annotations

import json

from command_line import ROOT, kubelint
from explaining import BOTH, CLUSTER, explain, situations


def test_many_classes_are_cut_in_text_and_whole_in_json(folder):
    nodes = "".join(
        f"  - {{name: extra-{number}x, allocatable: {{cpu: 32, memory: 64Gi}}, gpus: {{model: A100-PCIE-40GB, count: 1}},\n"
        f'     labels: {{pool: gpu}}, taints: ["only=team-{number}:NoSchedule"]}}\n'
        for number in range(14)
    )
    (folder / "cluster.yaml").write_text(CLUSTER.replace("pools:", nodes + "pools:", 1))
    out = explain(folder, "-i", "cluster.yaml").out
    assert "and 6 more classes of 6 nodes; --output-format json has all" in out
    assert len(situations(folder)["creation"]["classes"]) == 16


def test_json_is_one_object_with_the_documented_keys():
    found = json.loads(kubelint(*BOTH, "--output-format", "json").out)
    assert list(found) == [
        "version",
        "workload",
        "path",
        "line",
        "replicas",
        "requests",
        "priority",
        "priorityClass",
        "preemptionPolicy",
        "knownPriorityClass",
        "nodes",
        "situations",
        "rollout",
        "decided",
    ]
    assert found["rollout"]["verdict"] == "stuck"
    assert (found["workload"], found["path"], found["line"]) == (
        "Deployment/vision/object-tracker",
        "examples/tracker/tracker.yaml",
        4,
    )
    assert (ROOT / found["path"]).exists()
