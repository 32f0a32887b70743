"""Recordings: JSON lines, one case each, sorted, so that two runs differ only where the answers do."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.api_client import Object


def write(path: Path, records: Iterable[Object], *, merge: bool = False) -> int:
    """Write records, sorted by id; how many there are. With `merge` those of other ids stay in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = list(records)
    if merge and path.is_file():
        ids = {record["id"] for record in records}
        records += [record for record in read(path) if record["id"] not in ids]
    lines = sorted((record["id"], json.dumps(record, sort_keys=True, separators=(",", ":"))) for record in records)
    data = "".join(line + "\n" for _, line in lines).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return len(lines)


def read(path: Path) -> Iterator[Object]:
    """The records of a file."""
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def counted(outcomes: Iterable[Object]) -> list[Object]:
    """Equal outcomes once, with how often they were seen."""
    times: dict[str, int] = {}
    for outcome in outcomes:
        text = json.dumps(outcome, sort_keys=True)
        times[text] = times.get(text, 0) + 1
    return [{**json.loads(text), "times": count} for text, count in times.items()]
