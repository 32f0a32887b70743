"""What a whole run has said, kept for the next one about the same bytes: that needs no parser, no rule and no cluster.

The key is made of all that decides it: the program, the call, and every byte that a run of this kind can read.
Runs that read or write more than that are not kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.sources import collect
from kubelint_gpu.sources.checkout import is_file
from kubelint_gpu.sources.files import is_in_chart
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.kept.known_files import program

if TYPE_CHECKING:
    from kubelint_gpu.sources.commit import Commit


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
