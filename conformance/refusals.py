"""What the linter says about objects that the API server has accepted or refused."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from conformance.api_client import Object
from conformance.linter import check

_CODES = ("KLG001", "KLG002", "KLG003", "KLG004", "KLG008")


def compared(records: Sequence[Object]) -> tuple[Counter[str], list[str]]:
    """How often they agree, and each accepted object that the linter calls invalid.

    A refused object that the linter lets pass is counted, by the API server's reason, and is no disagreement:
    the linter checks what concerns scheduling, rollout and resources.
    """
    told = _told(records)
    counts: Counter[str] = Counter()
    wrong = []
    for record in records:
        said = told.get(record["id"], [])
        if record["accepted"]:
            counts["accepted, the linter finds nothing" if not said else "accepted, the linter calls it invalid"] += 1
            if said:
                wrong.append(f"{record['id']}: {said[0]}")
        elif not said:
            counts[f"refused ({record['reason']}), the linter finds nothing"] += 1
        else:
            fields = [each["field"] for each in record["causes"] if each.get("field")]
            same = any(field in text or text.startswith(field) for field in fields for text in said)
            where = "the same field" if same else "another field or wording"
            counts[f"refused ({record['reason']}), the linter too: {where}"] += 1
    return counts, wrong


def _told(records: Sequence[Object]) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as name:
        folder = Path(name)
        for record in records:
            (folder / f"{record['id']}.json").write_text(json.dumps(record["object"], indent=1), encoding="utf-8")
        report = check(folder, [".", "--isolated", "--output-format", "json"])
    found: dict[str, list[str]] = defaultdict(list)
    for finding in report["findings"]:
        if finding["code"] in _CODES and finding["severity"] == "error":
            found[Path(finding["path"]).stem].append(finding["message"])
    return found
