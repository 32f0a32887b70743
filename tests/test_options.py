"""Options whose help is written as it is shown."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from kubelint_gpu.options import HELP, PATH, option


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


def test_what_is_there_and_what_is_not_is_a_path_and_a_shell_completes_files(tmp_path):
    found = [PATH.convert(str(path), None, None) for path in (tmp_path, tmp_path / "none", "-")]
    assert found == [str(tmp_path), str(tmp_path / "none"), "-"]
    context = click.Context(click.Command("x"))
    assert [one.type for one in PATH.shell_complete(context, click.Argument(["x"]), "a")] == ["file"]


def test_of_a_path_that_cannot_be_read_click_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(click.BadParameter, match="is not readable"):
        PATH.convert(str(tmp_path), None, None)
