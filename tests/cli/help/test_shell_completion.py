"""Arguments that are files."""

from __future__ import annotations

import click
import pytest

from kubelint_gpu.cli.help.shell_completion import PATH


def test_what_is_there_and_what_is_not_is_a_path_and_a_shell_completes_files(tmp_path):
    found = [PATH.convert(str(path), None, None) for path in (tmp_path, tmp_path / "none", "-")]
    assert found == [str(tmp_path), str(tmp_path / "none"), "-"]
    context = click.Context(click.Command("x"))
    assert [one.type for one in PATH.shell_complete(context, click.Argument(["x"]), "a")] == ["file"]


def test_of_a_path_that_cannot_be_read_click_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(click.BadParameter, match="is not readable"):
        PATH.convert(str(tmp_path), None, None)
