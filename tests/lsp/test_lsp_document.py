"""What docs/editors.md tells people to copy can be copied."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest
from editor import COMMAND, ROOT

TEXT = (ROOT / "docs" / "editors.md").read_text()


def snippet(name):
    return re.search(rf"<!-- snippet: {name} -->\n```\w+\n(.*?)```", TEXT, re.DOTALL)[1]


@pytest.mark.parametrize(("name", "commands"), [("vscode", [["lsp"]]), ("zed", [["lsp"]])])
def test_json_snippets_start_the_command(name, commands):
    value = json.loads(snippet(name))
    found = (
        [value["glspc.server.command"], value["glspc.server.commandArguments"]]
        if name == "vscode"
        else list(value["lsp"]["yaml-language-server"]["binary"].values())
    )
    assert found == ["kubelint-gpu", *commands]


@pytest.mark.parametrize("name", ["neovim-0.11", "neovim-0.7", "helix", "emacs"])
def test_every_other_snippet_names_the_command_and_its_argument(name):
    assert re.search(r'"kubelint-gpu".*?"lsp"', snippet(name), re.DOTALL)


def test_the_command_takes_what_editors_add():
    ran = subprocess.run([COMMAND, "lsp", "--stdio", "--help"], capture_output=True, text=True, check=True)
    assert "Language Server Protocol" in ran.stdout


@pytest.mark.parametrize("name", ["neovim-0.11", "neovim-0.7"])
def test_neovim_can_read_its_snippets(name, tmp_path):
    assert snippet(name).count("(") == snippet(name).count(")")
    if shutil.which("nvim") is None:
        assert not os.environ.get("CI"), "Neovim is missing: .ci/tools installs it"
        return
    path = tmp_path / "snippet.lua"
    path.write_text(snippet(name))
    ran = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", f"lua assert(loadfile('{path}'))", "-c", "qall!"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stderr == ""
