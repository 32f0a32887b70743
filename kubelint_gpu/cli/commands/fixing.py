"""`--fix` and `--diff`: applies fixes to files, or prints them as a diff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kubelint_gpu.documents import Reading, SourceText, encode
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.asking import first_place
from kubelint_gpu.engine.repair import repair
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.findings.finding import Finding, Fix
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.printing import say
from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.safe_write import NotWritable, replace_file
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.worlds import complain


class Fixed(Value):
    """The units after `--fix`; `failed` says that a file could not be written."""

    units: tuple[ApplySet, ...]
    applied: tuple[tuple[Finding, Fix], ...]
    changed: tuple[tuple[SourceText, SourceText], ...]
    failed: bool = False


def fix_units(
    units: Sequence[ApplySet], suppression: Suppression, wanted: Callable[[Finding], bool], *, unsafe: bool, write: bool
) -> Fixed:
    """Fix the `wanted` findings of every unit. With `write`, write each changed file in one step."""
    after = list(units)
    applied: list[tuple[Finding, Fix]] = []
    changed: list[tuple[SourceText, SourceText]] = []
    failed = False
    complaints: set[tuple[str, str]] = set()
    for number in range(len(after)):
        unit = after[number]
        try:
            repaired = repair(unit, unsafe=unsafe, suppression=suppression, wanted=wanted)
        except Exception as error:  # noqa: BLE001 - the other units are fixed; the check that follows reports the error
            complain(first_place(unit).path, f"is not fixed: internal error: {type(error).__name__}: {error}")
            failed = True
            continue
        for finding, why in repaired.refused:
            complaint = f"{finding.place.path}:{finding.place.line}", f"{finding.code} is not fixed: {why}"
            if complaint not in complaints:
                complaints.add(complaint)
                complain(*complaint)
        texts = list(_changed(unit.sources, repaired.unit.sources))
        if not texts:
            continue
        others, worse = _others(after, number, texts, suppression)
        if worse is not None:
            for finding, _ in repaired.applied:
                complain(f"{finding.place.path}:{finding.place.line}", f"{finding.code} is not fixed: {worse}")
            continue
        if write and not _written(texts):
            failed = True
            continue
        after[number] = repaired.unit
        for index, other in others.items():
            after[index] = other
        applied += repaired.applied
        changed += texts
    return Fixed(tuple(after), tuple(applied), tuple(changed), failed)


def _written(texts: Sequence[tuple[SourceText, SourceText]]) -> bool:
    """Write the changed files; return whether all could be written."""
    root = repository_root(Path.cwd())
    done = True
    for read, source in texts:
        try:
            replace_file(Path(source.path), encode(source, source.text), root, was=encode(read, read.text))
        except NotWritable as error:
            complain(source.path, f"cannot be fixed: {error}")
            done = False
    return done


def _others(
    units: Sequence[ApplySet], number: int, texts: Sequence[tuple[SourceText, SourceText]], suppression: Suppression
) -> tuple[dict[int, ApplySet], str | None]:
    """Return the other units that use the changed files, with the changes, and why the changes harm a unit.

    A file that goes to several clusters is fixed for each in turn. A base must suit every overlay that uses it.
    """
    paths = {source.path: encode(source, source.text) for _, source in texts}
    others: dict[int, ApplySet] = {}
    for index, unit in enumerate(units):
        mine = {reading.source.path for reading in unit.sources if reading.source is not None}
        if index == number or not mine & set(paths):
            continue
        from kubelint_gpu.engine.fixes.transport import with_texts
        from kubelint_gpu.engine.repair import serious

        name = unit.rendered[0].path if unit.rendered else ""
        try:
            others[index] = with_texts(unit, paths)
        except NotEditable as error:
            return {}, f"with it {name} could not be rendered: {error}"
        if unit.rendered and not serious(others[index], suppression) <= serious(unit, suppression):
            return {}, f"it would bring another finding to {name}, which is made of the same file"
    return others, None


def print_diff(changed: Sequence[tuple[SourceText, SourceText]]) -> None:
    """Print the changes as a unified diff for `git apply` and `patch`."""
    import difflib

    for before, after in changed:
        lines = difflib.unified_diff(_lines(before), _lines(after), _quoted(before.path), _quoted(after.path))
        for line in lines:
            text = line.removesuffix("\n").removesuffix("\r")
            shown = visible(text, keep="\t") + line[len(text) :]
            say(shown if line.endswith("\n") else f"{shown}\n\\ No newline at end of file\n", nl=False)


def _lines(source: SourceText) -> list[str]:
    """Return the lines with their ends, split as diff tools split them."""
    *whole, rest = source.text.split("\n")
    return [*(f"{line}\n" for line in whole), *filter(None, (rest,))]


def _quoted(path: str) -> str:
    """Return a path as git writes it in a diff: in quotes and byte by byte if it has control characters or quotes."""
    if path.isprintable() and not {'"', "\\"}.intersection(path):
        return path
    data = path.encode("utf-8", "surrogateescape")
    written = [chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in data]
    return f'"{"".join(written)}"'


def tell(fixed: Fixed) -> None:
    """Print the applied fixes to standard error."""
    for finding, fix in fixed.applied:
        complain(f"{finding.place.path}:{finding.place.line}", f"fixed {finding.code} ({finding.object}): {fix.title}")


def _changed(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[tuple[SourceText, SourceText]]:
    for old, new in zip(before, after, strict=True):
        if old is not new and old.source is not None and new.source is not None and old.source.text != new.source.text:
            yield old.source, new.source
