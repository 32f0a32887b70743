"""The editor and the command say the same of a file that is saved: every finding with its file, severity and message."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from command_line import check_json, kubelint
from editor import ROOT, Server
from kustomize_fixtures import example, program
from revisions import ONE, git, small

__all__ = ["example", "program"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
SEVERITIES = {1: "error", 2: "warning", 3: "note"}
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\nspec: {hard: {requests.nvidia.com/gpu: 1}}\n"
SCALER = (
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: s, namespace: ml}\nspec:\n"
    "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: two}\n  maxReplicas: 9\n"
)
CLASS = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: serving}\nvalue: 1000\n"


def spaced(*names):
    return "".join(small(name).replace(f"{{name: {name}}}", f"{{name: {name}, namespace: ml}}", 1) for name in names)


def commanded(folder, name):
    found = check_json(name, cwd=folder).json["findings"]
    return Counter((one["path"], one["code"], one["severity"], one["message"]) for one in found)


async def agree(editing, folder, *names, none=()):
    """Open each file alone; what is published at last must be what the command says."""
    for name in names:
        wanted = commanded(folder, name)
        assert bool(wanted) != (name in none), name
        async with editing(folder) as editor:
            shown: dict[str, Counter] = {}

            def same(published, shown=shown, wanted=wanted):
                path = os.path.relpath(published.uri.removeprefix("file://"), folder)
                shown[path] = Counter(
                    (path, one.code, SEVERITIES[one.severity], one.message) for one in published.diagnostics
                )
                return sum(shown.values(), Counter()) == wanted

            editor.open(name)
            try:
                await editor.until(same, timeout=20)
            except TimeoutError:
                assert sum(shown.values(), Counter()) == wanted


async def test_a_base_a_patch_and_an_overlay_opened_alone_show_what_the_command_says(example, program, monkeypatch):
    (example / ".kubelint-gpu.yaml").write_text("inventory: inventory.yaml\n")
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    server = Server()
    await server.begin(None)
    await agree(
        server.editing,
        example,
        "base/deployment.yaml",
        "components/pinned/pin.yaml",
        "overlays/prod/kustomization.yaml",
    )
    await server.end()


async def test_joined_findings_and_objects_of_other_directories_show_what_the_command_says(tmp_path, desk):
    files = {
        ".kubelint-gpu.yaml": "inventory: cluster.yaml\n",
        "cluster.yaml": ONE,
        "apps/many.yaml": spaced("two", "three", "four", "five", "six"),
        "policy/q.yaml": QUOTA,
        "scale/s.yaml": SCALER,
        "classes/c.yaml": CLASS,
        "pair/a.yaml": spaced("left") + SCALER.replace("name: two", "name: left"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    await agree(
        desk,
        tmp_path,
        "apps/many.yaml",
        "scale/s.yaml",
        "pair/a.yaml",
        "policy/q.yaml",
        none=["policy/q.yaml", "scale/s.yaml"],
    )
    kubelint("check", "apps", "--write-baseline", "accepted.json", "--exit-zero", cwd=tmp_path)
    (tmp_path / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nbaseline: accepted.json\n")
    await agree(desk, tmp_path, "apps/many.yaml", none=["apps/many.yaml"])


async def test_examples_show_what_the_command_says(tmp_path, desk):
    for name, inventory, path in (
        ("tracker", "nodes.yaml", "tracker.yaml"),
        ("quota", "inventory.yaml", "manifest.yaml"),
        ("host-port", "inventory.yaml", "manifest.yaml"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        for one in (path, inventory):
            (folder / one).write_bytes((ROOT / "examples" / name / one).read_bytes())
        (folder / ".kubelint-gpu.yaml").write_text(f"inventory: {inventory}\n")
        await agree(desk, folder, path)
