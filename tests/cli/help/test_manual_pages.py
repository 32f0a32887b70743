"""What the manual says of each command: examples and exit codes."""

from __future__ import annotations

import shlex

import pytest
from command_line import kubelint
from commands_of_the_program import COMMANDS, LEAVES

from kubelint_gpu.cli.help.manual import EXAMPLES, EXITS


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_command_has_examples_that_parse_and_exit_codes(name):
    examples = EXAMPLES[name]
    assert examples
    for _, line in examples:
        words = shlex.split(line.split(" > ")[0].split("|")[-1])
        assert words[0] == "PROGRAM"
        assert words[1 : 1 + len(name.split())] == name.split()
        LEAVES[name].make_context(name, words[1 + len(name.split()) :])
    assert name in EXITS or name in ("rules", "config schema", "inventory schema")


def test_examples_and_exit_codes_are_of_commands_that_exist():
    assert set(EXAMPLES) <= set(COMMANDS)
    assert set(EXITS) <= set(COMMANDS)


def test_the_manual_names_exit_codes_environment_and_files():
    out = kubelint("--help").out
    for word in ("Exit codes:", "130", "NO_COLOR", "FORCE_COLOR", ".kubelint-gpu.yaml", "Examples:"):
        assert word in out
