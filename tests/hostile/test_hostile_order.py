"""The same files in another order give the same bytes, on both outputs."""

from __future__ import annotations

import re

import pytest
from hostile_files import deployment
from limited import run

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
GPU = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{name: NAME, gpus: {model: L4, count: 1}}]\n"


@pytest.fixture
def folder(tmp_path):
    for name in ("a", "b", "c"):
        text = deployment(name).replace("      nodeSelector: {kubernetes.io/hostname: nowhere}\n", "")
        (tmp_path / f"{name}.yaml").write_text(text.replace("app: a", f"app: {name}"))
        (tmp_path / f"{name}-nodes").write_text(GPU.replace("NAME", f"node-{name}"))
    (tmp_path / "d").mkdir()
    # one object twice, and an object that is a part of nothing
    (tmp_path / "d" / "e.yaml").write_text((tmp_path / "b.yaml").read_text().replace("replicas: 1", "replicas: 2"))
    (tmp_path / "d" / "broken.yaml").write_text("a: [\n")
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    return tmp_path


def told(folder, files, inventories, *more):
    """What is printed, and written in all formats."""
    declared = [part for one in inventories for part in ("-i", one)]
    ended = run("check", *more, *declared, *files, cwd=folder)
    taken = rb'"seconds": [\d.]+|time="[\d.]+"|[\d.]+ seconds?'
    assert b"internal error" not in ended.stderr
    written = {path.name: re.sub(taken, b"", path.read_bytes()) for path in folder.glob("*-report")}
    return ended.returncode, re.sub(taken, b"", ended.stdout), ended.stderr, written


@pytest.mark.parametrize("together", [("--together",), ()], ids=["together", "apart"])
def test_every_format(together, folder):
    files = ["a.yaml", "b.yaml", "c.yaml", "d", "link.yaml", "nothing", "no.yaml"]
    nodes = ["a-nodes", "b-nodes", "c-nodes"]
    places = [part for form in FORMATS for part in ("--output-format", form, "--output-file", f"{form}-report")]
    more = (*together, "--output-format", "text", *places)
    first = told(folder, files, nodes, *more)
    assert sorted(first[-1]) == sorted(f"{form}-report" for form in FORMATS)
    assert told(folder, files[::-1], nodes[::-1], *more) == first
    assert told(folder, [*files[3:], *files[:3]], [nodes[1], nodes[0], nodes[2]], *more) == first


@pytest.mark.parametrize("more", [("--diff", "--unsafe-fixes"), ("--statistics",), ("--against", "./d", "--together")])
def test_what_else_is_printed(more, folder):
    files, nodes = ["a.yaml", "b.yaml", "c.yaml", "d/e.yaml"], ["a-nodes", "b-nodes"]
    assert told(folder, files[::-1], nodes[::-1], *more) == told(folder, files, nodes, *more)
