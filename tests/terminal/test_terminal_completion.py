"""Completion by the shell, typed into a real one."""

from __future__ import annotations

import re
import subprocess

import pytest
from screen import BESIDE

SOURCE = 'eval "$(_KUBELINT_GPU_COMPLETE=bash_source kubelint-gpu)"'


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell):
    ran = subprocess.run(
        [BESIDE / "kubelint-gpu"],
        env={"_KUBELINT_GPU_COMPLETE": f"{shell}_source", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_kubelint_gpu_completion" in ran.stdout
    assert f"_KUBELINT_GPU_COMPLETE={shell}_complete" in ran.stdout


def typed(screen, begun, expected):
    screen.type("-l", begun)
    screen.type("Tab")
    text = screen.wait(lambda text: expected.rstrip() in text)
    screen.type("C-c")
    screen.wait(lambda text: re.search(r"\^C\n\S*[#$] *\n*\Z", text))
    return re.sub(r"\s+", " ", text)


def test_bash_completes_commands_options_and_codes(terminal):
    def simulation(screen):
        screen.run(SOURCE)
        return [
            typed(screen, "kubelint-gpu expl", "kubelint-gpu explain "),
            typed(screen, "kubelint-gpu check --min", "kubelint-gpu check --min-severity "),
            typed(screen, "kubelint-gpu check --output-format sa", "--output-format sarif "),
            typed(screen, "kubelint-gpu check --select rollout-may", "--select rollout-may-stick "),
            typed(screen, "kubelint-gpu explain unknown-pri", "explain unknown-priority-class "),
        ]

    commands, options, formats, codes, pages = terminal("completion", 100, simulation)
    assert "kubelint-gpu explain" in commands
    assert "--min-severity" in options
    assert "--output-format sarif" in formats
    assert "--select rollout-may-stick" in codes
    assert "explain unknown-priority-class" in pages


def test_bash_lists_what_a_prefix_may_mean(terminal):
    def simulation(screen):
        screen.run(SOURCE)
        screen.type("-l", "kubelint-gpu check --select KLG10")
        screen.type("Tab", "Tab")
        text = screen.wait(lambda text: "KLG109" in text)
        screen.type("C-c")
        return text

    shown = terminal("completion-list", 100, simulation)
    assert set(re.findall(r"KLG10\d", shown)) == {f"KLG10{number}" for number in range(1, 10)}
