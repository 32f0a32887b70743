"""Rules that speak of workloads only: where a unit has none to judge they find nothing, so that they need not be asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kubelint_gpu.engine.registry import checks, checks_of_anything
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted({path.parent for path in (ROOT / "rules").glob("*/*/*.yaml")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_they_find_nothing_where_there_is_none(folder, tmp_path, monkeypatch):
    """Read outside the repository, in which more would be looked for."""
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(folder, tmp_path / folder.parent.name / folder.name)
    inventory = folder / "inventory.yaml"
    files = [str(path) for path in sorted(folder.glob("*.yaml")) if path != inventory]
    declared = [str(inventory)] if inventory.exists() else []
    found = inputs_of(gather(files, declared), declared)
    of_workloads = [check for code, check in checks().items() if code not in checks_of_anything()]
    assert len(of_workloads) > 30
    for unit in found.units:
        if not unit.subjects:
            assert [draft for check in of_workloads for draft in check(unit)] == []
