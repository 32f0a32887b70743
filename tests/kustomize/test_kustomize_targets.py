"""Kustomizations of several clusters, and those that a changed file makes targets."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest
import warm

from kubelint_gpu.sources.kustomize.program import find_program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

ROOT = Path(__file__).resolve().parents[2]
TRACKED = (ROOT / "examples" / "tracker" / "tracker.yaml").read_text()
INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
metadata: {name: %s}
nodes:
  - {name: tracker-node, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: %d}}
"""


def written(folder, configuration, **files):
    (folder / ".git").mkdir()
    clusters = {f"clusters/{name}.yaml": INVENTORY % (name, count) for name, count in (("small", 1), ("roomy", 4))}
    base = {"base/kustomization.yaml": "resources: [tracker.yaml]\n", "base/tracker.yaml": TRACKED}
    for name, text in {**clusters, **base, ".kubelint-gpu.yaml": configuration, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def repository(tmp_path):
    return partial(written, tmp_path)


@pytest.fixture(scope="module")
def found(program):
    def run(folder, *paths):
        command = ["check", *paths, "--kustomize", program, "--output-format", "json"]
        return json.loads(warm.run(command, cwd=folder, environment=dict(os.environ)).stdout)["findings"]

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


def placed(folder, one):
    return one["code"], one["line"], one["message"], str((folder / one["path"]).resolve())


@pytest.fixture(scope="module")
def told(found, tmp_path_factory):
    """A repository below a kustomization that is none of its own, and what is found from its top without that."""
    above = tmp_path_factory.mktemp("above")
    (above / "repository").mkdir()
    folder = written(
        above / "repository",
        "inventory: clusters/small.yaml\n",
        **{"overlays/prod/kustomization.yaml": "resources: [../../base]\nnamePrefix: prod-\n"},
    )
    findings = sorted(placed(folder, one) for one in found(folder, "base/tracker.yaml"))
    (above / "kustomization.yaml").write_text("resources: [missing.yaml]\n")
    return folder, findings


@pytest.mark.parametrize("start", [".", "base", "overlays/prod", "..", "/"])
@pytest.mark.parametrize("absolute", [False, True])
def test_the_same_is_found_from_any_working_directory(told, found, start, absolute):
    folder, findings = told
    cwd = (folder / start).resolve()
    path = folder / "base" / "tracker.yaml"
    given = str(path) if absolute else os.path.relpath(path, cwd)
    there = sorted(placed(cwd, one) for one in found(cwd, given))
    assert there == findings
    assert {one[0] for one in there} >= {"KLG101", "KLG301"}


def test_a_kustomization_of_another_repository_is_not_looked_for(tmp_path, found):
    for name in ("one", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "base").mkdir()
        (tmp_path / name / "base" / "kustomization.yaml").write_text("resources: [tracker.yaml]\n")
        (tmp_path / name / "base" / "tracker.yaml").write_text(TRACKED)
    (tmp_path / "other" / "kustomization.yaml").write_text("resources: [../one/base]\n")
    assert not [one for one in found(tmp_path, "one/base/tracker.yaml") if one["code"] == "KLG006"]


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
"""
SCHEMA = "".join(
    f"  - name: v{number}\n    served: true\n    storage: {'true' if number == 1 else 'false'}\n"
    f"    schema: {{openAPIV3Schema: {{type: object, description: {'x' * 200}}}}}\n"
    for number in range(1, 40)
)


@pytest.mark.parametrize(
    "patch",
    [
        "",
        'patches: [{target: {kind: CustomResourceDefinition}, patch: "- {op: replace, path: /spec/scope, value: C}"}]\n',
    ],
    ids=["plain", "patched"],
)
def test_what_definitions_have_below_spec_is_given_to_kustomize_only_where_a_patch_needs_it(
    repository, found, program, patch
):
    folder = repository(
        "select: KLG101,KLG006\ninventory: clusters/small.yaml\n",
        **{
            "base/kustomization.yaml": f"resources: [tracker.yaml, crd.yaml]\n{patch}",
            "base/crd.yaml": DEFINITION + SCHEMA,
        },
    )
    assert [one["code"] for one in found(folder, "base/tracker.yaml")] == ["KLG101"]
    seen = render(folder / "base", Renderer(find_program(program)), root=folder)
    assert (b"xxxxx" in seen.printed) == bool(patch)
    assert not seen.problems
