"""Helm for the tests of this folder; says at the end of a run where its answers were replayed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import warm
from helm_recordings import installed, script
from helm_runs import Ran

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "helm"
MAJORS = ("helm", pytest.param("helm4", marks=pytest.mark.thorough))


@pytest.fixture(scope="session", params=MAJORS)
def helm(request, tmp_path_factory):
    """A helm of each major version that is installed; without any, the recordings."""
    real = {Path(path).name: path for path in installed()}
    if os.environ.get("CI") and request.param not in real:
        pytest.fail(f"{request.param} is not installed: run .ci/tools")
    if request.param not in real and (real or request.param != "helm"):
        pytest.skip(f"{request.param} is not installed")
    update = request.config.getoption("--update") and request.param == "helm"
    path = tmp_path_factory.mktemp("program") / "helm"
    return str(script(path, real.get(request.param), update=update))


@pytest.fixture
def check(helm):
    def run(cwd, *arguments, helm=helm, env=None, given=""):
        command = ["check", *map(str, arguments), *(["--helm", helm] if helm else [])]
        command += [] if {"--output-format", "--fix", "--diff"} & set(arguments) else ["--output-format", "json"]
        environment = {**os.environ, **(env or {})}
        return Ran(warm.run(command, cwd=cwd, environment=environment, given=given.encode()))

    return run


@pytest.fixture
def tree(tmp_path):
    """Writes the files of a repository."""

    def write(files):
        (tmp_path / ".git").mkdir(exist_ok=True)
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.fixture
def example(tmp_path):
    """A copy of the example, a repository of its own."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    (tmp_path / "example" / ".git").mkdir()
    return tmp_path / "example"


def pytest_terminal_summary(terminalreporter):
    if not installed():
        terminalreporter.line("helm: none is installed, its recorded answers were replayed")
