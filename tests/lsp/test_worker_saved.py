"""Findings of kustomizations stand in the files that these are made of, while the files are as they are on disk."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command_line import check_json, kubelint
from editor import codes, editing
from kustomize_fixtures import example, program
from offered_edits import applied, edits_of

from kubelint_gpu.lsp.document.document_context import ReadFiles
from kubelint_gpu.lsp.worker import all_fixed, saved

__all__ = ["example", "program"]
pytestmark = pytest.mark.asyncio
BASE = "base/deployment.yaml"


@pytest.fixture
def folder(example, program, monkeypatch):
    (example / ".kubelint-gpu.yaml").write_text("inventory: inventory.yaml\nselect: KLG1, KLG2\n")
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    return example


async def found(editor, name, *wanted):
    return await editor.until(lambda one: one.uri == editor.uri(name) and codes(one.diagnostics) == [*wanted])


async def test_a_base_and_a_patch_show_what_is_found_in_their_overlays(folder):
    async with editing(folder) as editor:
        editor.open(BASE)
        (deadlock,) = (await found(editor, BASE, "KLG101")).diagnostics
        assert deadlock.range.start.line == 4
        editor.close(BASE)
        # what a patch causes stands in its base
        editor.open("components/pinned/pin.yaml")
        await found(editor, "components/pinned/pin.yaml")
        await found(editor, BASE, "KLG101")


async def test_what_is_typed_and_not_saved_is_looked_at_by_itself(folder):
    async with editing(folder) as editor:
        editor.open(BASE)
        await found(editor, BASE, "KLG101")
        editor.change(BASE, "# typed\n" + editor.texts[BASE])
        await found(editor, BASE)
        (folder / BASE).write_text("# typed\n" + editor.texts[BASE])
        editor.save(BASE)
        (deadlock,) = (await found(editor, BASE, "KLG101")).diagnostics
        assert deadlock.range.start.line == 5


async def test_all_safe_fixes_in_a_base_are_those_of_the_command(folder):
    before = (folder / BASE).read_text()
    async with editing(folder) as editor:
        editor.open(BASE)
        await found(editor, BASE, "KLG101")
        (action,) = await editor.actions(BASE, 0, only=["source.fixAll"])
        resolved = await editor.client.code_action_resolve_async(action)
        after = applied(before, edits_of(editor, resolved, BASE))
    kubelint("check", BASE, "--fix", cwd=folder)
    assert after == (folder / BASE).read_text() != before


async def test_all_safe_fixes_leave_what_the_baseline_accepts(folder, monkeypatch):
    monkeypatch.chdir(folder)
    question = {"path": str(folder / BASE), "folder": str(folder), "inventories": (), "config": "", "isolated": False}
    assert list(all_fixed({**question, "encoding": "utf-16"}, ReadFiles())) == [str(folder / BASE)]
    kubelint("check", ".", "--write-baseline", "accepted.json", "--exit-zero", cwd=folder)
    with (folder / ".kubelint-gpu.yaml").open("a") as file:
        file.write("baseline: accepted.json\n")
    assert all_fixed({**question, "encoding": "utf-16"}, ReadFiles()) == {}


async def test_that_the_inventory_cannot_be_used_is_said_of_what_is_saved_too(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: inventory.yaml\nselect: KLG1\n")
    (folder / "inventory.yaml").write_text("kind: ClusterInventory\n")
    question = {"path": str(folder / BASE), "folder": str(folder), "inventories": (), "config": "", "isolated": False}
    found = saved({**question, "encoding": "utf-16"}, ReadFiles())[str(folder / BASE)]
    assert found[0]["message"].startswith("no rule that needs the cluster was asked: the inventory inventory.yaml")


NEIGHBOURS = {
    "cluster.yaml": "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: '1.34'\nnodes:\n"
    "  - {name: gpu-1, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 8}}\n",
    "quota.yaml": "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\n"
    'spec: {hard: {requests.nvidia.com/gpu: "2"}}\n',
    "app.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: ml}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n"
    "    spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}\n",
}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name, text in {**NEIGHBOURS, ".kubelint-gpu.yaml": "inventory: cluster.yaml\n"}.items():
        (tmp_path / name).write_text(text)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(repository, name):
    path = str(repository / name)
    question = {"path": path, "folder": str(repository), "inventories": (), "config": "", "isolated": False}
    return sorted(one["code"] for one in saved({**question, "encoding": "utf-16"}, ReadFiles())[path])


async def test_a_quota_in_the_next_file_counts_as_it_does_for_the_command(repository):
    found = shown(repository, "app.yaml")
    assert found == check_json("app.yaml", cwd=repository).codes
    assert "KLG105" in found


async def test_a_budget_alone_shows_what_it_does_to_the_pods_of_other_files(repository):
    (repository / "budget.yaml").write_text(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a, namespace: ml}\n"
        "spec:\n  minAvailable: 2\n  selector: {matchLabels: {app: a}}\n"
    )
    assert shown(repository, "budget.yaml") == ["KLG112"]
    assert check_json("budget.yaml", cwd=repository).codes == ["KLG112"]
