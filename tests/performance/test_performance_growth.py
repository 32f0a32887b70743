"""Twice the repository is twice the work, whatever grows in it: counted in calls of functions, and not in seconds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubelint_gpu.cli.main import main

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.repositories import AXES, MOST, NODE, cluster, made, workload

FILES = 20
"""The first of three sizes, each twice the one before."""


def calls(*arguments: object) -> int:
    """How many calls of functions a command line takes."""
    count = 0

    def one(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(one)
    try:
        ran = CliRunner().invoke(main, [str(one) for one in arguments], standalone_mode=False)
    finally:
        sys.setprofile(None)
    assert ran.exception is None, ran.exception
    return count


def growth(folder: Path, axis: str, *more: object, files: int = FILES, running: bool = False) -> float:
    """How many times the work of some further files is taken by twice as many further files.

    Where they are `running`, there are as many nodes, with a pod of each.
    """
    found = []
    for size in (files, files, 2 * files, 4 * files):
        place = folder / f"{len(found)}"
        made(place, axis, size)
        (folder / "nodes.json").write_text(json.dumps({"kind": "List", "items": [NODE]}))
        if running:
            (folder / "nodes.json").write_text(json.dumps(cluster(size)))
        found.append(calls("check", "--isolated", "--exit-zero", "-i", folder / "nodes.json", *more, place))
    # the first run imports what the others find
    _, one, two, four = found
    return (four - two) / (two - one)


@pytest.mark.parametrize("axis", sorted(set(AXES) - {"kustomizations"}))
def test_files_cost_as_much_each_however_many_there_are(tmp_path, axis):
    assert growth(tmp_path, axis) < MOST


def test_workloads_that_are_judged_together_find_their_own_pods(tmp_path):
    assert growth(tmp_path, "nothing", "--together", files=2 * FILES, running=True) < MOST


def test_a_namespace_that_every_file_holds_is_read_once(tmp_path, monkeypatch):
    space = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: all}\n"
    monkeypatch.setitem(AXES, "one namespace", lambda number: workload(number) + space)
    assert growth(tmp_path, "one namespace") < MOST


def test_entries_of_a_baseline_are_found_by_their_key(tmp_path):
    known = tmp_path / "known.json"
    known.write_text('{"version": 1, "findings": []}')
    assert growth(tmp_path, "findings", "--baseline", known) < MOST


def test_files_that_are_known_cost_as_much_each(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBELINT_GPU_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "nodes.json").write_text(json.dumps(NODE))
    found = []
    for size in (FILES, 2 * FILES, 4 * FILES):
        place = made(tmp_path / str(size), "namespaces", size)
        command = ("check", "--isolated", "-i", tmp_path / "nodes.json", place)
        calls(*command)
        found.append(calls(*command))
    one, two, four = found
    assert (four - two) / (two - one) < MOST
