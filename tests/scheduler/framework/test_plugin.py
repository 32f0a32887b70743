"""A filter that the package does not know, added as docs/architecture.md says: a module, and its line.

Nothing else is changed in the copy of the package that runs here, and the command says of licences what it says of GPUs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "tests" / "scheduler" / "licence_plugins.py"
KINDS = ("SEATS_TOLD", "SEATS_UNTOLD", "RACKS")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of a package that has the plugins, of which the environment chooses one."""
    folder = tmp_path_factory.mktemp("licences")
    for part in ("kubelint_gpu", "rules"):
        shutil.copytree(ROOT / part, folder / part)
    plugins = folder / "kubelint_gpu" / "scheduler" / "plugins"
    shutil.copyfile(PLUGIN, plugins / "licences.py")
    text = (plugins / "__init__.py").read_text()
    last = "    dynamic_resources.PLUGIN,\n"
    assert text.count(last) == 1
    text = text.replace("import (\n", "import (\n    licences,\n", 1).replace(last, f"{last}    licences.PLUGIN,\n")
    (plugins / "__init__.py").write_text(text)
    return folder


@pytest.fixture
def run(package, tmp_path):
    def ran(kind, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "kubelint_gpu", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(package), "LICENCES": kind},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return ran


@pytest.fixture
def check(run, tmp_path):
    def found(kind, places, replicas=1, strategy="{}", first=1):
        nodes = "".join(
            f'  - {{name: n{number}, labels: {{example.com/seats: "{1 if number else first}", example.com/rack: r{number}}}, '
            "allocatable: {cpu: 16, memory: 64Gi}}\n"
            for number in range(places)
        )
        # a further node without a seat of its own, in the rack of the first
        nodes += "  - {name: z, labels: {example.com/rack: r0}, allocatable: {cpu: 16, memory: 64Gi}}\n"
        (tmp_path / "cluster.yaml").write_text(
            f'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n{nodes}'
        )
        (tmp_path / "web.yaml").write_text(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
            f"  replicas: {replicas}\n  strategy: {strategy}\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n"
            "    metadata: {labels: {app: web, example.com/licence: cad}}\n    spec:\n"
            "      containers: [{name: main, image: registry.example.com/main:1}]\n"
        )
        arguments = ("web.yaml", "-i", "cluster.yaml", "--isolated", "--select", "KLG1", "--output-format", "json")
        return json.loads(run(kind, "check", *arguments))["findings"]

    return found


HELD = {
    "SEATS_TOLD": ("KLG101", "waits for n0 (had no free seat), held by the old pod"),
    "SEATS_UNTOLD": ("KLG101", "waits for n0 (had no free seat)"),
    "RACKS": ("KLG103", "which were in a rack that is taken because of the old pod"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_rollout_waits_for_what_a_further_plugin_has_the_old_pod_hold(check, kind):
    (found,) = check(kind, places=1)
    code, words = HELD[kind]
    assert (found["code"], found["severity"], found["certainty"]) == (code, "error", "certain")
    assert words in found["message"]
    assert all(fix["verified"] for fix in found["fixes"])
    assert "maxSurge: 0" in found["fixes"][0]["title"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rollout_ends_where_the_old_pod_goes_first_or_where_there_is_another_place(check, kind):
    assert check(kind, places=1, strategy="{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}") == []
    assert check(kind, places=2) == []


@pytest.mark.parametrize("kind", KINDS)
def test_replicas_are_counted_by_a_further_plugin(check, kind):
    (found,) = check(kind, places=2, replicas=3)
    assert (found["code"], found["severity"], found["certainty"]) == ("KLG109", "error", "certain")
    assert found["message"].startswith("only 2 of 3 replicas can run")
    assert check(kind, places=3, replicas=3, strategy="{type: Recreate}") == []


@pytest.mark.parametrize("kind", [kind for kind in (*KINDS, "SEATS_LOCAL") if kind != "RACKS"])
def test_nodes_are_told_apart_by_what_a_further_plugin_looks_at(check, kind):
    (found,) = check(kind, places=2, replicas=4, first=2)
    assert (found["code"], found["severity"], found["certainty"]) == ("KLG109", "error", "certain")
    assert found["message"].startswith("only 3 of 4 replicas can run")
    assert check(kind, places=2, replicas=3, first=2, strategy="{type: Recreate}") == []


@pytest.mark.parametrize(
    ("kind", "reason"), [("SEATS_TOLD", "had no free seat"), ("RACKS", "were in a rack that is taken")]
)
def test_the_reason_of_a_further_plugin_is_explained(check, run, kind, reason):
    check(kind, places=1)
    told = run(kind, "explain", "Deployment/web", "web.yaml", "-i", "cluster.yaml")
    assert f"node(s) {reason}" in told
    assert "an old pod ends (on n0)" in told
