"""The options of `check`, in the order of its help."""

from __future__ import annotations

import click
import pytest
from command_line import kubelint
from configured import configure, laid_out

from kubelint_gpu.cli.check_options import check_options


def test_they_stand_in_the_help_from_what_is_checked_to_how_it_looks():
    command = click.command()(check_options(lambda **_: 0))
    names = [one.opts[-1] for one in command.params]
    assert names[:4] == ["--inventory", "--output-format", "--output-file", "--select"]
    assert names[-3:] == ["--executor", "--no-cache", "--color"]
    assert names.index("--without-node") < names.index("--together") < names.index("--kustomize")
    assert len(set(names)) == len(names)


@pytest.fixture
def repository(tmp_path):
    return laid_out(tmp_path)


def test_settings_are_shown_with_where_they_come_from(repository):
    configure(repository, "inventory: cluster.yaml\nignore: [KLG301]\nunits:\n  prod: [deploy/**]\n")
    ran = kubelint("check", "--show-settings", "--select", "KLG1", "--ignore", "KLG2", "--fix", cwd=repository)
    assert ran.code == 0
    lines = [tuple(part.strip() for part in line.rsplit("  # ", 1)) for line in ran.out.splitlines()]
    assert ("inventory: [cluster.yaml]", ".kubelint-gpu.yaml:1") in lines
    assert ("ignore: [KLG2, KLG301]", "--ignore and .kubelint-gpu.yaml:2") in lines
    assert ('units: {prod: ["deploy/**"]}', ".kubelint-gpu.yaml:3") in lines
    assert ("select: [KLG1]", "--select") in lines
    assert ("fix: true", "--fix") in lines
    assert ("diff: false", "default") in lines
    assert "isolated: true" in kubelint("check", "--show-settings", "--isolated", cwd=repository).out


def test_who_asks_for_each_node_is_sent_to_the_command_that_answers():
    ran = kubelint("check", "--without-each-node", ".")
    assert ran.code == 2
    assert "kubelint-gpu capacity" in ran.err
