"""Where reports go, and in which colours."""

from __future__ import annotations

from command_line import kubelint

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
