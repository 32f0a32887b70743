"""What is known of a run from an earlier one over the same files."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.store import Store, packed, unpacked
from kubelint_gpu.report.format_names import LASTING
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.gathering import Gathered

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store

_LARGEST = 16 * 1024 * 1024


def recall(store: Store, key: str) -> tuple[int, str] | None:
    """The exit code and the output of a run; None if unknown."""
    found = store.get(key)
    data = unpacked(found, _LARGEST) if found is not None else None
    if data is None:
        return None
    try:
        code, _, text = data.decode().partition("\n")
        return int(code), text
    except ValueError:
        return None


def keep(store: Store, key: str, code: int, text: str) -> None:
    """Store the exit code and the output of a run."""
    try:
        data = f"{code}\n{text}".encode()
    except UnicodeEncodeError:
        return
    if len(data) <= _LARGEST:
        store.put(key, packed(data))


_DECIDING = (
    *(
        "select",
        "ignore",
        "min_severity",
        "effort",
        "fail_on",
        "together",
        "unit",
        "hook",
        "no_ignores",
        "quiet",
        "verbose",
        "why",
        "exit_zero",
        "shard",
        "assume",
    ),
    *("config", "isolated"),
)
"""Options that change what a run says; its files are looked at apart."""
_APART = ("without", "added", "against", "fix", "diff", "unsafe_fixes", "baseline", "write_baseline", "statistics")
"""Options with which a run reads or writes more than its files: what it says is not kept as a whole."""


def is_plain(
    options: dict[str, Any], targets: Sequence[tuple[str, str]], named: Sequence[str], configuration: Configuration
) -> bool:
    """Whether a run reads nothing but its files, and writes nothing but what is the same for the same files."""
    return (
        len(targets) == 1
        and targets[0][1] == "-"
        and targets[0][0] in LASTING
        and "-" not in named
        and not any(options[name] for name in _APART)
        and configuration.baseline is None
    )


def key_of(
    gathered: Gathered, inventories: Sequence[str], options: dict[str, Any], targets: Sequence[tuple[str, str]]
) -> str | None:
    """What its output is kept by; None where that is not known."""
    from kubelint_gpu.cli.outputs import as_started, options_for
    from kubelint_gpu.workspace.project.kept.kept_runs import run_key

    looks = options_for(sys.stdout, options["color"])
    shown = (looks.color, looks.width, looks.unicode, sys.stdout.encoding, as_started(()))
    deciding = [options[name] for name in _DECIDING]
    return run_key(gathered, inventories, (time.strftime("%Y-%m-%d"), repr((inventories, deciding, targets, shown))))


def said_before(store: Store, key: str, gathered: Gathered) -> int | None:
    """The exit code of a run that is known, whose output is written; None where none is."""
    found = recall(store, key)
    if found is None:
        return None
    gathered.tell()
    sys.stdout.write(found[1])
    sys.stdout.flush()
    return found[0]
