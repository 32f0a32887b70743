"""What nothing foresaw costs what it is met at: it is told as a defect, the rest is judged, and the run has failed."""

from __future__ import annotations

import json

import pytest
from hostile_files import INVENTORY, deployment, git, objects
from limited import run_python

# each puts an exception where only `bad.yaml`, or the object in it, comes along
FAILING = {
    "reading a file": """
from kubelint_gpu.workspace.project.known_configurations import KnownFiles
before = KnownFiles.read
def read(self, path, data):
    if "bad" in path: raise ZeroDivisionError("planted")
    return before(self, path, data)
KnownFiles.read = read
""",
    "reading an object": """
import kubelint_gpu.workspace.manifest as place
before = place.read_workload
def read_workload(value, problems):
    if value["metadata"]["name"] == "bad": raise OverflowError("planted")
    return before(value, problems)
place.read_workload = read_workload
""",
    "judging a unit": """
import kubelint_gpu.engine.run as place
before = place.judged_unit
def judged_unit(unit, *arguments, **options):
    if any("bad" in one.path for one in unit.manifests): raise RecursionError("planted")
    return before(unit, *arguments, **options)
place.judged_unit = judged_unit
""",
    "looking at a kustomization": """
import kubelint_gpu.sources.kustomize.files.surveyor as place
def survey(*arguments): raise KeyError("planted")
place.survey = survey
""",
    "rendering a kustomization": """
import kubelint_gpu.sources.kustomize.rendering as place
def trace(*arguments): raise MemoryError("planted")
place.trace = trace
""",
    "comparing": """
import kubelint_gpu.workspace.project.before as place
def differing(*arguments, **options): raise ValueError("planted")
place.differing = differing
""",
    "rules of the cluster": """
import kubelint_gpu.engine.registry as registry
before = registry.world_checks
def world_checks():
    def failing(world): raise ValueError("planted")
    return {**before(), "KLG601": failing}
import kubelint_gpu.engine.asking as place
place.world_checks = world_checks
""",
}
RUN = """
import sys
from kubelint_gpu.cli.main import invoke
sys.exit(invoke(sys.argv[1:]))
"""


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "a.yaml").write_text(deployment("first"))
    (tmp_path / "bad.yaml").write_text(deployment("bad"))
    (tmp_path / "z.yaml").write_text(deployment("last"))
    (tmp_path / "i.yaml").write_text(INVENTORY)
    (tmp_path / "app" / "kustomization.yaml").write_text("resources: [b.yaml]\n")
    (tmp_path / "app" / "b.yaml").write_text(deployment("second"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def checked(repository, name, *more):
    arguments = ["check", ".", "-i", "i.yaml", "--output-format", "json", "--unit", "file", *more]
    if name == "comparing":
        arguments += ["--against", "HEAD"]
    code = FAILING[name] + f"\nimport sys; sys.argv[1:] = {arguments!r}\n" + RUN
    ended = run_python(code, cwd=repository)
    assert b"Traceback" not in ended.stderr
    assert ended.returncode == 2, (ended.stderr, ended.stdout)
    return ended


@pytest.mark.parametrize("name", FAILING)
def test_the_others_are_judged(name, repository):
    ended = checked(repository, name)
    assert {"Deployment/first", "Deployment/last"} <= set(objects(ended))
    told = [one for one in json.loads(ended.stdout)["findings"] if one["code"] == "KLG000"]
    assert len(told) == 1
    assert "planted" in told[0]["message"]
    assert "please report it" in told[0]["message"]


def test_with_all_in_one_unit_an_object_costs_itself(repository):
    ended = checked(repository, "reading an object", "--unit", "all")
    assert {"Deployment/first", "Deployment/last"} <= set(objects(ended))
    (told,) = (one for one in json.loads(ended.stdout)["findings"] if one["code"] == "KLG000")
    assert (told["path"], told["object"]) == ("bad.yaml", "Deployment/bad")


@pytest.mark.parametrize("name", ["judging a unit", "reading an object"])
def test_fixes_of_the_others_are_made(name, repository):
    ended = checked(repository, name, "--fix")
    assert {"Deployment/first", "Deployment/last"} <= set(objects(ended))


def test_no_baseline_takes_a_defect(repository):
    ended = checked(repository, "judging a unit", "--write-baseline", "accepted")
    assert not (repository / "accepted").exists()
    assert b"is not written: the run failed" in ended.stderr


def test_a_defect_in_the_inventory_leaves_what_needs_none(repository):
    (repository / "bad.yaml").write_text("apiVersion: apps/v1\nkind: Deployment\nspec: [")
    FAILING["inventory"] = """
import kubelint_gpu.inventory as place
def load(*arguments): raise TypeError("planted")
place.load = load
"""
    ended = checked(repository, "inventory")
    told = json.loads(ended.stdout)["findings"]
    assert {"KLG001", "KLG601"} <= {one["code"] for one in told}
    assert any("planted" in one["message"] for one in told)
