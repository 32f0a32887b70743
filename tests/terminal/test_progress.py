"""The text report in a real terminal: its width, its colours, and the line that says how far it is."""

from __future__ import annotations

import re
import subprocess
import time
from io import StringIO

import pytest
from screen import BESIDE, ROOT

from kubelint_gpu.workspace.project import progress

CHECK = "kubelint-gpu check examples/tracker/tracker.yaml -i examples/tracker/nodes.yaml --select KLG101"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def piped(width):
    """The report as a pipe gets it, for the same width."""
    ran = subprocess.run(
        [BESIDE / "kubelint-gpu", *CHECK.split()[1:]],
        cwd=ROOT,
        env={"COLUMNS": str(width), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout


@pytest.mark.parametrize("width", [60, 80, 132])
def test_the_report_fits_the_terminal(terminal, width):
    seen = terminal(f"width-{width}", width, lambda screen: ESCAPE.sub("", screen.run(CHECK)))
    lines = [line.rstrip() for line in seen.rstrip().splitlines()]
    assert lines == piped(width).rstrip().splitlines()
    assert [line.strip()[:8] for line in lines if len(line) > width] in ([], ["= rule: "])


@pytest.mark.parametrize(
    ("name", "before", "after", "coloured"),
    [
        ("terminal", "", "", True),
        ("no-color", "NO_COLOR=1 ", "", False),
        ("empty-no-color", "NO_COLOR= ", "", True),
        ("force-color", "FORCE_COLOR=1 ", " | cat", True),
        ("pipe", "", " | cat", False),
        ("no-color-before-force-color", "NO_COLOR=1 FORCE_COLOR=1 ", "", False),
        ("flag-before-no-color", "NO_COLOR=1 ", " --color always", True),
        ("flag-before-force-color", "FORCE_COLOR=1 ", " --color never", False),
    ],
)
def test_colours_obey_the_flag_then_no_color_then_force_color_then_the_terminal(
    terminal, name, before, after, coloured
):
    seen = terminal(f"color-{name}", 100, lambda screen: screen.run(f"{before}{CHECK}{after}"))
    assert "error" in seen
    assert bool(ESCAPE.search(seen)) is coloured
    if coloured:
        assert re.search(r"\x1b\[(?:1m\x1b\[31m|1;31m|31;1m)error\[KLG101\]", seen), repr(seen[:200])


@pytest.fixture
def many(tmp_path):
    """Enough manifests for a run that takes a while."""
    text = (ROOT / "examples" / "tracker" / "tracker.yaml").read_text()
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number:04}.yaml").write_text(text.replace("object-tracker", f"tracker-{number}"))
    return folder


def watching(screen, command):
    """The lines of progress that come and go while a command runs, and what is left of them."""
    screen.type("-l", f"clear; {command}; echo over-$(( 1 ))")
    screen.type("Enter")
    lines = set()
    end = time.monotonic() + 120
    while not re.search(r"^over-1$", text := screen.look(), re.MULTILINE):
        lines |= set(re.findall(r"^(reading|checking) \d+ of 40\d\b", text, re.MULTILINE))
        assert time.monotonic() < end, text
        time.sleep(0.02)
    return {"seen": sorted(lines), "left": text[: text.index("over-1")].strip()}


def test_a_long_run_says_how_far_it_is_and_leaves_nothing_behind(terminal, many):
    command = f"kubelint-gpu check {many} -i examples/tracker/nodes.yaml --output-file {many}.txt"
    found = terminal("progress", 80, lambda screen: watching(screen, command))
    assert "checking" in found["seen"]
    assert found["left"] == ""


def test_a_hook_shows_no_progress_though_it_may_have_a_terminal(terminal, many):
    command = f"PRE_COMMIT=1 kubelint-gpu check {many} -i examples/tracker/nodes.yaml --output-file {many}.txt"
    assert terminal("progress-hook", 80, lambda screen: watching(screen, command)) == {"seen": [], "left": ""}


class Terminal(StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def out(monkeypatch):
    """What stands for standard error, a terminal of 40 columns."""
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    return Terminal()


def told(out, *names, **often):
    with progress.progress("reading", len(names), out, **often) as tell:
        for number, name in enumerate(names, 1):
            tell(number, name)
    return out.getvalue()


def test_a_quick_run_shows_no_progress(out):
    assert told(out, "a", "b", "c") == ""


def test_the_line_of_progress_fits_and_cannot_steer_the_terminal(out):
    shown = told(
        out, "deploy/" + "long/" * 30 + "name.yaml", "wide/" + "検" * 60, "\x1b[31mred\r\n", "", after=0, every=0
    )
    first, second, third, fourth, last = shown.split("\r\x1b[2K")[1:]
    assert first.startswith("reading 1 of 4: ")
    assert first.endswith("/name.yaml")
    assert len(first) == 39
    assert len(second) == len("reading 2 of 4: ") + 11
    assert third == "reading 3 of 4: \\x1b[31mred\\r\\n"
    assert fourth == "reading 4 of 4"
    assert last == ""


def test_a_hook_or_a_dumb_terminal_shows_no_progress(out, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert told(out, "a", after=0) == ""
    monkeypatch.delenv("PRE_COMMIT")
    monkeypatch.setenv("TERM", "dumb")
    assert told(out, "a", after=0) == ""
    assert not progress.shown(StringIO())
