"""The parts of a rule's page that the program fills in, between `<!-- what: which -->` and `<!-- end -->`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path

from docs.catalogue.example import Example, outcome, readings, unmarked
from docs.catalogue.properties import properties, related
from kubelint_gpu.documents import read
from kubelint_gpu.findings.catalogue import DESCRIPTION
from kubelint_gpu.findings.finding import Summary
from kubelint_gpu.report.content import Options, Report, assemble
from kubelint_gpu.report.formats.text import render

_BLOCK = re.compile(r"<!-- (?P<what>[a-z]+)(?:: (?P<which>[^>]+?))? -->\n.*?<!-- end -->", re.DOTALL)
_WIDTH = 100


def filled(folder: Path, text: str) -> str:
    """A page with all its blocks made anew.

    Raises:
        KeyError: a block is of no known kind.
    """
    return _BLOCK.sub(lambda found: _block(folder, found["what"], found["which"] or ""), text)


def _block(folder: Path, what: str, which: str) -> str:
    name = f"{what}: {which}" if which else what
    return f"<!-- {name} -->\n{_KINDS[what](folder, which)}\n<!-- end -->"


def _properties(folder: Path, _which: str) -> str:
    return properties(_description(folder))


def _related(folder: Path, _which: str) -> str:
    return related(_description(folder))


def _file(folder: Path, which: str) -> str:
    return _fenced("yaml", unmarked((folder / which).read_bytes()).decode())


def _output(folder: Path, which: str) -> str:
    path, _, codes = which.partition(" ")
    example = _example(folder, path)
    report = _report(example, codes)
    text = "".join(render(report, Options(width=_WIDTH, unicode=True, fix_hints=False, verbose=True)))
    select = f" --select {codes}" if codes else ""
    # the closing line counts what was looked at, the page is about the finding
    return _fenced("console", f"$ {example.command}{select} --verbose\n{text.rpartition(chr(10) * 2)[0]}\n")


def _event(folder: Path, which: str) -> str:
    found = outcome(_example(folder, which), marked=False)
    code = folder.name.partition("-")[0]
    texts = [finding.scheduler for finding in found.findings if finding.code == code and finding.scheduler]
    return _fenced("text", f"{texts[0]}\n")


def _diff(folder: Path, which: str) -> str:
    before, after = (
        unmarked((folder / kind / which).read_bytes()).decode().splitlines(keepends=True) for kind in ("bad", "fixed")
    )
    lines = list(difflib.unified_diff(before, after, f"bad/{which}", f"fixed/{which}"))
    return _fenced("diff", "".join(lines))


_KINDS: dict[str, Callable[[Path, str], str]] = {
    "properties": _properties,
    "related": _related,
    "file": _file,
    "output": _output,
    "event": _event,
    "diff": _diff,
}


def _example(folder: Path, path: str) -> Example:
    kind, _, name = path.partition("/")
    return Example(folder, kind, name.removesuffix(".yaml"))  # type: ignore[arg-type]


def _report(example: Example, codes: str) -> Report:
    found = outcome(example, marked=False)
    sources = {one.source.path: one.source for one in readings(example, marked=False) if one.source is not None}
    wanted = [one for one in found.findings if not codes or one.code in codes.split(",")]
    return assemble(wanted, Summary(), {}, sources, "")


def _description(folder: Path) -> dict[str, object]:
    path = folder / DESCRIPTION
    value: dict[str, object] = read(str(path), path.read_bytes()).documents[0].value
    return value


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
