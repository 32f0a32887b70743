"""The files that a run reads, or writes besides its reports: no report may overwrite them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.documents import Reading
from kubelint_gpu.engine.baseline import Baseline
from kubelint_gpu.sources.files import SUFFIXES
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.inputs import Inputs

_TOOL = "kubelint-gpu"
_OF_REPORTS = ("fingerprint", "findings", "runs")
"""Each report contains one of these words."""


def refuse_own_files(targets: Sequence[tuple[str, str]], own: Iterable[str], against: str | None) -> None:
    """Refuse a report that would overwrite a file of the run, under any name or link.

    `own` are files; `against` is a file or a folder.

    Raises:
        click.UsageError: a report goes to a file that the run reads or writes.
    """
    if all(target == "-" for _, target in targets):
        return
    taken = {name for path in own for name in _names(path)}
    if against is not None:
        taken |= _names(against)
    for _, target in targets:
        if target != "-" and (not taken.isdisjoint(_names(target)) or _below(target, against)):
            raise click.UsageError(f"{target} belongs to what this run checks: write the report to another file")


def paths_of(readings: Iterable[Reading]) -> Iterator[str]:
    """Yield the paths of readings, also of unreadable files."""
    for reading in readings:
        if reading.source is not None:
            yield reading.source.path
        else:
            yield from (problem.path for problem in reading.problems)


def is_report(reading: Reading) -> bool:
    """Whether a file is no manifest but a report of an earlier run: JSON, SARIF or GitLab."""
    text = reading.text
    if reading.count != 1 or not any(word in text for word in _OF_REPORTS) or not reading.documents[0].is_json:
        return False
    value = reading.documents[0].value
    if isinstance(value, list):
        return all(isinstance(issue, dict) and {"check_name", "fingerprint"} <= issue.keys() for issue in value)
    return isinstance(value, dict) and (value.keys() >= {"version", "findings", "summary"} or _is_log(value))


def _is_log(value: dict[Any, Any]) -> bool:
    try:
        return all(run["tool"]["driver"]["name"] == _TOOL for run in value["runs"])
    except (KeyError, TypeError):
        return False


def _names(path: str) -> frozenset[object]:
    """Return keys that two names of one file share: the real path and, if the file exists, its inode."""
    try:
        status = os.stat(path)  # noqa: PTH116 - text, and often
    except (OSError, ValueError):
        return frozenset((os.path.realpath(path),))
    return frozenset((os.path.realpath(path), (status.st_dev, status.st_ino)))


def _below(target: str, folder: str | None) -> bool:
    """Whether `target` is an existing file that a run reads from a folder."""
    if folder is None or not os.path.isdir(folder) or not os.path.isfile(target):  # noqa: PTH112, PTH113
        return False
    root, path = os.path.realpath(folder), os.path.realpath(target)
    return path.endswith(SUFFIXES) and os.path.commonpath((root, path)) == root


def own_files(inputs: Inputs, configuration: Configuration, baseline: Baseline, written: str | None) -> Iterator[str]:
    """Yield the files that a run reads or writes, without reports of earlier runs."""
    yield from (str(path) for path in (configuration.path, baseline.path, written) if path is not None)
    yield from paths_of(reading for reading in inputs.every if not is_report(reading))
    yield from inputs.beside


def wholly_checked(inputs: Inputs, given: Sequence[str]) -> Iterator[str]:
    """Yield the files whose findings are all known: inventories, and files below the PATHS.

    A file outside of the PATHS may have further findings, through kustomizations that this run does not render.
    """
    roots = [Path(path).resolve() for path in given if path != "-"]
    for path in paths_of(inputs.readings):
        if path.startswith("<") or any(Path(path).resolve().is_relative_to(root) for root in roots):
            yield path
    yield from paths_of(reading for world in inputs.worlds for reading in world.readings)
