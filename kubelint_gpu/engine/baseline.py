"""Findings that are known and accepted for now: `--baseline` leaves them out, `--write-baseline` writes them down.

An entry is found again by code, file, object and cause, whatever its line or wording has become.
Paths are relative to the folder of the baseline, so that it does not matter where the command is run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from kubelint_gpu.documents import Document, Pointer, read
from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.findings.finding import Finding, fingerprint
from kubelint_gpu.messages.wording import begun, counted, owner_name
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import exists
from kubelint_gpu.sources.files import NotReadable, read_named
from kubelint_gpu.sources.safe_write import NotWritable, write_file
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.worlds import complain

_VERSION = 1
_KEYS = ("path", "code", "object", "fingerprint")
_FINGERPRINT = pattern(r"[0-9a-f]{32}")


class Entry(Value, order=True):
    """One accepted finding, as it stands in the file."""

    path: str
    code: str
    object: str
    fingerprint: str


class Baseline(Value):
    """The accepted findings of a file; without a file there are none."""

    path: Path | None = None
    entries: frozenset[Entry] = frozenset()

    def accepts(self, finding: Finding) -> bool:
        """Whether a finding of this cause is accepted."""
        return self.path is not None and self.entries.issuperset(_entries(finding, self.path.parent, Counter()))

    def wanted(self, reports: Callable[[Finding], bool]) -> Callable[[Finding], bool]:
        """What is reported and not accepted: nothing else is mended."""
        return lambda finding: reports(finding) and not self.accepts(finding)


class Settled(Value):
    """What is left to be reported, and how many findings are in the baseline.

    `hidden` are left and not shown.
    """

    findings: tuple[Finding, ...]
    accepted: int = 0
    hidden: int = 0


def load_baseline(path: str | None, target: str | None = None) -> Baseline:
    """Read a baseline; it is empty if it does not exist yet and `target`, which the run writes, is the same file.

    Raises:
        click.ClickException: there is none, or it is not what `--write-baseline` writes; with line and column.
    """
    absent = path is not None and not exists(path)
    if path is None or (absent and target is not None and Path(target).absolute() == Path(path).absolute()):
        return Baseline()
    try:
        reading = read(path, read_named(path))
    except NotReadable as error:
        advice = f"; write one with --write-baseline {path}" if absent else ""
        raise click.ClickException(f"--baseline: {path}: {error}{advice}") from None
    for problem in reading.problems:
        where = f"{path}:{problem.span.line}:{problem.span.column}" if problem.span else path
        raise click.ClickException(f"--baseline: {where}: {problem.message}")
    documents = [document for document in reading.documents if document.value is not None]
    if not documents:
        raise click.ClickException(f"--baseline: {path}: it is empty; write one with --write-baseline {path}")
    return Baseline(Path(path), frozenset(_entries_of(documents[0])))


def settle(
    baseline: Baseline,
    target: str | None,
    found: Sequence[Finding],
    reported: Sequence[Finding],
    checked: Iterable[str],
    *,
    failed: bool,
    grows: bool,
) -> Settled:
    """Leave out what is accepted, and write the baseline where that is asked for; many of one cause are told once.

    Args:
        baseline: what is accepted already.
        target: the file to write, None for none; what a run that `failed` saw is never written.
        found: everything that was found, whether it is reported or not.
        reported: what is reported of it.
        checked: the files that were looked at.
        failed: the run cannot be trusted.
        grows: what is written accepts all that is found, too, and not only what the baseline accepts of it.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if target is not None and failed:
        complain(target, "is not written: the run failed")
        target = None
    if baseline.path is None and target is None:
        return Settled(told_once(reported))
    folders = {os.path.realpath(path.parent) for path in (baseline.path, Path(target or "")) if path is not None}
    if target is not None and len(folders) > 1:
        raise click.UsageError(
            f"the file of --write-baseline must be in the same folder as the baseline, {baseline.path}"
        )
    keys = _keys(found, (baseline.path or Path(target or "")).parent)
    gone = _gone(baseline, frozenset().union(*keys.values()), checked)
    if target is not None and grows:
        return _written(target, baseline.entries - gone, keys, reported)
    if target is not None:
        _shrunk(baseline, target, gone)
    elif not failed:
        _tell(baseline, gone)
    left = tuple(finding for finding in reported if not baseline.entries.issuperset(keys[finding.fingerprint]))
    return Settled(told_once(left), len(reported) - len(left))


def _written(
    target: str, known: frozenset[Entry], keys: Mapping[str, Collection[Entry]], reported: Sequence[Finding]
) -> Settled:
    """A baseline with what is `known` and everything that is reported; a rule that crashed is never accepted."""
    accepted = [finding for finding in reported if not finding.is_defect]
    _write(target, known.union(*(keys[finding.fingerprint] for finding in accepted)))
    errors = sorted((one.code, owner_name(one.object)) for one in accepted if one.severity == "error")
    names = begun([f"{code} {name}" for code, name in errors], "error")
    among = f", {counted(len(errors), 'error')} among them: {names}" if errors else ""
    complain(target, f"{counted(len(accepted), 'finding')} written down{among}")
    return Settled(tuple(finding for finding in reported if finding.is_defect), len(accepted))


def _shrunk(baseline: Baseline, target: str, gone: Collection[Entry]) -> None:
    """The old baseline without what is gone; nothing is added."""
    if gone or not exists(target):
        _write(target, baseline.entries - frozenset(gone))
    complain(target, f"{len(gone)} dropped, {len(baseline.entries) - len(gone)} left, none added")


def _gone(baseline: Baseline, present: Collection[Entry], checked: Iterable[str]) -> frozenset[Entry]:
    """The entries that no longer occur; of a file that was not looked at nothing is known, unless it is gone, too."""
    folder = baseline.path.parent if baseline.path is not None else Path()
    seen = {_relative(path, folder) for path in checked}
    return frozenset(
        entry
        for entry in baseline.entries
        if entry not in present and (entry.path in seen or not exists(folder / entry.path))
    )


def _tell(baseline: Baseline, gone: Collection[Entry]) -> None:
    if not gone:
        return
    first = min(gone)
    what = "1 entry no longer occurs" if len(gone) == 1 else f"{len(gone)} entries no longer occur"
    example = f"{first.code} in {first.path}{', ...' if len(gone) > 1 else ''}"
    drop = f"--baseline {baseline.path} --write-baseline {baseline.path}"
    complain(str(baseline.path), f"{what} ({example}); add {drop} to drop what is gone")


def _keys(findings: Iterable[Finding], folder: Path) -> dict[str, tuple[Entry, ...]]:
    """The entries of each finding of a run, by its fingerprint; findings of one cause are told apart by number."""
    numbers: Counter[Entry] = Counter()
    return {finding.fingerprint: _entries(finding, folder, numbers) for finding in findings}


def _entries(finding: Finding, folder: Path, numbers: Counter[Entry]) -> tuple[Entry, ...]:
    """An entry for each object that a finding is about: one line of a base is seen through several overlays."""
    path, found = _relative(finding.place.path, folder), []
    for name in (finding.object, *finding.others):
        parts = finding.code, path, name, finding.cause
        first = Entry(path, finding.code, name, fingerprint(*parts, "0"))
        found.append(replace(first, fingerprint=fingerprint(*parts, str(numbers[first]))))
        numbers[first] += 1
    return tuple(found)


def _relative(path: str, folder: Path) -> str:
    """The path of a file as a baseline names it."""
    name = path if path.startswith("<") else Path(os.path.relpath(path, folder)).as_posix()
    # JSON has no bytes that are no text: the file that is read back holds what takes their place
    return name.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _write(path: str, entries: Iterable[Entry]) -> None:
    import json

    lines = ["    " + json.dumps({key: getattr(entry, key) for key in _KEYS}) for entry in sorted(entries)]
    found = "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"
    try:
        write_file(Path(path), f'{{\n  "version": {_VERSION},\n  "findings": {found}\n}}\n'.encode())
    except NotWritable as error:
        raise click.ClickException(f"cannot write {path}: {error}") from None


def _entries_of(document: Document) -> Iterator[Entry]:
    value = document.value
    if not isinstance(value, dict) or "findings" not in value:
        raise _wrong(document, (), "is no baseline: it must be a mapping with version and findings")
    if value.get("version") != _VERSION:
        raise _wrong(document, ("version",), f"must be {_VERSION}; write the baseline anew with --write-baseline")
    found = value["findings"]
    if not isinstance(found, list):
        raise _wrong(document, ("findings",), "must be a list")
    for index, entry in enumerate(found):
        at = ("findings", index)
        if not isinstance(entry, dict) or set(entry) != set(_KEYS):
            raise _wrong(document, at, f"must be a mapping with {', '.join(_KEYS)}")
        for key in _KEYS:
            if not isinstance(entry[key], str):
                raise _wrong(document, (*at, key), "must be a text")
        if _FINGERPRINT().fullmatch(entry["fingerprint"]) is None:
            raise _wrong(document, (*at, "fingerprint"), "must be 32 hexadecimal digits")
        yield Entry(**{key: entry[key] for key in _KEYS})


def _wrong(document: Document, pointer: Pointer, message: str) -> click.ClickException:
    span = document.locate(pointer)
    name = f"{pointer[-1]} " if pointer and isinstance(pointer[-1], str) else ""
    return click.ClickException(f"--baseline: {document.source.path}:{span.line}:{span.column}: {name}{message}")
