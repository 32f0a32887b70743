"""What is known of a run from an earlier one over the same files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.report.format_names import LASTING
from kubelint_gpu.sources.checkout import is_file
from kubelint_gpu.sources.files import collect, is_in_chart
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.known_configurations import program

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.sources.commit import Commit

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
    from kubelint_gpu.cli.outputs import options_for

    looks = options_for(sys.stdout, options["color"])
    shown = (looks.color, looks.width, looks.unicode, sys.stdout.encoding)
    deciding = [options[name] for name in _DECIDING]
    return run_key(gathered, inventories, (time.strftime("%Y-%m-%d"), repr((inventories, deciding, targets, shown))))


def said_before(store: Store, key: str, gathered: Gathered) -> int | None:
    """The exit code of a run that is known, whose output is written; None where none is."""
    from kubelint_gpu.cache.kept_output import recall

    found = recall(store, key)
    if found is None:
        return None
    gathered.tell()
    sys.stdout.write(found[1])
    sys.stdout.flush()
    return found[0]


def run_key(gathered: Gathered, inventories: Sequence[str], call: Sequence[str]) -> str | None:
    """What the output of a run is found by; None where it is not kept.

    `call` is what decides it besides the files: the options, the day, and how the output looks.
    """
    built, settings = gathered.built, gathered.settings
    # of these more is read than what is known here
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
        (part for one in gathered.files for part in (one.path, one.data)),
        (part for one in (*gathered.beside, *gathered.elsewhere) for part in (one.path, one.data)),
        (part for one in declared.files for part in (one.path, one.data)),
        _charts(gathered),
        _of(gathered.commit, {one.path for one in gathered.files}),
    )
    return digest_of(("run", *map(digest_of, sections)))


def _real(gathered: Gathered) -> Iterator[str]:
    """Where the files are that decide whether a finding is one of this call."""
    for path in (*gathered.mine, *(one.path for one in gathered.files)):
        yield os.path.realpath(path)


def _charts(gathered: Gathered) -> Iterator[str]:
    """The folders that lie in Helm charts: what is said of templates depends on it."""
    for folder in sorted({os.path.dirname(one.path) for one in gathered.files}):  # noqa: PTH120 - text
        if is_in_chart(os.path.join(folder, "x")):  # noqa: PTH118 - same
            yield folder


def _of(commit: Commit | None, read: set[str]) -> Iterator[str | bytes]:
    """What a run asks git, and the changed files that it looks at although they are not among those of the run."""
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
