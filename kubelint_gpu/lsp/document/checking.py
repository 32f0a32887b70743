"""The answer to 'check': diagnostics of a document, of the inventory and of the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.documents import Reading, SourceText
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Selection, per_path_problems, select
from kubelint_gpu.engine.suppressing import Suppression
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.lsp.document.diagnostics import ERROR, INFORMATION, DiagnosticWriter, by_path, plain
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles, configuration_path
from kubelint_gpu.lsp.document.positions import offset_range
from kubelint_gpu.lsp.document.texts import absolute
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.configuration import NAME, ConfigurationError

_INVENTORY = "kind: ClusterInventory"
Diagnostics = list[dict[str, Any]]


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, Diagnostics]:
    """Diagnostics by absolute path: of the document, and of the files that decide what is said of it."""
    path = question["path"]
    if any(one.name == "templates" and (one.parent / "Chart.yaml").is_file() for one in Path(path).parents):
        return {path: []}
    try:
        project = Project(question, memory)
        selection = select(project.configuration, (), (), None)
    except click.ClickException as error:
        configured = configuration_path(question)
        where = absolute(str(configured)) if configured is not None else path
        found = {where: [_configuration_problem(error, where, memory, question["encoding"])]}
        if where != path:
            found[path] = [plain(f"not checked: {_shown(where)} cannot be used", INFORMATION)]
        return found
    return _Checked(project, selection, memory, question["encoding"]).files()


class _Checked:
    """One document, checked."""

    def __init__(self, project: Project, selection: Selection, memory: ReadFiles, encoding: str) -> None:
        self._project = project
        self._selection = selection
        self._memory = memory
        self._encoding = encoding

    def files(self) -> dict[str, Diagnostics]:
        """Diagnostics by path."""
        project = self._project
        declaring = [absolute(reading.source.path) for reading in project.world.readings if reading.source is not None]
        found: dict[str, Diagnostics] = {path: [] for path in (project.path, *declaring)}
        if project.configuration.path is not None:
            configured = absolute(str(project.configuration.path))
            found[configured] = [*self._missing(configured), *self._per_path(configured)]
        # what makes an inventory unusable is said whatever is selected
        unusable = [one for one in project.told if one.severity == "error" and not self._selection.reports(one)]
        wrong = [*unusable, *self._selection.selected(project.told)]
        found |= self._written(wrong, project.world.readings, lambda path: path in found)
        if project.declares(project.path) or Path(project.path).name == NAME:
            return found
        reading = project.reading
        if reading is None:
            return found
        if reading.source is not None and _INVENTORY in reading.source.text:
            world, told = self._memory.world([project.shown])
            return found | self._written(told, world.readings, lambda path: path == project.path)
        unit = project.unit()
        # what is wrong with the inventory was found when it was read
        outcome = check((unit,), ClusterContext(), suppression=suppression(self._selection), effort=EFFORTS["low"])
        # a defect of the program is reported here, whichever file of the unit is the first
        here = Place(project.shown, 1, 1, 1, 1)
        selected = self._selection.selected(outcome.findings)
        findings = [replace(one, place=here) if one.is_defect else one for one in selected]
        readings = (*unit.readings, *project.world.readings)
        mine = self._written(findings, readings, lambda path: path == project.path).get(project.path, [])
        return {**found, project.path: [*self._unusable(), *mine]}

    def _written(self, findings: Sequence[Finding], readings: Sequence[Reading], wanted: Any) -> dict[str, Diagnostics]:
        sources: dict[str, SourceText] = {
            reading.source.path: reading.source for reading in readings if reading.source is not None
        }
        writer = DiagnosticWriter(sources, self._encoding)
        return {path: writer.diagnostics(some) for path, some in by_path(findings, wanted).items()}

    def _unusable(self) -> Iterator[dict[str, Any]]:
        """That the cluster is not known, where it ought to be."""
        project = self._project
        if project.inventories and not project.world.usable:
            errors = [error for error in project.world.errors if error.severity == "error"]
            path = errors[0].path if errors else project.inventories[0]
            message = f"no rule that needs the cluster was asked: the inventory {path} cannot be used"
            yield plain(f"{message}: {errors[0].message}" if errors else message, INFORMATION)

    def _missing(self, configured: str) -> Iterator[dict[str, Any]]:
        """Files that the configuration names as inventory and that are not there, where it names them."""
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
        """What is to be said of the configuration's suppressions."""
        told = list(self._selection.selected(per_path_problems(self._selection.configuration)))
        reading = self._memory.texts.reading(configured, _shown(configured))
        written = self._written(told, () if reading is None else (reading,), lambda path: path == configured)
        return written.get(configured, [])


def suppression(selection: Selection) -> Suppression:
    """Suppressions as a run of the command line treats them."""
    return selection.suppression()


def _configuration_problem(error: click.ClickException, path: str, memory: ReadFiles, encoding: str) -> dict[str, Any]:
    """What is wrong with the configuration, where it is wrong."""
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
