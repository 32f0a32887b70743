"""Which kustomizations of a run are rendered."""

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


def test_files_that_are_rendered_are_not_checked_alone(check, tree):
    folder = tree(
        **{
            "app/kustomization.yaml": "resources: [pod.yaml]\n",
            "app/pod.yaml": POD % "used",
            "app/other.yaml": POD % "plain",
            "alone.yaml": POD % "alone",
        }
    )
    assert check(folder, ".").told == [("KLG002", path, 5) for path in ("alone.yaml", "app/other.yaml", "app/pod.yaml")]
    files = json.loads(check(folder, ".").out)["summary"]["files"]
    assert files == 4
    # a file that is named itself is checked as it is
    assert check(folder, "app/pod.yaml").told == [("KLG002", "app/pod.yaml", 5)]


def test_bases_of_what_is_not_rendered_are_rendered_themselves(check, tree):
    folder = tree(
        **{
            "base/kustomization.yaml": "resources: [pod.yaml]\n",
            "base/pod.yaml": POD % "a",
            "top/kustomization.yaml": "resources: [../base, 'https://example.com/x', own.yaml]\npatches: [path: patch.yaml]\n",
            "top/own.yaml": POD % "own",
            "top/patch.yaml": POD % "a",
        }
    )
    assert check(folder, ".").told == [
        ("KLG002", "base/pod.yaml", 5),
        ("KLG002", "top/own.yaml", 5),
        ("KLG006", "top/kustomization.yaml", 1),
    ]


def test_kustomizations_that_use_each_other_are_told(check, tree):
    folder = tree(**{"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"})
    ran = check(folder, ".")
    assert ran.code != 0
    assert {one[0] for one in ran.told} == {"KLG006"}
    assert "a circle" in ran.findings[0]["message"]
