"""The program that renders: the machine's own, or recordings of one."""

from __future__ import annotations

import os

import pytest
from recordings import installed, script


@pytest.fixture(scope="session")
def program(tmp_path_factory, request):
    real = installed()
    if real is None and os.environ.get("CI"):
        pytest.fail("neither kustomize nor kubectl is installed; .ci/tools installs one")
    return str(
        script(tmp_path_factory.mktemp("program") / "kustomize", real, update=request.config.getoption("--update"))
    )


def pytest_terminal_summary(terminalreporter):
    if installed() is None:
        terminalreporter.line(
            "kustomize: neither kustomize nor kubectl is installed, its recorded answers were replayed"
        )
