"""Nothing an editor sends ends the server, nothing piles up, and nothing is left behind."""

from __future__ import annotations

import pytest
from editor import TRACKER, editing
from lsprotocol import types

pytestmark = pytest.mark.asyncio


async def test_a_rule_that_crashes_is_a_diagnostic(folder, monkeypatch):
    (folder / "sitecustomize.py").write_text(
        "import kubelint_gpu.engine.registry as registry\n"
        "real = registry.checks\n"
        "def checks():\n"
        "    def crash(unit): raise RuntimeError('a rule that fails')\n"
        "    return {**real(), 'KLG101': crash}\n"
        "registry.checks = checks\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
        assert [one.code for one in found] == ["KLG000"]
        assert "a rule that fails" in found[0].message


TYPED = (
    "",
    "\ufeff",
    "\0\0",
    "a: &a [*a, *a]\n",
    "&a [*a]\n",
    "{" * 3000,
    "- " * 3000,
    "kind: Deployment\nspec: 7\n",
    "kind: Pod\nmetadata: [x]\nspec: {containers: {}}\n",
    "\ud800kind: Pod",
    "kind: ClusterInventory\nnodes: 7\n",
    "# kubelint-gpu: ignore[KLG101\n# kubelint-gpu: ignore[]\n# kubelint-gpu:\n",
    "\u2028\x85\x0b---\r\r---\n",
    "x: |\n  " + "{{ a }}\n" * 50,
)


async def test_whatever_is_typed_is_answered(folder):
    async with editing(folder) as editor:
        for number, text in enumerate(TYPED):
            name = f"odd{number}.yaml"
            editor.open(name, text)
            await editor.diagnostics(name)
            for line, character in ((0, 0), (0, 5), (1, 3), (9999, 9999)):
                await editor.hover(name, line, character)
                await editor.complete(name, line, character)
                await editor.actions(name, line, character)
            editor.change(name, "# a", ((0, 0), (9999, 9999)))
            assert await editor.diagnostics(name) == []
            editor.close(name)
        assert editor.logged == []
        assert editor.shown == []


@pytest.mark.parametrize("option", ["--inventory", "--config"])
async def test_a_file_of_the_command_line_that_is_not_there_is_told_and_taken_when_it_comes(folder, option):
    later = {"--inventory": (TRACKER / "nodes.yaml").read_text(), "--config": "inventory: cluster.yaml\n"}[option]
    (folder / ".kubelint-gpu.yaml").unlink()
    async with editing(folder, option, str(folder / "nope.yaml")) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        (told,) = editor.shown
        assert "nope.yaml cannot be read" in told
        (folder / "nope.yaml").write_text(later)
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(editor.uri("tracker.yaml")))
        )
        await editor.until(lambda one: any(found.code == "KLG101" for found in one.diagnostics))
