""".kubelint-gpu.yaml: where it is found, what it says, and what it may not say."""

from __future__ import annotations

import pytest
from command_line import TRACKER, check_json, kubelint
from configured import configure, laid_out


@pytest.fixture
def repository(tmp_path):
    return laid_out(tmp_path)


def test_the_nearest_configuration_upward_names_the_inventory(repository):
    configure(repository, "inventory: cluster.yaml\n")
    assert check_json("tracker.yaml", cwd=repository / "deploy" / "prod").codes == ["KLG101", "KLG301"]


def test_isolated_reads_none(repository):
    configure(repository, "inventory: cluster.yaml\n")
    assert check_json("deploy", "--isolated", cwd=repository).codes == ["KLG114"]


def test_a_configuration_above_that_is_not_read_is_named_without_git(repository):
    configure(repository, "inventory: cluster.yaml\n")
    inner = repository / "deploy" / "prod"
    assert kubelint("check", "tracker.yaml", cwd=inner).err == ""
    (repository / ".git").rmdir()
    ran = kubelint("check", "tracker.yaml", cwd=inner)
    above = "../../.kubelint-gpu.yaml"
    assert f"kubelint-gpu: {above}: is not read: outside of git only this directory is searched" in ran.err
    assert f"give it with --config {above}" in ran.err
    assert kubelint("check", "--isolated", "tracker.yaml", cwd=inner).err == ""
    assert check_json("tracker.yaml", "--config", above, cwd=inner).codes == ["KLG101", "KLG301"]


def test_no_configuration_outside_of_the_repository_is_read(repository):
    configure(repository, "inventory: cluster.yaml\n")
    inner = repository / "deploy" / "prod"
    (inner / ".git").mkdir()
    assert check_json("tracker.yaml", cwd=inner).codes == ["KLG114"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("ignore: [KLG301]", ["KLG101"]),
        ("select: rollout-deadlock", ["KLG101"]),
        ("severity: {KLG301: off}", ["KLG101"]),
        ("per-path: {deploy/**: {ignore: [KLG301], reason: no priorities yet}}", ["KLG101"]),
        ("per-path: {elsewhere/**: {ignore: [KLG301], reason: a}}", ["KLG101", "KLG301"]),
        ("per-path: {deploy/**: {ignore: [KLG3], reason: a, until: 2999-12-31}}", ["KLG101"]),
        ("per-path: {deploy/**: {ignore: KLG301}}", ["KLG005", "KLG101"]),
        ("per-path: {deploy/**: {ignore: KLG301, reason: a, until: 2020-02-29}}", ["KLG005", "KLG101", "KLG301"]),
    ],
)
def test_rules_are_switched(repository, text, codes):
    configure(repository, f"inventory: cluster.yaml\n{text}\n")
    assert check_json("deploy", cwd=repository).codes == codes


def test_a_suppression_of_the_configuration_that_is_over_is_reported_where_it_stands(repository):
    entry = "  deploy/**:\n    ignore: [KLG301]\n    reason: no priorities yet\n    until: 2020-02-29\n"
    configure(repository, f"inventory: cluster.yaml\nper-path:\n{entry}")
    found = next(one for one in check_json("deploy", cwd=repository).json["findings"] if one["code"] == "KLG005")
    assert (found["path"], found["line"], found["column"], found["severity"]) == (".kubelint-gpu.yaml", 3, 3, "warning")
    assert found["message"] == 'the suppression of KLG301 for "deploy/**" ended on 2020-02-29'
    assert "3 |   deploy/**:" in kubelint("check", "deploy", cwd=repository, env={"LC_ALL": "C", "PYTHONUTF8": "0"}).out
    only_a_manifest = check_json("deploy/prod/tracker.yaml", cwd=repository)
    assert only_a_manifest.codes == ["KLG101", "KLG301"]


def test_severities_are_changed(repository):
    configure(repository, "inventory: cluster.yaml\nseverity: {KLG101: note, missing-priority-class: note}\n")
    ran = check_json("deploy", cwd=repository)
    assert {finding["severity"] for finding in ran.json["findings"]} == {"note"}
    assert ran.code == 0


def test_the_command_line_comes_before_the_configuration(repository):
    configure(repository, "inventory: nowhere.yaml\nselect: KLG3\n")
    ran = check_json("deploy", "-i", "cluster.yaml", "--select", "KLG1", cwd=repository)
    assert ran.codes == ["KLG101"]


def test_files_of_a_unit_are_applied_together(repository):
    other = (TRACKER / "tracker.yaml").read_text().replace("object-tracker", "second-tracker")
    (repository / "deploy" / "prod" / "second.yaml").write_text(other)
    configure(repository, "inventory: cluster.yaml\nselect: KLG1\n")
    assert check_json("deploy", "--unit", "file", cwd=repository).codes == ["KLG101", "KLG101"]
    configure(repository, "inventory: cluster.yaml\nselect: KLG1\nunits: {prod: [deploy/prod/**]}\n")
    assert "KLG109" in check_json("deploy", "--unit", "file", cwd=repository).codes


@pytest.mark.parametrize("key", ["inventory: {}", "baseline: {}", "targets: {{'**': {}}}"])
@pytest.mark.parametrize("path", ["../outside.yaml", "/etc/passwd", "link.yaml", "a/../../outside.yaml"])
def test_no_file_outside_of_the_repository_is_read_for_a_configuration(repository, key, path):
    (repository.parent / "outside.yaml").write_text((TRACKER / "nodes.yaml").read_text())
    (repository / "link.yaml").symlink_to(repository.parent / "outside.yaml")
    configure(repository, key.format(path) + "\n")
    ran = kubelint("check", "deploy", cwd=repository)
    assert ran.code == 2
    assert "kubelint-gpu.yaml:1:" in ran.err
    assert "is not a path within the repository" in ran.err


def test_the_baseline_of_the_configuration_counts(repository):
    configure(repository, "inventory: cluster.yaml\n")
    kubelint("check", "deploy", "--write-baseline", "accepted.json", cwd=repository)
    configure(repository, "inventory: cluster.yaml\nbaseline: accepted.json\n")
    assert check_json("deploy", cwd=repository).codes == []


def test_a_list_of_a_target_names_several_clusters_and_files_name_one(repository):
    (repository / "large.yaml").write_text(
        (TRACKER / "nodes.yaml").read_text().replace("nvidia.com/gpu: '1'", "nvidia.com/gpu: '8'")
    )
    configure(repository, "select: KLG1\ntargets: {'**': [cluster.yaml, large.yaml]}\n")
    (found,) = check_json("deploy", cwd=repository).json["findings"]
    assert (found["code"], "declared twice" in found["message"]) == ("KLG101", False)
    configure(repository, "select: [KLG1, KLG6]\ntargets: {'**': {files: [cluster.yaml, large.yaml]}}\n")
    assert "declared twice" in " ".join(one["message"] for one in check_json("deploy", cwd=repository).json["findings"])
    configure(repository, "targets: {'**': {file: cluster.yaml}}\n")
    assert "file" in kubelint("check", "deploy", cwd=repository).err
