"""Options, exit codes, and the same bytes whatever the surroundings."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from command_line import COMMAND, ROOT, TRACKER, check_json, kubelint

BOTH = ("check", "examples/tracker/tracker.yaml", "-i", "examples/tracker/nodes.yaml")


def test_without_an_inventory_a_risky_rollout_is_a_note_and_the_run_passes():
    ran = kubelint("check", "examples/tracker/tracker.yaml", "--output-format", "json")
    assert (ran.codes, ran.code) == (["KLG114", "KLG118"], 0)
    assert {found["severity"] for found in ran.json["findings"]} == {"note"}


@pytest.mark.parametrize(
    "env",
    [{"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Asia/Tokyo"}, {"PYTHONHASHSEED": "2", "LANG": "tr_TR.UTF-8"}],
)
def test_the_same_input_gives_the_same_bytes(env, tmp_path):
    paths = ("examples/tracker/tracker.yaml", "examples/tracker/fixed.yaml")

    def reports(*ordered, **more):
        """The bytes of one run in several formats."""
        files = {form: tmp_path / form for form in ("text", "sarif", "github")}
        rest = [word for form, file in files.items() for word in ("--output-format", form, "--output-file", file)]
        assert kubelint("check", *ordered, "-i", "examples/tracker/nodes.yaml", *rest, **more).code == 1
        return [file.read_bytes() for file in files.values()]

    plain = reports(*paths)
    assert all(plain)
    assert reports(*paths, env=env) == plain
    assert reports(*reversed(paths), env=env) == plain


def test_paths_are_relative_to_the_working_directory():
    findings = check_json("tracker.yaml", "-i", "nodes.yaml", cwd=TRACKER).json["findings"]
    assert {found["path"] for found in findings} == {"tracker.yaml"}


def test_statistics_count_the_rules():
    out = kubelint(*BOTH, "--statistics").out
    assert "KLG101" in out
    assert "rollout-deadlock" in out


def test_statistics_leave_report_files_alone(tmp_path):
    ran = kubelint(*BOTH, "--statistics", "--output-format", "sarif", "--output-file", tmp_path / "out.sarif")
    assert "KLG101" in ran.out
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"]


@pytest.mark.parametrize("what", ["KLG101", "klg101", "rollout-deadlock"])
def test_a_rules_page_is_found_by_code_and_name(what):
    ran = kubelint("explain", what)
    assert ran.code == 0
    assert ran.out.startswith("# ")
    assert "KLG101" in ran.out


def test_an_unknown_rule_is_a_usage_error():
    ran = kubelint("explain", "KLG999")
    assert ran.code == 2
    assert "there is no rule" in ran.err


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("klg-101", "KLG101"),
        ("KGL101", "KLG101"),
        ("9", "KLG009"),
        ("rolout_deadlock", "rollout-deadlock"),
        ("KLG999", ""),
        ("KLG199", ""),
        ("pod", ""),
    ],
)
def test_a_rule_is_suggested_only_where_one_was_meant(written, meant):
    for ran in (kubelint("explain", written), kubelint("check", "examples/tracker", "--select", written)):
        assert ran.code == 2
        assert ("did you mean" in ran.err) == bool(meant)
        assert meant in ran.err


def test_a_page_is_laid_out_for_a_terminal_and_markdown_elsewhere():
    assert kubelint("explain", "KLG101").out.startswith("# KLG101")
    assert kubelint("explain", "KLG101", "--color", "always").out.startswith("\x1b[1mKLG101")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_in_a_terminal_rules_fit_its_width():
    import pty

    main, other = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    with subprocess.Popen([str(COMMAND), "rules"], stdout=other, env=environment) as running:
        os.close(other)
        out = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            out += part
    os.close(main)
    assert running.returncode == 0
    lines = out.decode().splitlines()
    assert "KLG101  error    rollout-deadlock  (fix: safe)" in lines
    assert max(map(len, lines)) <= 80


def test_the_version_names_the_parser():
    out = kubelint("--version").out
    assert out.startswith("kubelint-gpu 0.")
    assert "libyaml" in out or "pure Python" in out


def test_python_m_is_the_same_program():
    found = subprocess.run(
        [sys.executable, "-P", "-m", "kubelint_gpu", "rules"]
        if sys.version_info >= (3, 11)
        else [sys.executable, "-m", "kubelint_gpu", "rules"],
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    assert found.stdout.decode() == kubelint("rules").out


@pytest.mark.parametrize("option", ["--statistics", "--diff"])
def test_what_prints_text_is_no_other_format(option):
    ran = kubelint(*BOTH, option, "--output-format", "json")
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} prints text" in ran.err


def test_a_run_that_failed_says_so_in_every_place(tmp_path):
    assert json.loads(kubelint("check", "nope.yaml", "--output-format", "json", cwd=tmp_path).out)["failed"]
    assert 'errors="1"' in kubelint("check", "nope.yaml", "--output-format", "junit", cwd=tmp_path).out
    file = tmp_path / "out.sarif"
    ran = kubelint(BOTH[0], BOTH[1], "-i", "nope.yaml", "--output-format", "sarif", "--output-file", file)
    assert ran.code == 2
    assert "the run failed" in ran.err
