"""The tracker example as the folder of an editor."""

from __future__ import annotations

import shutil

import pytest
import pytest_asyncio
from editor import TRACKER, Server


@pytest.fixture
def folder(tmp_path):
    folder = (tmp_path / "vision").resolve()
    folder.mkdir()
    shutil.copy(TRACKER / "nodes.yaml", folder / "cluster.yaml")
    shutil.copy(TRACKER / "tracker.yaml", folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG0, KLG1\n")
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def desk():
    """Editors of one process, one after the other, each with a folder of its own: what most tests need."""
    server = Server()
    await server.begin(None)
    yield server.editing
    await server.end()
