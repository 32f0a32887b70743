"""Kustomizations of several clusters, and those that a changed file makes targets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
TRACKED = (ROOT / "examples" / "tracker" / "tracker.yaml").read_text()
INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
metadata: {name: %s}
nodes:
  - {name: tracker-node, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: %d}}
"""


@pytest.fixture
def repository(tmp_path):
    def write(configuration, **files):
        (tmp_path / ".git").mkdir()
        clusters = {f"clusters/{name}.yaml": INVENTORY % (name, count) for name, count in (("small", 1), ("roomy", 4))}
        base = {"base/kustomization.yaml": "resources: [tracker.yaml]\n", "base/tracker.yaml": TRACKED}
        for name, text in {**clusters, **base, ".kubelint-gpu.yaml": configuration, **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


@pytest.fixture
def found(program):
    def run(folder, *paths):
        command = [str(COMMAND), "check", *paths, "--kustomize", program, "--output-format", "json"]
        return json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout)["findings"]

    return run


@pytest.mark.parametrize(
    "paths",
    [["overlays", "base"], ["base/tracker.yaml"], ["overlays/prod/kustomization.yaml", "base/tracker.yaml"]],
    ids=" ".join,
)
def test_one_base_is_checked_against_each_cluster_that_uses_it(repository, found, paths):
    folder = repository(
        "select: KLG101\ntargets: {overlays/prod/**: clusters/small.yaml, overlays/lab/**: clusters/roomy.yaml}\n",
        **{f"overlays/{name}/kustomization.yaml": "resources: [../../base]\n" for name in ("prod", "lab")},
    )
    (one,) = found(folder, *paths)
    assert (one["path"], one["code"]) == ("base/tracker.yaml", "KLG101")
    assert one["message"].endswith("(cluster small)")


def test_a_changed_patch_makes_its_overlay_a_target(repository, found):
    meta = "metadata: {name: object-tracker, namespace: vision}"
    folder = repository(
        "select: KLG101\ninventory: clusters/small.yaml\n",
        **{
            "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
            "overlays/prod/patch.yaml": f"apiVersion: apps/v1\nkind: Deployment\n{meta}\nspec: {{replicas: 1}}\n",
            "overlays/lab/kustomization.yaml": "resources: [../../base]\nnamePrefix: lab-\n",
            "deploy/tracker.yaml": TRACKED,
        },
    )
    (one,) = found(folder, "overlays/prod/patch.yaml")
    assert one["path"] == "base/tracker.yaml"
    (other,) = found(folder, "deploy/tracker.yaml")
    assert other["path"] == "deploy/tracker.yaml"
