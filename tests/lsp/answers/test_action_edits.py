"""All safe fixes of a document at once."""

from __future__ import annotations

import pytest
from editor import TRACKER
from offered_edits import applied, edits_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (TRACKER / "tracker.yaml").read_text()

WRITTEN = (
    ("", "", "# kubelint-gpu: ignore[KLG101] TODO: say why\nspec:\n  replicas: 1"),
    ("\nspec:\n", "\n# why\nspec:\n", "# why\n# kubelint-gpu: ignore[KLG101] TODO: say why\nspec:"),
    (
        "\nspec:\n  replicas",
        "\n# kubelint-gpu: ignore[KLG107] both\nspec:\n  replicas",
        "# kubelint-gpu: ignore[KLG107, KLG101] both\nspec:",
    ),
    (
        "\nspec:\n  replicas",
        "\nspec: # kubelint-gpu: ignore[KLG107]\n  replicas",
        "spec: # kubelint-gpu: ignore[KLG107, KLG101]\n",
    ),
)


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


async def test_ignore_here_writes_the_comment_that_the_linter_reads(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml", "")
        for old, new, wanted in WRITTEN:
            text = TEXT.replace(old, new, 1) if old else TEXT
            editor.change("tracker.yaml", text)
            found = [one for one in await editor.diagnostics("tracker.yaml") if one.code == "KLG101"]
            actions = await editor.actions("tracker.yaml", found[0].range.start.line)
            action = next(one for one in actions if one.title == "KLG101: ignore here")
            after = applied(text, edits_of(editor, action))
            assert wanted in after
            editor.change("tracker.yaml", after)
            assert "KLG101" not in [one.code for one in await editor.diagnostics("tracker.yaml")]


async def test_json_has_no_comments_and_no_ignore_here(folder, desk):
    async with desk(folder) as editor:
        editor.open("pod.json", '{"kind": "Pod", "kind": "Pod"}\n', "json")
        found = await editor.diagnostics("pod.json")
        assert [one.code for one in found] == ["KLG001"]
        assert not [one for one in await editor.actions("pod.json", 0, 17) if "ignore" in one.title]
