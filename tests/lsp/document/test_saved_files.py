"""Findings of kustomizations stand in the files that these are made of, while the files are as they are on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from editor import codes, editing
from kustomize_fixtures import example, program

from kubelint_gpu.lsp.document.document_context import ReadFiles
from kubelint_gpu.lsp.document.saved_files import answer

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


async def test_that_the_inventory_cannot_be_used_is_said_of_what_is_saved_too(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: inventory.yaml\nselect: KLG1\n")
    (folder / "inventory.yaml").write_text("kind: ClusterInventory\n")
    question = {"path": str(folder / BASE), "folder": str(folder), "inventories": (), "config": "", "isolated": False}
    found = answer({**question, "encoding": "utf-16"}, ReadFiles())[str(folder / BASE)]
    assert found[0]["message"].startswith("no rule that needs the cluster was asked: the inventory inventory.yaml")
