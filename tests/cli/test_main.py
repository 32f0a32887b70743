"""What becomes of a command line that fails, whatever the command is."""

from __future__ import annotations

import pytest

from kubelint_gpu.cli.main import invoke


@pytest.mark.parametrize("arguments", [["check", "--no-such-option"], ["no-such-command"], ["explain"]])
def test_an_error_of_usage_is_code_2_and_says_what_is_wrong_on_the_error_stream(arguments, capsys):
    assert invoke(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "rror" in err
    assert "Traceback" not in err


def test_a_command_that_says_what_it_shall_is_code_0(capsys):
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out.startswith("kubelint-gpu")
