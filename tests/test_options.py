"""Options whose help is written as it is shown."""

from __future__ import annotations

import click
from click.testing import CliRunner

from kubelint_gpu.options import HELP, option


def test_help_is_shown_as_it_is_written_and_asks_nobody_to_unindent_it(monkeypatch):
    monkeypatch.setattr("inspect.cleandoc", None)

    @click.command(params=[HELP], add_help_option=False)
    @option("--one", help="What one does.")
    def command(one: str | None) -> None:
        """Nothing."""

    command.help = None
    ran = CliRunner().invoke(command, ["-h"])
    assert ran.exit_code == 0
    assert "--one TEXT  What one does." in ran.output
    assert "-h, --help  Show this message and exit." in ran.output
