"""`init` makes what is missing, asks before it does, and changes no file that is there."""

from __future__ import annotations

import json
import subprocess

import pytest
from command_line import TRACKER, check_json, kubelint

MADE = ["cluster.yaml", ".kubelint-gpu-baseline.json", ".kubelint-gpu.yaml", ".pre-commit-config.yaml"]


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "tracker.yaml").write_bytes((TRACKER / "tracker.yaml").read_bytes())
    return tmp_path


def held(folder):
    return {name: (folder / name).read_bytes() for name in MADE if (folder / name).exists()}


def test_everything_that_is_missing_is_made_and_the_next_run_reports_nothing_old(repository):
    ran = kubelint("init", "--yes", "--draft", cwd=repository)
    assert ran.code == 0
    assert sorted(held(repository)) == sorted(MADE)
    assert "pre-commit install" in ran.out
    assert "fill in cluster.yaml" in ran.out
    assert check_json(cwd=repository).codes == []
    (repository / "deploy" / "tracker.yaml").write_bytes(
        (TRACKER / "tracker.yaml").read_bytes().replace(b"object-tracker", b"new-tracker")
    )
    assert check_json("--select", "KLG114", cwd=repository).codes == ["KLG114"]


def test_a_repository_without_manifests_has_no_baseline_and_no_failure(tmp_path):
    (tmp_path / ".git").mkdir()
    ran = kubelint("init", "--yes", "--draft", cwd=tmp_path)
    assert ran.code == 0
    assert "There is no manifest yet" in ran.out
    assert "failed" not in ran.out + ran.err
    assert sorted(held(tmp_path)) == sorted({*MADE} - {".kubelint-gpu-baseline.json"})


def test_what_the_filled_in_inventory_finds_can_be_accepted_as_the_next_step_says(repository):
    assert "kubelint-gpu check --write-baseline" in kubelint("init", "--yes", "--draft", cwd=repository).out
    (repository / "cluster.yaml").write_bytes((TRACKER / "nodes.yaml").read_bytes())
    configured = repository / ".kubelint-gpu.yaml"
    configured.write_text(configured.read_text().replace("# inventory", "inventory"))
    assert "KLG101" in check_json(cwd=repository).codes
    kubelint("check", "--write-baseline", MADE[1], cwd=repository)
    assert check_json(cwd=repository).codes == []


def test_an_inventory_that_is_there_is_used_for_the_baseline_and_named(repository):
    (repository / "cluster.yaml").write_bytes((TRACKER / "nodes.yaml").read_bytes())
    ran = kubelint("init", "--yes", cwd=repository)
    assert ran.code == 0
    assert "inventory: cluster.yaml\n" in (repository / ".kubelint-gpu.yaml").read_text()
    codes = {one["code"] for one in json.loads((repository / MADE[1]).read_text())["findings"]}
    assert "KLG101" in codes
    again = check_json(cwd=repository)
    assert (again.codes, again.json["summary"]["files"]) == ([], 1)


def test_a_single_inventory_in_another_folder_is_taken_and_of_several_none(repository):
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    (repository / "clusters").mkdir()
    declared = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nmetadata: {name: a}\nnodes: [{name: node-1, allocatable: {cpu: 8}}]\n"
    (repository / "clusters" / "a.yaml").write_text(declared)
    (repository / "notes.yaml").write_text("text: |\n  kind: ClusterInventory\n")
    ran = kubelint("init", "--yes", cwd=repository)
    assert "clusters/a.yaml is there: it is taken for the inventory." in ran.out
    assert sorted(held(repository)) == sorted(MADE[1:])
    assert "inventory: clusters/a.yaml\n" in (repository / ".kubelint-gpu.yaml").read_text()
    (repository / ".kubelint-gpu.yaml").unlink()
    (repository / "clusters" / "b.yaml").write_text(declared)
    ran = kubelint("init", "--yes", cwd=repository)
    assert "clusters/a.yaml and clusters/b.yaml declare clusters" in ran.out
    assert "  name the inventories in .kubelint-gpu.yaml\n" in ran.out
    assert sorted(held(repository)) == sorted(MADE[1:])


def test_what_is_there_is_left_as_it_is(repository):
    kubelint("init", "--yes", "--draft", cwd=repository)
    (repository / ".pre-commit-config.yaml").write_text("repos: []\n")
    before = held(repository)
    ran = kubelint("init", "--yes", cwd=repository)
    assert held(repository) == before
    assert "Add this below repos:" in ran.out
    assert "- id: kubelint-gpu" in ran.out


def test_nothing_is_made_that_is_not_wanted(repository):
    ran = kubelint("init", "--draft", cwd=repository, stdin=b"n\nn\nn\n")
    assert ran.code == 0
    assert list(held(repository)) == ["cluster.yaml"]


def test_it_is_run_at_the_root_of_a_repository(repository, tmp_path_factory):
    below = kubelint("init", "--yes", cwd=repository / "deploy")
    assert (below.code, held(repository)) == (2, {})
    assert f"cd {repository}" in below.err
    outside = tmp_path_factory.mktemp("outside")
    ran = kubelint("init", "--yes", cwd=outside)
    assert (ran.code, list(outside.iterdir())) == (2, [])
    assert "no git repository" in ran.err


def test_the_errors_are_shown_before_a_baseline_is_offered(repository):
    (repository / "cluster.yaml").write_bytes((TRACKER / "nodes.yaml").read_bytes())
    ran = kubelint("init", cwd=repository, stdin=b"n\nn\nn\n")
    assert "error[KLG101]" in ran.out
    assert ran.out.index("error[KLG101]") < ran.out.index("Accept what is found now")
    assert not (repository / MADE[1]).exists()


def test_without_anybody_to_answer_it_names_the_option_that_asks_nothing(repository):
    ran = kubelint("init", "--draft", cwd=repository, stdin=b"")
    assert ran.code == 2
    assert "nobody answers: init --yes" in ran.err
    assert held(repository) == {}
