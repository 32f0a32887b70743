"""Repeats the output of an earlier run over the same bytes, without parser, rules and cluster."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.store import Store, packed, unpacked
from kubelint_gpu.findings.catalogue import program
from kubelint_gpu.report.format_names import LASTING
from kubelint_gpu.sources.checkout import is_file
from kubelint_gpu.sources.files import collect, is_in_chart
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.gathering import Gathered

if TYPE_CHECKING:
    from kubelint_gpu.sources.commit import Commit

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
"""Options that change the output of a run. The contents of its files are compared separately."""
_APART = ("without", "added", "against", "fix", "diff", "unsafe_fixes", "baseline", "write_baseline", "statistics")
"""Options with which a run reads or writes more than its files. Its output is not stored."""


def is_plain(
    options: dict[str, Any], targets: Sequence[tuple[str, str]], named: Sequence[str], configuration: Configuration
) -> bool:
    """Whether a run reads only its files, and its output depends only on them."""
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
    """Return the key of the output of a run; None if it cannot be stored."""
    from kubelint_gpu.cli.outputs import as_started, options_for

    looks = options_for(sys.stdout, options["color"])
    shown = (looks.color, looks.width, looks.unicode, sys.stdout.encoding, as_started(()))
    deciding = [options[name] for name in _DECIDING]
    return run_key(gathered, inventories, (time.strftime("%Y-%m-%d"), repr((inventories, deciding, targets, shown))))


def said_before(store: Store, key: str, gathered: Gathered) -> int | None:
    """Print the stored output of a run and return its exit code; None if no output is stored."""
    stored = recall(store, key)
    if stored is None:
        return None
    gathered.tell()
    code, text = stored
    sys.stdout.write(text)
    sys.stdout.flush()
    return code


def run_key(gathered: Gathered, inventories: Sequence[str], call: Sequence[str]) -> str | None:
    """Return the key of the output of a run; None if it cannot be stored.

    Besides the files, `call` decides the output: the options, the day, and how the output looks.
    """
    built, settings = gathered.built, gathered.settings
    # with these, a run reads files that are not known here
    if built.rendered or built.failure or built.taken or built.defects or gathered.errors or settings.context:
        return None
    declared = collect(tuple(inventories) or settings.inventories)
    if declared.errors:
        return None
    source = settings.source
    sections: tuple[Iterator[str | bytes] | Sequence[str | bytes], ...] = (
        (program(), str(Path.cwd()), *call),
        (str(settings.path), source.digest if source is not None else b""),
        gathered.paths,
        ("all",) if gathered.named is None else ("named", *_real(gathered)),
        (part for file in gathered.files for part in (file.path, file.data)),
        (part for file in (*gathered.beside, *gathered.elsewhere) for part in (file.path, file.data)),
        (part for file in declared.files for part in (file.path, file.data)),
        _charts(gathered),
        (str(sorted(built.sent.items())), str(sorted(built.followed.items())), built.charts.failure),
        _of(gathered.commit, {file.path for file in gathered.files}),
    )
    return digest_of(("run", *map(digest_of, sections)))


def _real(gathered: Gathered) -> Iterator[str]:
    """Yield the real paths that decide whether a run reports a finding."""
    for path in (*gathered.mine, *(file.path for file in gathered.files)):
        yield os.path.realpath(path)


def _charts(gathered: Gathered) -> Iterator[str]:
    """Yield the folders inside Helm charts: findings about templates depend on them."""
    for folder in sorted({os.path.dirname(file.path) for file in gathered.files}):  # noqa: PTH120 - text
        if is_in_chart(os.path.join(folder, "x")):  # noqa: PTH118 - same
            yield folder


def _of(commit: Commit | None, read: set[str]) -> Iterator[str | bytes]:
    """Yield the answers of git, and changed files that the run reads besides its own files."""
    if commit is None:
        return
    yield str(commit.root)
    yield str(commit.base is not None)
    for path, blob in commit.changed.items():
        name = path.as_posix()
        yield name
        yield blob
        if blob and name not in read:
            yield str(os.path.lexists(path))
            for file in collect([str(path)]).files if is_file(path) else ():
                yield file.data
