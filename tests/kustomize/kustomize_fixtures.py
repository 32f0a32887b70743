"""The program that renders: the machine's own, or recordings of one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
import warm
from accumulated import BASE
from kustomize_runs import Ran
from recordings import installed, script

from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "kustomize"
COMMAND = Path(sys.executable).parent / "kubelint-gpu"


@pytest.fixture(scope="session")
def program(tmp_path_factory, request):
    real = installed()
    if real is None and os.environ.get("CI"):
        pytest.fail("neither kustomize nor kubectl is installed; .ci/tools installs one")
    return str(
        script(tmp_path_factory.mktemp("program") / "kustomize", real, update=request.config.getoption("--update"))
    )


@pytest.fixture(scope="module")
def rendered(tmp_path_factory, program):
    """Renders `top` of some files, the same ones once."""
    known = {}

    def made(**files):
        key = tuple(sorted(files.items()))
        if key not in known:
            known[key] = built(tmp_path_factory.mktemp("repository"), files)
        return known[key]

    def built(tmp_path, files):
        for name, text in {**BASE, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = render(tmp_path / "top", Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path)
        assert found.reading is not None, found.problems
        return found

    return made


@pytest.fixture
def check(program):
    def run(cwd, *arguments, kustomize=program, env=None):
        command = ["check", *map(str, arguments)]
        command += ["--kustomize", kustomize] if kustomize else []
        command += [] if "--output-format" in arguments or "--fix" in arguments else ["--output-format", "json"]
        return Ran(warm.run(command, cwd=cwd, environment={**os.environ, **(env or {})}))

    return run


@pytest.fixture
def tree(tmp_path):
    def write(**files):
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
