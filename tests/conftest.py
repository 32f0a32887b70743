"""Options that all tests share."""

from __future__ import annotations

import gc
import json
import os

import outside
import pytest
from hypothesis import settings

# a test says itself where it has results of an earlier run
os.environ["KUBELINT_GPU_NO_CACHE"] = "1"

# how long an example takes says more of the machine than of the program
settings.register_profile("here", deadline=None)
if "CI" not in os.environ:
    settings.load_profile("here")


# garbage is looked for seldom, and not at all among what is collected: that lives until the end of the run
gc.disable()
gc.set_threshold(50_000, 20, 10)


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the expected outputs anew")
    parser.addoption("--thorough", action="store_true", help="run the tests that take long, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "thorough: takes long; left out without --thorough, unless -m says what is run")
    if not (config.option.markexpr or config.getoption("--thorough")):
        config.option.markexpr = "not thorough"


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    gc.enable()
    gc.collect()
    gc.freeze()


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
    if terminalreporter.config.option.markexpr == "not thorough":
        terminalreporter.write_line("without the tests that take long: ./test --thorough runs them, too")


@pytest.fixture
def pinned(request):
    """Compares figures of a test over many cases with those in `pinned.json` beside it, exactly; --update writes them.

    So a change of how many cases are decided, or compared at all, shows in the review.
    """
    path = request.path.parent / "pinned.json"

    def compare(**figures):
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        name = f"{request.path.stem}::{request.node.name}"
        if request.config.getoption("--update"):
            assert "PYTEST_XDIST_WORKER" not in os.environ, "two processes cannot write one file: leave out -n"
            known[name] = figures
            text = ",\n".join(f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
            path.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
        assert figures == known.get(name)

    return compare
