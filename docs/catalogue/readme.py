"""The table of rules in docs/rules.md."""

from __future__ import annotations

import re
from pathlib import Path

from kubelint_gpu.findings.catalogue import PAGE, every_rule, folders

RULES = Path(__file__).resolve().parent.parent / "rules.md"
_TABLE = re.compile(r"<!-- table: rules -->\n.*", re.DOTALL)


def listed(text: str) -> str:
    """Return the page with its table of rules made anew."""
    rows = [
        f"| [{found.code}](../rules/{folders()[found.code].name}/{PAGE}) | {found.name} | {found.severity} "
        f"| {found.summary} |"
        for found in every_rule()
    ]
    lines = ["<!-- table: rules -->", "| code | name | severity | what it finds |", "| --- | --- | --- | --- |", *rows]
    return _TABLE.sub(lambda _: "\n".join(lines) + "\n", text)
