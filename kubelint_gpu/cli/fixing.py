"""`--fix` and `--diff`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from kubelint_gpu.checks.finding import Finding, Fix
from kubelint_gpu.checks.repair import repair
from kubelint_gpu.checks.run import Suppression
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.cli.inputs import complain
from kubelint_gpu.cli.selection import Selection
from kubelint_gpu.documents import Reading, SourceText, encode
from kubelint_gpu.sources.writing import NotWritable, replace_file, repository_root
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class Fixed:
    """What `--fix` made of the units; `failed` says that a file could not be written."""

    units: tuple[Unit, ...]
    applied: tuple[tuple[Finding, Fix], ...]
    changed: tuple[tuple[SourceText, SourceText], ...]
    failed: bool = False


def fix_units(
    units: Sequence[Unit], suppression: Suppression, selection: Selection, *, unsafe: bool, write: bool
) -> Fixed:
    """Mend every unit; with `write` the files are written, one after the other, each in one step."""
    root = repository_root(Path.cwd())
    after: list[Unit] = []
    applied: list[tuple[Finding, Fix]] = []
    changed: list[tuple[SourceText, SourceText]] = []
    failed = False
    for unit in units:
        found = repair(unit, unsafe=unsafe, suppression=suppression, wanted=selection.reports)
        for finding in found.refused:
            complain(finding.place.path, f"{finding.code} is not fixed: with other fixes made, its fix no longer helps")
        texts = list(_changed(unit.readings, found.unit.readings))
        written = True
        for _, source in texts if write else ():
            try:
                replace_file(Path(source.path), encode(source, source.text), root)
            except NotWritable as error:
                complain(source.path, f"cannot be fixed: {error}")
                written, failed = False, True
        after.append(found.unit if written else unit)
        if written:
            applied += found.applied
            changed += texts
    return Fixed(tuple(after), tuple(applied), tuple(changed), failed)


def print_diff(changed: Sequence[tuple[SourceText, SourceText]]) -> None:
    """The changes as a unified diff."""
    for before, after in changed:
        lines = difflib.unified_diff(
            before.text.splitlines(keepends=True), after.text.splitlines(keepends=True), before.path, after.path
        )
        for line in lines:
            click.echo(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n", nl=False)


def tell(fixed: Fixed) -> None:
    """What was fixed, to standard error."""
    for finding, fix in fixed.applied:
        complain(f"{finding.place.path}:{finding.place.line}", f"fixed {finding.code} ({finding.object}): {fix.title}")


def _changed(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[tuple[SourceText, SourceText]]:
    for old, new in zip(before, after, strict=True):
        if old is not new and old.source is not None and new.source is not None:
            yield old.source, new.source
