"""What is rendered by itself because another kustomization cannot be: how often the program is started, what is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "kubelint-gpu"
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n"
PRINTS = "print('apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}')\n"


@pytest.fixture
def check(tmp_path):
    """A run with a program that does `body`; gives the exit code, the KLG006 and the number of starts."""
    top = tmp_path / "top"
    (top / ".git").mkdir(parents=True)

    def run(files, body=PRINTS, *arguments):
        for name, text in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        started = tmp_path / "started"
        started.write_text("")
        program = tmp_path / "kustomize"
        program.write_text(f"#!{sys.executable}\nopen({str(started)!r}, 'a').write('x')\n{body}")
        program.chmod(0o755)
        command = [str(COMMAND), "check", ".", "--kustomize", str(program), "--output-format", "json", *arguments]
        done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=False, timeout=120)
        assert "internal error" not in done.stderr
        findings = [one for one in json.loads(done.stdout)["findings"] if one["code"] == "KLG006"]
        return done.returncode, findings, len(started.read_text())

    return run


def layers(depth, width):
    """Each layer takes in the one below `width` times, each time with another suffix."""
    files = {"l0/kustomization.yaml": "resources: [d.yaml]\n", "l0/d.yaml": OBJECT % 0}
    for i in range(1, depth + 1):
        names = [f"k{j}" for j in range(width)]
        files[f"l{i}/kustomization.yaml"] = f"resources: [{', '.join(names)}]\n"
        for name in names:
            text = f"nameSuffix: -{i}-{name}\nresources: [../../l{i - 1}]\n"
            files[f"l{i}/{name}/kustomization.yaml"] = text
    return files


def bases(count, objects, missing="resources: [none.yaml"):
    """An overlay that cannot be rendered, and its bases."""
    files = {"top/kustomization.yaml": f"{missing}{''.join(f', ../b{i:02}' for i in range(count))}]\n"}
    for i in range(count):
        files[f"b{i:02}/kustomization.yaml"] = "resources: [d.yaml]\n"
        files[f"b{i:02}/d.yaml"] = "---\n".join(OBJECT % j for j in range(objects))
    return files


def test_a_tree_that_is_refused_for_its_size_is_not_rendered_piece_by_piece(check):
    code, findings, started = check(layers(6, 10))
    assert (code, started) == (1, 0)
    refused, left_out = findings
    assert refused["message"].endswith("it would give 100000 objects, and at most 20000 are rendered")
    assert "leaves out l5/k0, l5/k1, l5/k2, l5/k3, l5/k4 and 5 more" in left_out["message"]
    assert (left_out["severity"], left_out["path"], left_out["line"]) == ("error", "l5/kustomization.yaml", 1)
    assert [one["path"] for one in left_out["related"]] == [f"l5/k{i}/kustomization.yaml" for i in range(10)]


def test_nothing_checked_is_exit_code_2(check):
    files = layers(6, 10) | {"l0/kustomization.yaml": "configMapGenerator: [{name: a}]\n"}
    del files["l0/d.yaml"]
    code, findings, started = check(files)
    assert (code, len(findings), started) == (2, 2, 0)


def test_all_that_is_tried_by_itself_has_one_bound(check):
    _, findings, started = check(bases(14, 1_500))
    assert started == 13
    [left_out] = [one for one in findings if "leaves out" in one["message"]]
    assert left_out["message"].endswith("leaves out b13")


def test_a_run_of_timeouts_ends(check):
    _, findings, started = check(bases(60, 1), "import time\ntime.sleep(60)\n", "--kustomize-timeout", "0.5")
    assert started <= 5 * min(8, os.cpu_count())
    assert [one for one in findings if "in at most 1 seconds" in one["message"] and "more" in one["message"]]


def test_what_is_small_is_still_tried(check):
    code, findings, started = check(bases(5, 2))
    assert (code, len(findings), started) == (1, 1, 5)


def test_what_fails_alike_in_a_base_and_its_overlays_is_told_once(check):
    files = bases(1, 1, "resources: [own.yaml")
    files |= {"top/own.yaml": OBJECT % 1, "other/kustomization.yaml": "resources: [../top]\n"}
    body = "import sys\nsys.exit('Error: no matches for Id ConfigMap.v1.[noGrp]/a0.[noNs]; b00/d.yaml')\n"
    _, [finding], started = check(files, body)
    assert started == 3
    paths = [finding["path"], *(one["path"] for one in finding["related"])]
    assert {"other/kustomization.yaml", "b00/kustomization.yaml"} <= set(paths)
    assert len(paths) == len(set(paths))


def test_a_large_base_that_only_a_component_uses_is_left_out(check):
    files = bases(1, 2_500) | {"ok/kustomization.yaml": "resources: [d.yaml]\n", "ok/d.yaml": OBJECT % 1}
    files["top/kustomization.yaml"] = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [../b00]\n"
    )
    code, [left_out], started = check(files)
    assert (code, started, left_out["path"]) == (1, 1, "b00/kustomization.yaml")
    assert left_out["message"].endswith("leaves out b00")
