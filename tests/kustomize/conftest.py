"""Kustomize for the tests of this folder; says at the end of a run where its answers were replayed."""

from __future__ import annotations

from kustomize_fixtures import check, example, program, rendered, tree
from recordings import installed

__all__ = ["check", "example", "program", "rendered", "tree"]


def pytest_terminal_summary(terminalreporter):
    if installed() is None:
        terminalreporter.line(
            "kustomize: neither kustomize nor kubectl is installed, its recorded answers were replayed"
        )
