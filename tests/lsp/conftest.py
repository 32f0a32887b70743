"""The tracker example as the folder of an editor."""

from __future__ import annotations

import shutil

import pytest
from editor import TRACKER


@pytest.fixture
def folder(tmp_path):
    folder = (tmp_path / "vision").resolve()
    folder.mkdir()
    shutil.copy(TRACKER / "nodes.yaml", folder / "cluster.yaml")
    shutil.copy(TRACKER / "tracker.yaml", folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG0, KLG1\n")
    return folder
