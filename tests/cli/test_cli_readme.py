"""What the README and the examples show is what the program prints."""

from __future__ import annotations

import re

from command_line import ROOT, kubelint

COMMAND = ("check", "examples/tracker/tracker.yaml", "--inventory", "examples/tracker/nodes.yaml")


def _between(text, marker, fence):
    found = re.search(rf"<!-- {marker} -->\n```{fence}\n(.*?)```", text, re.DOTALL)
    assert found is not None, marker
    return found


def _compared(path, old, new, update):
    if update and old != new:
        path.write_text(new)
    assert new == (new if update else old)


def test_the_example_prints_what_its_folder_says(request):
    path = ROOT / "examples" / "tracker" / "output.txt"
    out = kubelint(*COMMAND, env={"COLUMNS": "100"}).out
    _compared(path, path.read_text() if path.exists() else "", out, request.config.getoption("--update"))


def test_the_readme_shows_the_real_output(request):
    path = ROOT / "README.md"
    text = path.read_text()
    found = _between(text, "output: tracker", "console")
    shown = kubelint(*COMMAND, "--select", "KLG101", env={"COLUMNS": "100"}).out
    body = f"$ kubelint-gpu {' '.join(COMMAND)} --select KLG101\n{shown}"
    new = text[: found.start(1)] + body + text[found.end(1) :]
    _compared(path, text, new, request.config.getoption("--update"))


def test_the_page_about_explain_shows_a_real_explanation(request):
    path = ROOT / "docs" / "explain.md"
    text = path.read_text()
    command = ("explain", "deployment/object-tracker", *COMMAND[1:])
    found = _between(text, "output: explain", "console")
    body = f"$ kubelint-gpu {' '.join(command)}\n{kubelint(*command, env={'COLUMNS': '100'}).out}"
    new = text[: found.start(1)] + body + text[found.end(1) :]
    _compared(path, text, new, request.config.getoption("--update"))


def test_the_readme_is_a_landing_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


def test_the_readmes_set_up_commands_are_marked_and_are_one_line_each():
    text = (ROOT / "README.md").read_text()
    assert _between(text, "command: example", "sh")[1] == "./try\n"
    assert _between(text, "command: tests", "sh")[1] == "./test\n"
    assert f"kubelint-gpu {' '.join(COMMAND)}" in " ".join(text.split())


def test_try_runs_the_example_of_the_readme():
    assert f"set -- {' '.join(COMMAND)}\n" in (ROOT / "try").read_text()
