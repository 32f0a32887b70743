"""When what is typed is checked."""

from __future__ import annotations

import asyncio

import pytest
from editor import editing

pytestmark = pytest.mark.asyncio


async def test_a_thousand_rapid_edits_are_a_few_checks_and_the_last_text_counts(folder):
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        editor.published.clear()
        for number in range(999):
            editor.change("tracker.yaml", f"# {number}\n", ((0, 0), (0, 0)))
        editor.change("tracker.yaml", "x", ((1007, 0), (1007, 4)))
        seen = []
        while not seen or seen[-1].version != 1001:
            seen.append(await editor.until(lambda one: one.uri == editor.uri("tracker.yaml"), 60))
        assert "KLG101" not in [one.code for one in seen[-1].diagnostics]
        assert len(seen) <= 10
        await asyncio.sleep(1)
        assert editor.published == []
