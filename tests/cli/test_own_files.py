"""`check` and the files of a run: what is written never takes the place of what is read."""

from __future__ import annotations

import pytest
from command_line import ROOT, kubelint


def read_by_a_run(folder):
    """A folder with every kind of file that a run may read, and the arguments with which it does."""
    for one in ("tracker.yaml", "nodes.yaml"):
        (folder / one).write_bytes((ROOT / "examples" / "tracker" / one).read_bytes())
    (folder / "before").mkdir()
    for one in ("before/tracker.yaml", "beside.yaml", "added.yaml"):
        source = "nodes.yaml" if one == "added.yaml" else "tracker.yaml"
        text = (folder / source).read_text().replace("object-tracker", one[:6]).replace("name: gpu-", "name: more-")
        (folder / one).write_text(text.replace("worker-", "also-").replace("tracker-node", "node-2"))
    (folder / ".kubelint-gpu.yaml").write_text("context: beside.yaml\n")
    (folder / "accepted.json").write_text('{"version": 1, "findings": []}\n')
    (folder / "hard-link.yaml").hardlink_to(folder / "tracker.yaml")
    (folder / "link.yaml").symlink_to("tracker.yaml")
    return ["check", "tracker.yaml", "-i", "nodes.yaml", "--add-node", "added.yaml", "--against", "before"]


@pytest.mark.parametrize(
    "name",
    [
        "tracker.yaml",
        "hard-link.yaml",
        "link.yaml",
        "nodes.yaml",
        "added.yaml",
        ".kubelint-gpu.yaml",
        "beside.yaml",
        "before/tracker.yaml",
        "accepted.json",
        "new.json",
    ],
)
def test_a_report_does_not_take_the_place_of_what_it_is_about(name, tmp_path):
    given = read_by_a_run(tmp_path)
    baseline = {"accepted.json": ["--baseline", name], "new.json": ["--write-baseline", name]}.get(name, [])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ran = kubelint(*given, *baseline, "--output-format", "json", "--output-file", f"./{name}", cwd=tmp_path)
    assert ran.code == 2, ran.err
    assert "write the report to another file" in ran.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_two_reports_are_two_files(tmp_path):
    given = read_by_a_run(tmp_path)
    ran = kubelint(
        *given,
        *("--output-format", "json", "--output-file", "report"),
        *("--output-format", "sarif", "--output-file", "./report"),
        cwd=tmp_path,
    )
    assert ran.code == 2
    assert "two formats go to the same place" in ran.err
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("name", ["json", "gitlab", "sarif"])
def test_the_report_of_an_earlier_run_may_be_replaced(name, tmp_path):
    """It stands in the folder that is checked, and its name ends as that of manifests does."""
    (tmp_path / "tracker.yaml").write_bytes((ROOT / "examples" / "tracker" / "tracker.yaml").read_bytes())
    given = ["check", ".", "--output-format", name, "--output-file", "report.json"]
    for _ in range(2):
        ran = kubelint(*given, cwd=tmp_path)
        assert (ran.code, ran.err) == (0, "")
    (tmp_path / "report.json").write_text('{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}}')
    assert kubelint(*given, cwd=tmp_path).code == 2
