"""The sections of the page whose numbers the linter is asked for as a process: each of them is made once in a run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from conformance import page

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")


def counts_of(path, records):
    """How often they agree as the section of a recording says; it is that of the page, and tells no disagreement."""
    section = page.SECTIONS[path.parent.name](page.version_of(path), records)
    assert section in PAGE, "python -m conformance page"
    assert "\nDisagreements: none.\n" in section
    return Counter({name: int(count) for count, name in re.findall(r"^\* (\d+) (.+)$", section, re.MULTILINE)})
