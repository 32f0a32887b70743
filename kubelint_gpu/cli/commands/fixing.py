"""`--fix` and `--diff`: writes changed files, or prints them as a diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kubelint_gpu.documents import SourceText, encode
from kubelint_gpu.engine.repair import Fixed, fix_units
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.messages.display import say, visible
from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.safe_write import NotWritable, replace_file
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.worlds import complain


def fixed_or_shown(
    units: Sequence[ApplySet], suppression: Suppression, wanted: Callable[[Finding], bool], *, unsafe: bool, show: bool
) -> Fixed:
    """Fix the `wanted` findings in the files, or `show` the fixes as a diff."""
    fixed = fix_units(units, suppression, wanted, unsafe=unsafe, write=bool if show else _written)
    if show:
        _print_diff(fixed.changed)
    return fixed


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


def _print_diff(changed: Sequence[tuple[SourceText, SourceText]]) -> None:
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
