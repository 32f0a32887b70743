"""All safe fixes of a document at once."""

from __future__ import annotations

import pytest
from editor import TRACKER
from offered_edits import applied, edits_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (TRACKER / "tracker.yaml").read_text()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_fix_all_on_save_makes_every_safe_fix(folder, newline, desk):
    text = "# 😀\n" + TEXT + "  # kubelint-gpu: ignore[KLG110] no longer\n  sessionAffinity: None\n"
    text = text.replace("\n", newline)
    async with desk(folder) as editor:
        editor.open("tracker.yaml", text)
        assert [one.code for one in await editor.diagnostics("tracker.yaml")] == ["KLG101", "KLG005"]
        (action,) = await editor.actions("tracker.yaml", 0, only=["source.fixAll"])
        assert action.edit is None
        resolved = await editor.client.code_action_resolve_async(action)
        fixed = applied(text, edits_of(editor, resolved))
        assert fixed.count(newline) == len(fixed.splitlines())
        editor.change("tracker.yaml", fixed)
        assert await editor.diagnostics("tracker.yaml") == []
        assert not await editor.actions("tracker.yaml", 0, only=["source.fixAll"])
