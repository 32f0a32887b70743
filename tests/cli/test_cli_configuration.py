""".kubelint-gpu.yaml: where it is found, what it says, and what it may not say."""

from __future__ import annotations

import pytest
from command_line import TRACKER, check_json, kubelint


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy" / "prod").mkdir(parents=True)
    (tmp_path / "cluster.yaml").write_text((TRACKER / "nodes.yaml").read_text())
    (tmp_path / "deploy" / "prod" / "tracker.yaml").write_text((TRACKER / "tracker.yaml").read_text())
    return tmp_path


def configure(repository, text):
    (repository / ".kubelint-gpu.yaml").write_text(text)


def test_the_nearest_configuration_upward_names_the_inventory(repository):
    configure(repository, "inventory: cluster.yaml\n")
    assert check_json("tracker.yaml", cwd=repository / "deploy" / "prod").codes == ["KLG101", "KLG301"]


def test_isolated_reads_none(repository):
    configure(repository, "inventory: cluster.yaml\n")
    assert check_json("deploy", "--isolated", cwd=repository).codes == ["KLG114"]


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
        ("per-path: {elsewhere/**: {ignore: [KLG301]}}", ["KLG101", "KLG301"]),
    ],
)
def test_rules_are_switched(repository, text, codes):
    configure(repository, f"inventory: cluster.yaml\n{text}\n")
    assert check_json("deploy", cwd=repository).codes == codes


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
    assert check_json("deploy", cwd=repository).codes == ["KLG101", "KLG101"]
    configure(repository, "inventory: cluster.yaml\nselect: KLG1\nunits: {prod: [deploy/prod/**]}\n")
    assert "KLG109" in check_json("deploy", cwd=repository).codes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inventroy: a.yaml", 'kubelint-gpu.yaml:1:1: unknown key "inventroy"; did you mean inventory?'),
        ("- a", "must be a mapping"),
        ("inventory: {a: b}", "must be a text or a list of texts"),
        ("severity: {KLG101: loud}", "must be one of error, warning, note, off"),
        ("a: [", "kubelint-gpu.yaml:"),
        ("ignore: [KLG999]", 'there is no rule "KLG999"'),
        ("per-path: {a: {ignore: KLG101, why: b}}", 'unknown key "why"'),
    ],
)
def test_what_it_may_not_say_fails_the_run_with_a_place(repository, text, said):
    configure(repository, text + "\n")
    ran = kubelint("check", "deploy", cwd=repository)
    assert ran.code == 2
    assert said in ran.err
