"""The folder in which an editor asks."""

from __future__ import annotations

import shutil

import pytest
from editor import TRACKER
from hovered import CLUSTER, TEXT


@pytest.fixture
def declared(tmp_path):
    folder = (tmp_path / "vision").resolve()
    folder.mkdir()
    shutil.copy(TRACKER / "nodes.yaml", folder / "nodes.yaml")
    (folder / "cluster.yaml").write_text(CLUSTER)
    (folder / "tracker.yaml").write_text(TEXT)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\n")
    return folder
