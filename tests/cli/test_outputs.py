"""Where reports go, and in which colours."""

from __future__ import annotations

import pytest
from command_line import kubelint

from kubelint_gpu.cli.outputs import as_started

BOTH = ("check", "examples/tracker/tracker.yaml", "-i", "examples/tracker/nodes.yaml")


def test_two_reports_for_one_place_are_refused():
    ran = kubelint(*BOTH, "--output-format", "text", "--output-format", "json")
    assert ran.code == 2
    assert "--output-file" in ran.err


def test_an_unwritable_report_fails_the_run(tmp_path):
    ran = kubelint(*BOTH, "--output-format", "json", "--output-file", tmp_path / "no" / "such")
    assert ran.code == 2
    assert "cannot write" in ran.err


def test_color_follows_flag_then_environment():
    assert "\x1b[" not in kubelint(*BOTH).out
    assert "\x1b[" in kubelint(*BOTH, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in kubelint(*BOTH, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    assert "\x1b[" in kubelint(*BOTH, "--color", "always", env={"NO_COLOR": "1"}).out


@pytest.mark.parametrize(
    ("given", "manager", "expected"),
    [
        (["check", "a b.yaml"], "", ""),
        (
            ["check", "--hook", "-i", "my cluster.yaml", "a b.yaml"],
            "",
            "kubelint-gpu check --hook -i 'my cluster.yaml'",
        ),
        (["check", "--hook", "a b.yaml"], "1", "~/.cache/env/bin/kubelint-gpu check --hook"),
    ],
)
def test_the_command_of_a_hook_is_shown_as_it_can_be_pasted(monkeypatch, tmp_path, given, manager, expected):
    """A manager of hooks has the program in a folder of its own, which is named; the files are left out."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.argv", [str(tmp_path / ".cache" / "env" / "bin" / "kubelint-gpu"), *given])
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    if manager:
        monkeypatch.setenv("PRE_COMMIT", manager)
    assert as_started(("a b.yaml",)) == expected
