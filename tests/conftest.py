"""Options that all tests share."""

from __future__ import annotations

import os

import outside
import pytest
from hypothesis import settings

# how long an example takes says more of the machine than of the program
settings.register_profile("here", deadline=None)
if "CI" not in os.environ:
    settings.load_profile("here")


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the expected outputs anew")


def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["replayed"] = sorted(outside.REPLAYED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):  # noqa: ARG001 the hook's own signature
    outside.REPLAYED.update(getattr(node, "workeroutput", {}).get("replayed", ()))


def pytest_terminal_summary(terminalreporter):
    said = outside.summary_line()
    if said:
        terminalreporter.write_line(said)
