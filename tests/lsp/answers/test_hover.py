"""Hover on findings and codes."""

from __future__ import annotations

import pytest
from editor import editing
from hovered import HEAD

pytestmark = pytest.mark.asyncio


async def test_hover_on_a_finding_shows_its_story_and_its_page(declared):
    (declared / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\n")
    async with editing(declared) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        text = (await editor.hover("tracker.yaml", 7, 1)).contents.value
        assert "**KLG101** the rollout never ends" in text
        assert "**kube\\-scheduler:**" in text or "**kube-scheduler:**" in text
        assert "**Who waits for whom**" in text
        assert "# KLG101 rollout-deadlock" in text
        assert "## Bad" not in text
        assert "](../" not in text


async def test_hover_on_a_code_in_a_suppression_shows_the_page(declared):
    async with editing(declared) as editor:
        editor.open("p.yaml", HEAD + "  # kubelint-gpu: ignore[KLG101, missing-priority-class] a\n")
        assert "# KLG101 " in (await editor.hover("p.yaml", 4, 28)).contents.value
        assert "# KLG301 " in (await editor.hover("p.yaml", 4, 40)).contents.value
