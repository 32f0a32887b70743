"""The options of `check`, in the order of its help."""

from __future__ import annotations

import click
from command_line import kubelint

from kubelint_gpu.cli.check_options import check_options


def test_they_stand_in_the_help_from_what_is_checked_to_how_it_looks():
    command = click.command()(check_options(lambda **_: 0))
    names = [one.opts[-1] for one in command.params]
    assert names[:4] == ["--inventory", "--output-format", "--output-file", "--select"]
    assert names[-3:] == ["--executor", "--no-cache", "--color"]
    assert names.index("--without-node") < names.index("--together") < names.index("--kustomize")
    assert len(set(names)) == len(names)


def test_who_asks_for_each_node_is_sent_to_the_command_that_answers():
    ran = kubelint("check", "--without-each-node", ".")
    assert ran.code == 2
    assert "kubelint-gpu capacity" in ran.err
