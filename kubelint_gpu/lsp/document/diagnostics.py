"""The answer to 'check': findings about a document, the inventory and the configuration, in the form for editors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.documents import Reading, SourceText
from kubelint_gpu.engine.baseline import Baseline, load_baseline, settle
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Selection, per_path_problems, select
from kubelint_gpu.findings.catalogue import UnknownRule, rule
from kubelint_gpu.findings.finding import Finding, Fix, Place
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles, configuration_path
from kubelint_gpu.lsp.document.open_documents import absolute
from kubelint_gpu.lsp.document.positions import offset_range, place_range
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.configuration import NAME, ConfigurationError

SOURCE = "kubelint-gpu"
ERROR, WARNING, INFORMATION = 1, 2, 3
_LEVELS = {"error": ERROR, "warning": WARNING, "note": INFORMATION}
_UNNECESSARY, _DEPRECATED = 1, 2
_TAGS = {"KLG005": _UNNECESSARY, "KLG004": _DEPRECATED}
_MOST = 500
INVENTORY = "kind: ClusterInventory"
Diagnostics = list[dict[str, Any]]


class DiagnosticWriter:
    """Writes findings with absolute paths, and places in the units of the editor."""

    def __init__(self, sources: Mapping[str, SourceText], encoding: str) -> None:
        self._sources = sources
        self._encoding = encoding

    def diagnostics(self, findings: Sequence[Finding]) -> list[dict[str, Any]]:
        """Return the findings of one file in the order of the text; of too many, the first ones."""
        ordered = sorted(findings, key=lambda finding: (finding.place, finding.code, finding.message))
        written = [self._diagnostic(finding) for finding in ordered[:_MOST]]
        if len(ordered) > _MOST:
            more = f"{len(ordered) - _MOST} more findings are not shown here; kubelint-gpu check shows all"
            written.append(plain(more, INFORMATION))
        return written

    def _diagnostic(self, finding: Finding) -> dict[str, Any]:
        diagnostic: dict[str, Any] = {
            "range": self._range(finding.place),
            "severity": _LEVELS[finding.severity],
            "code": finding.code,
            "source": SOURCE,
            "message": finding.message,
            "data": {
                "fingerprint": finding.fingerprint,
                "told": "\n\n".join(told(finding)),
                "fixes": [self._fix(fix) for fix in finding.fixes],
            },
        }
        url = _url(finding.code)
        if url:
            diagnostic["codeDescription"] = {"href": url}
        if finding.code in _TAGS:
            diagnostic["tags"] = [_TAGS[finding.code]]
        if finding.related:
            diagnostic["relatedInformation"] = [
                {
                    "location": {"uri": absolute(near.place.path), "range": self._range(near.place)},
                    "message": near.message,
                }
                for near in finding.related
            ]
        return diagnostic

    def _fix(self, fix: Fix) -> dict[str, Any]:
        edits = [
            {"path": absolute(edit.place.path), "range": self._range(edit.place), "newText": edit.text}
            for edit in fix.edits
        ]
        return {"title": fix.title, "safe": fix.safety == "safe", "verified": fix.verified, "edits": edits}

    def _range(self, place: Place) -> dict[str, Any]:
        return place_range(self._sources.get(place.path), place, self._encoding)


def plain(message: str, severity: int, at: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a message of this program that belongs to no rule; without a range, at the beginning of the file."""
    zero = {"line": 0, "character": 0}
    return {"range": at or {"start": zero, "end": zero}, "severity": severity, "source": SOURCE, "message": message}


def told(finding: Finding) -> Iterator[str]:
    """Yield the paragraphs of a finding beside its sentence, as Markdown."""
    if finding.scheduler:
        yield f"**kube-scheduler:** {escaped(finding.scheduler)}"
    if finding.trace:
        steps = [f"{step.step}. {escaped(f'{step.actor}: {step.message}')}" for step in finding.trace]
        yield "\n".join(("**What happens**\n", *steps))
    if finding.cycle:
        yield "\n".join(("**Who waits for whom**\n", *(f"- {escaped(sentence)}" for sentence in finding.cycle)))
    for sentence in finding.help:
        yield f"**Help:** {escaped(sentence)}"


def escaped(text: str, special: str = "\\`*_[]<>#|") -> str:
    """Return Markdown that shows a text of unknown origin, without markup from the text."""
    return "".join(f"\\{char}" if char in special else char if char.isprintable() else " " for char in text)


def code(text: str) -> str:
    """Return Markdown that shows a text of unknown origin as code."""
    return f"`{''.join(char if char.isprintable() and char != '`' else '?' for char in text)}`"


def by_path(findings: Sequence[Finding], wanted: Callable[[str], bool]) -> dict[str, list[Finding]]:
    """Return the findings of the wanted files, by absolute path."""
    grouped: dict[str, list[Finding]] = {}
    for finding in findings:
        path = absolute(finding.place.path)
        if wanted(path):
            grouped.setdefault(path, []).append(finding)
    return grouped


def _url(code: str) -> str:
    try:
        return rule(code).url
    except UnknownRule:
        return ""


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, Diagnostics]:
    """Return diagnostics by absolute path: of the document, and of the files that decide about it."""
    path = question["path"]
    if any(folder.name == "templates" and (folder.parent / "Chart.yaml").is_file() for folder in Path(path).parents):
        return {path: []}
    try:
        project = Project(question, memory)
        selection = select(project.configuration, (), (), None)
        baseline = load_baseline(project.configuration.baseline)
    except click.ClickException as error:
        configured = configuration_path(question)
        where = absolute(str(configured)) if configured is not None else path
        found = {where: [_configuration_problem(error, where, memory, question["encoding"])]}
        if where != path:
            found[path] = [plain(f"not checked: {_shown(where)} cannot be used", INFORMATION)]
        return found
    return _Checked(project, selection, baseline, memory, question["encoding"]).files()


def reported(findings: Sequence[Finding], selection: Selection, baseline: Baseline) -> tuple[Finding, ...]:
    """Return the findings that the command line shows: many of one cause once, and none that a baseline accepts."""
    counted = tuple(selection.counted(findings))
    settled = settle(baseline, None, findings, counted, (), failed=True, grows=False)
    return tuple(filter(selection.shows, settled.findings))


def without_cluster(project: Project) -> Iterator[dict[str, Any]]:
    """Yield a message if the cluster of a document is expected but not known."""
    if project.inventories and not project.world.usable:
        errors = [error for error in project.world.errors if error.severity == "error"]
        path = errors[0].path if errors else project.inventories[0]
        message = f"no rule that needs the cluster was asked: the inventory {path} cannot be used"
        yield plain(f"{message}: {errors[0].message}" if errors else message, INFORMATION)


class _Checked:
    """The check of one document."""

    def __init__(
        self, project: Project, selection: Selection, baseline: Baseline, memory: ReadFiles, encoding: str
    ) -> None:
        self._project = project
        self._selection = selection
        self._baseline = baseline
        self._memory = memory
        self._encoding = encoding

    def files(self) -> dict[str, Diagnostics]:
        """Return the diagnostics by path."""
        project = self._project
        declaring = [absolute(reading.source.path) for reading in project.world.readings if reading.source is not None]
        found: dict[str, Diagnostics] = {path: [] for path in (project.path, *declaring)}
        if project.configuration.path is not None:
            configured = absolute(str(project.configuration.path))
            found[configured] = [*self._missing(configured), *self._per_path(configured)]
        # an error that makes an inventory unusable is always reported
        unusable = [each for each in project.told if each.severity == "error" and not self._selection.reports(each)]
        wrong = [*unusable, *self._selection.selected(project.told)]
        found |= self._written(wrong, project.world.readings, lambda path: path in found)
        if project.declares(project.path) or Path(project.path).name == NAME:
            return found
        reading = project.reading
        if reading is None:
            return found
        if reading.source is not None and INVENTORY in reading.source.text:
            world, told = self._memory.world([project.shown])
            return found | self._written(told, world.readings, lambda path: path == project.path)
        unit = project.unit()
        # problems of the inventory were reported when it was read
        outcome = check((unit,), ClusterContext(), suppression=self._selection.suppression(), effort=EFFORTS["low"])
        # a defect of the program is reported here, even if another file of the unit comes first
        here = Place(project.shown, 1, 1, 1, 1)
        findings = [replace(each, place=here) if each.is_defect else each for each in outcome.findings]
        mine = [each for each in findings if absolute(each.place.path) == project.path]
        shown = reported(mine, self._selection, self._baseline)
        readings = (*unit.readings, *project.world.readings)
        written = self._written(shown, readings, lambda path: path == project.path).get(project.path, [])
        return {**found, project.path: [*without_cluster(project), *written]}

    def _written(self, findings: Sequence[Finding], readings: Sequence[Reading], wanted: Any) -> dict[str, Diagnostics]:
        sources: dict[str, SourceText] = {
            reading.source.path: reading.source for reading in readings if reading.source is not None
        }
        writer = DiagnosticWriter(sources, self._encoding)
        return {path: writer.diagnostics(some) for path, some in by_path(findings, wanted).items()}

    def _missing(self, configured: str) -> Iterator[dict[str, Any]]:
        """Yield a message at each inventory in the configuration whose file does not exist."""
        project = self._project
        reading = self._memory.texts.reading(configured, _shown(configured))
        for number, name in enumerate(project.configuration.inventory):
            if self._memory.texts.version(absolute(name)) is not None or reading is None or not reading.documents:
                continue
            document = reading.documents[0]
            pointer = ("inventory", number) if document.present(("inventory", number)) else ("inventory",)
            span = document.locate(pointer)
            at = offset_range(document.source, span.start, span.end, self._encoding)
            yield plain(f"there is no file {name}", ERROR, at)

    def _per_path(self, configured: str) -> Diagnostics:
        """Return the problems of the suppressions in the configuration."""
        told = list(self._selection.selected(per_path_problems(self._selection.configuration)))
        reading = self._memory.texts.reading(configured, _shown(configured))
        written = self._written(told, () if reading is None else (reading,), lambda path: path == configured)
        return written.get(configured, [])


def _configuration_problem(error: click.ClickException, path: str, memory: ReadFiles, encoding: str) -> dict[str, Any]:
    """Return the problem of a configuration as a diagnostic at its place."""
    reading = memory.texts.reading(path, _shown(path))
    source = reading.source if reading is not None else None
    if isinstance(error, ConfigurationError):
        at = offset_range(source, error.span.start, error.span.end, encoding) if source and error.span else None
        return plain(error.problem, ERROR, at)
    # an unknown code: the message quotes it
    written = error.message.partition('"')[2].partition('"')[0]
    start = source.text.find(written) if source and written else -1
    at = offset_range(source, start, start + len(written), encoding) if source and start >= 0 else None
    return plain(error.message, ERROR, at)


def _shown(path: str) -> str:
    return display_path(Path(path), Path.cwd())
