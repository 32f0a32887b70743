"""What the server answers while it works, and of what it keeps away."""

from __future__ import annotations

import asyncio
import time

import pytest
from editor import TRACKER, editing
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (TRACKER / "tracker.yaml").read_text()


async def test_the_server_answers_while_a_check_runs(folder):
    many = "---\n".join(TEXT.replace("object-tracker", f"tracker-{number}") for number in range(150))
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        editor.open("many.yaml", many)
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        assert await editor.complete("tracker.yaml", 40, 8)
        assert time.monotonic() - begun < 10
        # a check whose text has changed is ended and the new text checked
        editor.change("many.yaml", "kind: [\n")
        found = await editor.diagnostics("many.yaml")
        assert [one.code for one in found] == ["KLG001"]


async def test_a_huge_file_is_refused_kindly(folder, desk):
    async with desk(folder) as editor:
        editor.open("huge.yaml", "# " + "x" * 5_000_000 + "\n")
        (one,) = await editor.diagnostics("huge.yaml")
        assert one.severity == types.DiagnosticSeverity.Information
        assert "kubelint-gpu check reads it" in one.message
        assert await editor.hover("huge.yaml", 0, 0) is None
        editor.open("tracker.yaml")
        assert [one.code for one in await editor.diagnostics("tracker.yaml")] == ["KLG101"]


async def test_documents_that_are_no_files_are_checked(folder, desk):
    async with desk(folder) as editor:
        editor.open("untitled:Untitled-1", TEXT)
        assert await editor.diagnostics("untitled:Untitled-1")
        editor.open("git:/x/y%20z.yaml?%7B%7D", "kind: [")
        assert [one.code for one in await editor.diagnostics("git:/x/y%20z.yaml?%7B%7D")] == ["KLG001"]
