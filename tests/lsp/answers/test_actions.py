"""Fixes and suppressions that an editor offers do what they say."""

from __future__ import annotations

import pytest
from editor import TRACKER, editing
from lsprotocol import types
from offered_edits import applied, edits_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (TRACKER / "tracker.yaml").read_text()


async def test_the_safe_fix_is_preferred_the_unsafe_one_says_so_and_both_help(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        safe, unsafe, *_ = await editor.actions("tracker.yaml", 7)
        assert safe.is_preferred
        assert safe.kind == "quickfix"
        assert safe.diagnostics[0].code == "KLG101"
        assert not unsafe.is_preferred
        assert unsafe.title.endswith("(may change what runs)")
        for action in (safe, unsafe):
            editor.change("tracker.yaml", TEXT)
            fresh = next(one for one in await editor.actions("tracker.yaml", 7) if one.title == action.title)
            editor.change("tracker.yaml", applied(TEXT, edits_of(editor, fresh)))
            assert await editor.diagnostics("tracker.yaml") == []


async def test_actions_are_those_of_the_text_as_it_is_now(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        editor.change("tracker.yaml", "# 😀\n", ((0, 0), (0, 0)))
        assert not [one for one in await editor.actions("tracker.yaml", 2) if one.kind == "quickfix"]
        action = (await editor.actions("tracker.yaml", 8))[0]
        editor.change("tracker.yaml", applied("# 😀\n" + TEXT, edits_of(editor, action)))
        assert await editor.diagnostics("tracker.yaml") == []


async def test_an_editor_may_name_the_diagnostic_instead_of_its_place(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
        first, *_ = await editor.actions("tracker.yaml", 30, diagnostics=found)
        assert first.title.startswith("KLG101: ")


async def test_an_editor_without_versions_gets_plain_changes(folder):
    async with editing(folder, capabilities=types.ClientCapabilities()) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        actions = await editor.actions("tracker.yaml", 7)
        edits = actions[0].edit.changes[editor.uri("tracker.yaml")]
        assert "maxSurge: 0" in applied(TEXT, edits)
        # it cannot ask for the edits later, so they are there
        assert actions[-1].kind == "source.fixAll.kubelint-gpu"
        assert "maxSurge: 0" in applied(TEXT, actions[-1].edit.changes[editor.uri("tracker.yaml")])
