"""What is judged is kept for the next run, unless the run cannot be trusted."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kubelint_gpu.cli.main import main


@pytest.mark.parametrize(("nodes", "code"), [("[]", 2), ("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n", 1)])
def test_a_run_that_fails_fails_again(tmp_path, monkeypatch, nodes, code):
    monkeypatch.delenv("KUBELINT_GPU_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "a.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    (work / "nodes.yaml").write_text(nodes)
    told = []
    for _ in range(3):
        ran = CliRunner().invoke(main, ["check", "a.yaml", "-i", "nodes.yaml"], standalone_mode=False)
        told.append((ran.return_value, ran.stdout, ran.stderr))
    assert told[0] == told[1] == told[2]
    assert told[0][0] == code
