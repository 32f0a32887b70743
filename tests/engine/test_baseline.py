"""--baseline and --write-baseline: what is accepted for now is counted and not reported."""

from __future__ import annotations

import json

import pytest
from command_line import TRACKER, check_json, kubelint

DEADLOCK = (TRACKER / "tracker.yaml").read_text()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "deploy").mkdir()
    (tmp_path / "cluster.yaml").write_text((TRACKER / "nodes.yaml").read_text())
    (tmp_path / "deploy" / "tracker.yaml").write_text(DEADLOCK)
    return tmp_path


def check(project, *options, cwd=None, paths=("deploy",)):
    return check_json(*paths, "-i", "cluster.yaml", "--unit", "file", *options, cwd=cwd or project)


def entries(project, name="baseline.json"):
    return json.loads((project / name).read_text())["findings"]


def test_what_is_written_down_is_not_reported_any_more_and_is_counted(project):
    before = check(project)
    assert before.code == 1
    count = len(before.codes)
    written = check(project, "--write-baseline", "baseline.json")
    assert (written.code, written.codes, written.json["summary"]["baseline"]) == (0, [], count)
    named = "1 error among them: KLG101 Deployment vision/object-tracker"
    assert f"{count} findings written down, {named}\n" in written.err
    again = check(project, "--baseline", "baseline.json")
    assert (again.code, again.codes, again.json["summary"]["baseline"], again.err) == (0, [], count, "")
    text = kubelint("check", "deploy", "-i", "cluster.yaml", "--baseline", "baseline.json", cwd=project)
    assert f"nothing new ({count} in the baseline)" in text.out


def test_three_of_many_accepted_errors_are_named(project):
    for name in "abcd":
        (project / "deploy" / f"{name}.yaml").write_text(DEADLOCK.replace("object-tracker", name))
    assert "5 errors among them: KLG101 Deployment vision/a, " in (
        told := check(project, "--write-baseline", "b.json", "--unit", "file").err
    )
    assert told.endswith(", KLG101 Deployment vision/c, and there are 2 more errors\n")


def test_the_file_is_sorted_one_finding_a_line_and_always_the_same(project):
    (project / "deploy" / "a.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    check(project, "--write-baseline", "baseline.json")
    text = (project / "baseline.json").read_text()
    lines = [line for line in text.splitlines() if '"path"' in line]
    assert lines == sorted(lines)
    assert {entry["path"] for entry in entries(project)} == {"deploy/a.yaml", "deploy/tracker.yaml"}
    check(project, "--write-baseline", "baseline.json", paths=("deploy/tracker.yaml", "deploy/a.yaml"))
    assert (project / "baseline.json").read_text() == text


def test_moved_lines_are_found_again_and_new_findings_are_reported(project):
    check(project, "--write-baseline", "baseline.json")
    (project / "deploy" / "tracker.yaml").write_text("# moved\n\n" + DEADLOCK)
    assert check(project, "--baseline", "baseline.json").codes == []
    (project / "deploy" / "new.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    found = check(project, "--baseline", "baseline.json")
    assert found.code == 1
    assert {finding["path"] for finding in found.json["findings"]} == {"deploy/new.yaml"}


def test_it_does_not_matter_where_the_command_is_run(project):
    check(project, "--write-baseline", "baseline.json")
    found = check_json(
        project / "deploy" / "tracker.yaml",
        "-i",
        project / "cluster.yaml",
        "--baseline",
        project / "baseline.json",
        cwd=project / "deploy",
    )
    assert (found.codes, found.code) == ([], 0)


def test_entries_that_no_longer_occur_are_told_in_one_line(project):
    check(project, "--write-baseline", "baseline.json")
    (project / "deploy" / "tracker.yaml").unlink()
    (project / "deploy" / "none.yaml").write_text("{}\n")
    found = check(project, "--baseline", "baseline.json")
    assert len(found.err.splitlines()) == 1
    assert "entries no longer occur (KLG" in found.err
    assert "add --baseline baseline.json --write-baseline baseline.json" in found.err


def test_a_baseline_only_ever_shrinks(project):
    (project / "deploy" / "a.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    check(project, "--write-baseline", "baseline.json")
    first = entries(project)
    (project / "deploy" / "a.yaml").unlink()
    (project / "deploy" / "new.yaml").write_text(DEADLOCK.replace("object-tracker", "new"))
    found = check(project, "--baseline", "baseline.json", "--write-baseline", "baseline.json")
    left = entries(project)
    assert found.code == 1
    assert left == [entry for entry in first if entry["path"] == "deploy/tracker.yaml"]
    assert f"{len(first) - len(left)} dropped, {len(left)} left, none added" in found.err


def test_files_that_were_not_looked_at_keep_their_entries(project):
    (project / "deploy" / "a.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    check(project, "--write-baseline", "baseline.json")
    before = (project / "baseline.json").read_text()
    options = ("--baseline", "baseline.json", "--write-baseline", "baseline.json")
    assert check(project, *options, paths=("deploy/a.yaml",)).code == 0
    assert (project / "baseline.json").read_text() == before
    assert check(project, *options, "--select", "KLG3").code == 0
    assert (project / "baseline.json").read_text() == before


def test_one_line_of_a_base_is_accepted_for_each_overlay_that_renders_it(project):
    (project / ".git").mkdir()
    (project / "deploy" / "kustomization.yaml").write_text("resources: [tracker.yaml]\n")
    for name in "ab":
        (project / "overlays" / name).mkdir(parents=True)
        text = f"namespace: {name}\nresources: [../../deploy]\n"
        (project / "overlays" / name / "kustomization.yaml").write_text(text)
    one, both = ("overlays/a",), ("overlays/a", "overlays/b")
    check(project, "--write-baseline", "both.json", paths=both)
    assert check(project, "--baseline", "both.json", paths=one).codes == []
    check(project, "--write-baseline", "one.json", paths=one)
    found = check(project, "--baseline", "one.json", paths=both)
    assert "KLG101" in found.codes
    assert "no longer" not in found.err


def test_without_baseline_the_file_is_written_anew(project):
    (project / "baseline.json").write_text('{"version": 1, "findings": []}')
    check(project, "--write-baseline", "baseline.json")
    assert entries(project)


def test_what_is_accepted_is_not_fixed(project):
    check(project, "--write-baseline", "baseline.json")
    fixing = ("--fix", "--unsafe-fixes")
    check(project, *fixing, "--baseline", "baseline.json")
    assert (project / "deploy" / "tracker.yaml").read_text() == DEADLOCK
    check(project, *fixing)
    assert (project / "deploy" / "tracker.yaml").read_text() != DEADLOCK


def test_a_failed_run_writes_nothing(project):
    found = check(project, "--write-baseline", "baseline.json", paths=("deploy", "absent.yaml"))
    assert found.code == 2
    assert "is not written: the run failed" in found.err
    assert not (project / "baseline.json").exists()
    assert found.codes


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "baseline.json: it is empty"),
        ("{", "baseline.json:1:"),
        ("[]", "baseline.json:1:1: is no baseline"),
        ('{"findings": []}', "baseline.json:1:2: version must be 1"),
        ('{"version": 2,\n "findings": []}', "baseline.json:1:13: version must be 1"),
        ('{"version": 1,\n "findings": {}}', "baseline.json:2:14: findings must be a list"),
        ('{"version": 1,\n "findings": [\n  {"path": "a"}]}', "baseline.json:3:3: must be a mapping with path, code"),
        (
            '{"version": 1, "findings": [\n {"path": 1, "code": "", "object": "", "fingerprint": ""}]}',
            "baseline.json:2:11: path must be a text",
        ),
        (
            '{"version": 1, "findings": [\n {"path": "", "code": "", "object": "", "fingerprint": "x"}]}',
            "baseline.json:2:56: fingerprint must be 32 hexadecimal digits",
        ),
    ],
)
def test_a_baseline_that_cannot_be_read_says_where(project, text, where):
    (project / "baseline.json").write_text(text)
    found = kubelint("check", "deploy", "--baseline", "baseline.json", cwd=project)
    assert found.code == 2
    assert where in found.err


def test_a_missing_baseline_fails_and_says_how_to_write_one(project):
    found = kubelint("check", "deploy", "--baseline", "absent.json", cwd=project)
    assert (found.code, "absent.json: no such file" in found.err) == (2, True)
    assert "write one with --write-baseline absent.json" in found.err


def test_a_missing_baseline_of_the_configuration_is_written_anew(project):
    (project / ".kubelint-gpu.yaml").write_text("baseline: baseline.json\n")
    assert check(project).code == 2
    check(project, "--write-baseline", "other.json")
    assert not (project / "other.json").exists()
    check(project, "--write-baseline", "baseline.json")
    assert (check(project).code, check(project).codes) == (0, [])


def test_a_missing_baseline_that_may_only_shrink_is_not_written(project):
    check(project, "--baseline", "baseline.json", "--write-baseline", "baseline.json")
    assert not (project / "baseline.json").exists()


def test_with_diff_nothing_is_written(project):
    found = kubelint("check", "deploy", "--diff", "--write-baseline", "baseline.json", cwd=project)
    assert (found.code, (project / "baseline.json").exists()) == (2, False)


def test_a_baseline_of_the_configuration_accepts_what_is_new_and_keeps_files_that_are_not_checked(project):
    check(project, "--write-baseline", "baseline.json")
    (project / ".kubelint-gpu.yaml").write_text("baseline: baseline.json\n")
    (project / "deploy" / "new.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    assert check(project).code == 1
    check(project, "--write-baseline", "baseline.json", paths=("deploy/new.yaml",))
    assert {entry["path"] for entry in entries(project)} == {"deploy/new.yaml", "deploy/tracker.yaml"}
    assert (check(project).code, check(project).codes) == (0, [])


def test_both_files_lie_in_one_folder(project):
    check(project, "--write-baseline", "baseline.json")
    found = check(project, "--baseline", "baseline.json", "--write-baseline", "deploy/baseline.json")
    assert found.code == 2
    assert "same folder" in found.err


def test_a_baseline_that_cannot_be_written_fails(project):
    found = check(project, "--write-baseline", "absent/baseline.json")
    assert found.code == 2
    assert "cannot write absent/baseline.json" in found.err


def test_a_run_that_compares_says_nothing_of_entries_that_the_change_does_not_cause(project):
    check(project, "--write-baseline", "baseline.json")
    (project / "before").mkdir()
    (project / "before" / "tracker.yaml").write_text(DEADLOCK)
    (project / "deploy" / "tracker.yaml").write_text(
        DEADLOCK.replace("metadata:\n", "metadata:\n  annotations: {a: b}\n", 1)
    )
    compared = check(project, "--baseline", "baseline.json", "--against", "before/tracker.yaml")
    assert "KLG101" not in compared.codes
    assert "no longer occur" not in compared.err
    (project / "deploy" / "tracker.yaml").unlink()
    (project / "deploy" / "other.yaml").write_text(DEADLOCK.replace("object-tracker", "other"))
    gone = check(project, "--baseline", "baseline.json", "--against", "before/tracker.yaml")
    assert "no longer occur" in gone.err
