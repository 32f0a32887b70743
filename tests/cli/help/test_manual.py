"""`--help` is a manual: 80 columns, options in sections, examples that parse, exit codes."""

from __future__ import annotations

import click
import pytest
from command_line import kubelint
from commands_of_the_program import COMMANDS, LEAVES

from kubelint_gpu.cli.help.manual import OTHERS, ManualCommand, sectioned


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_fits_in_80_columns_and_says_what_it_is_for(name):
    ran = kubelint(*name.split(), "--help", env={"COLUMNS": "200"})
    assert ran.code == 0
    assert ran.err == ""
    assert max(map(len, ran.out.splitlines())) <= 80
    assert ran.out.startswith(f"Usage: kubelint-gpu {name}".rstrip())


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_option_stands_in_a_section(name):
    assert isinstance(LEAVES[name], ManualCommand)
    ctx = click.Context(LEAVES[name])
    others = dict(sectioned(LEAVES[name].get_params(ctx)))[OTHERS]
    assert ["--help" in one.opts for one in others] == [True]


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_option_says_what_it_does(name):
    for parameter in LEAVES[name].params:
        if isinstance(parameter, click.Option) and parameter.name != "color":
            assert len(parameter.help or "") > 10, parameter.name


def test_help_says_the_name_by_which_it_was_called(tmp_path):
    """kubectl runs `kubectl-lint_gpu` for `kubectl lint-gpu`."""
    import subprocess

    from command_line import COMMAND

    plugin = tmp_path / "kubectl-lint_gpu"
    plugin.symlink_to(COMMAND)
    ran = subprocess.run([plugin, "check", "--help"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("Usage: kubectl lint-gpu check ")
    assert "$ kubectl lint-gpu check deploy/" in ran.stdout


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["chekc"], 'there is no command "chekc"; did you mean check?'),
        (["inventory", "captrue"], 'there is no command "captrue"; did you mean capture?'),
        (["config", "shema"], 'there is no command "shema"; did you mean schema?'),
        (
            ["examples/README.md"],
            'there is no command "examples/README.md"; to check it: kubelint-gpu check examples/README.md',
        ),
        (
            ["xyz"],
            'there is no command "xyz"; there are cache, capacity, check, config, drain, explain, init, inventory, lsp, report, rules',
        ),
        (["check", "--invetory", "a"], "--inventory"),
    ],
)
def test_what_was_meant_is_said_of_what_is_mistyped(typed, told):
    ran = kubelint(*typed)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


@pytest.mark.parametrize("name", ["", "inventory", "config"])
def test_no_description_of_a_command_is_cut(name):
    assert "..." not in kubelint(*name.split(), "--help").out.partition("Commands:")[2].partition("\n\n")[0]
