"""A page as a browser shows it: Chromium where there is one, else what Chromium showed when it was recorded.

In CI (CI=true) the browser must be there.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import outside
import pytest
from browser import Browser, chromium

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def browser():
    """The browser; None where there is none, which CI does not forgive."""
    program = chromium()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed: run .ci/tools")
        yield None
        return
    with Browser(program) as found:
        yield found


@pytest.fixture(scope="session")
def seen(browser, tmp_path_factory, request):
    """What a walk through a page saw: now, or when it was recorded of the very same page."""

    def see(name, text, walk, needs=None):
        digest = hashlib.sha256(text.encode()).hexdigest()
        path = RECORDED / f"{name}.json"
        again = "is not the page that was recorded: run the tests of tests/page with Chromium and --update"
        lacks = needs is not None and not needs.is_file()
        if lacks and os.environ.get("CI"):
            pytest.fail(f"{needs.name} is not installed: run .ci/tools")
        if browser is None or lacks:
            found = json.loads(path.read_text(encoding="utf-8"))
            assert found["page"] == digest, f"{name} {again}"
            outside.REPLAYED.add(needs.name if lacks else "chromium")
            return found["seen"]
        page = tmp_path_factory.mktemp("page") / f"{name}.html"
        page.write_text(text, encoding="utf-8")
        found = walk(browser, page)
        if request.config.getoption("--update"):
            RECORDED.mkdir(exist_ok=True)
            told = json.dumps({"page": digest, "seen": found}, indent=1, ensure_ascii=False, sort_keys=True)
            path.write_text(f"{told}\n", encoding="utf-8")
        recorded = json.loads(path.read_text(encoding="utf-8"))
        assert recorded["page"] == digest, f"{name} {again}"
        assert recorded["seen"] == found, f"{name}: the browser shows something else than what was recorded"
        return found

    return see
