"""What several overlays have in common is told once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "kubelint-gpu"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  priorityClass: high\n  containers: [{name: a, image: a}]\n"


class Ran:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def findings(self):
        return json.loads(self.out)["findings"]

    @property
    def told(self):
        return sorted((one["code"], one["path"], one["line"]) for one in self.findings)


@pytest.fixture
def check(program):
    def run(cwd, *arguments, kustomize=program, env=None):
        command = [str(COMMAND), "check", *map(str, arguments)]
        command += ["--kustomize", kustomize] if kustomize else []
        command += [] if "--output-format" in arguments or "--fix" in arguments else ["--output-format", "json"]
        environment = {**os.environ, **(env or {})}
        return Ran(subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment))

    return run


@pytest.fixture
def tree(tmp_path):
    def write(**files):
        (tmp_path / ".git").mkdir(exist_ok=True)
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_one_base_through_ten_overlays_is_one_finding(check, tree):
    overlays = {
        f"o{number}/kustomization.yaml": f"resources: [../base]\nnamePrefix: o{number}-\n" for number in range(10)
    }
    folder = tree(**{"base/kustomization.yaml": "resources: [pod.yaml]\n", "base/pod.yaml": POD % "a", **overlays})
    [finding] = check(folder, ".").findings
    assert (finding["path"], finding["line"]) == ("base/pod.yaml", 5)
    assert [one["path"] for one in finding["related"]] == sorted(overlays)


def test_a_suppressed_finding_of_a_base_counts_once_through_ten_overlays(check, tree):
    pod = (POD % "a").replace("priorityClass: high", "priorityClass: high # kubelint-gpu: ignore[KLG002] known")
    overlays = {
        f"o{number}/kustomization.yaml": f"resources: [../base]\nnamePrefix: o{number}-\n" for number in range(10)
    }
    base = {"base/kustomization.yaml": "resources: [pod.yaml]\n", "base/pod.yaml": pod}
    folder = tree(**base, **overlays, **{"plain.yaml": pod.replace("name: a", "name: b", 1)})
    ran = check(folder, ".")
    assert (ran.findings, json.loads(ran.out)["summary"]["ignored"]) == ([], 2)
