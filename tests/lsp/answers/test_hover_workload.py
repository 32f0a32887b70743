"""Hover on a workload: where it fits, and what becomes of its rollout."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_hover_says_where_a_workload_fits_and_what_becomes_of_its_rollout(declared, desk):
    (declared / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\n")
    async with desk(declared) as editor:
        editor.open("tracker.yaml")
        for line, character in ((1, 2), (1, 8), (3, 10), (8, 4)):
            text = (await editor.hover("tracker.yaml", line, character)).contents.value
            assert text.startswith("**Deployment vision/object-tracker** asks for 1 nvidia.com/gpu.")
            assert "When first created, it fits on **1 of 10 nodes**, because" in text
            assert "node(s) didn't match Pod's node affinity/selector" in text
            assert "The rollout **never ends**." in text
        assert await editor.hover("tracker.yaml", 18, 4) is None
        # what cannot be read any more is told as it last was
        editor.change("tracker.yaml", "  x: [\n", ((8, 0), (8, 0)))
        text = (await editor.hover("tracker.yaml", 1, 2)).contents.value
        assert "The rollout **never ends**." in text
        assert text.endswith("As of the last text that could be read.")
