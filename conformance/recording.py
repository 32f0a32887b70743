"""Recordings: JSON lines, one case each, sorted, so that two runs differ only where the answers do."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.api_client import Object


def write(path: Path, records: Iterable[Object], *, whole: bool = False) -> int:
    """Write records, sorted by id; how many there are.

    Those of other ids stay in the file, so that a run of some cases leaves what is known of the others alone.
    After a `whole` run they go, but for random cases of seeds that it had not.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    records = list(records)
    if path.is_file():
        ids = {record["id"] for record in records}
        seeds = {seed for seed in map(_seed, ids) if seed}
        records += [
            record
            for record in read(path)
            if record["id"] not in ids and not (whole and (not _seed(record["id"]) or _seed(record["id"]) in seeds))
        ]
    lines = sorted((record["id"], json.dumps(record, sort_keys=True, separators=(",", ":"))) for record in records)
    data = "".join(line + "\n" for _, line in lines).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return len(lines)


def _seed(name: str) -> str:
    """The seed of a random case, empty for others."""
    return name.split("-")[1] if name.startswith("random-") else ""


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
