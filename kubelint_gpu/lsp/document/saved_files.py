"""The answer to 'saved': the findings of a run of the command line on a document, in all reported files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.engine.baseline import load_baseline
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import select
from kubelint_gpu.lsp.document.diagnostics import INVENTORY, DiagnosticWriter, by_path, reported, without_cluster
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, list[dict[str, Any]]]:
    """Return diagnostics by path: of the document, and of the sources of its kustomizations and charts.

    The rest of the repository is beside it, as it is for the command. The answer is empty if the document is not
    saved, or if it is judged with unsaved documents: only files on disk count.
    """
    path = question["path"]
    try:
        project = Project(question, memory)
        source = project.reading.source if project.reading is not None else None
        if source is None or project.declares(path) or Path(path).name == NAME or INVENTORY in source.text:
            return {}
        if not _are_saved([path], memory):
            return {}
        inventories = question["inventories"]
        gathered = gather([project.shown], inventories, configuration=project.configuration)
        if not gathered.built.takes(path) and not _are_saved(memory.texts, memory):
            return {}
        inputs = inputs_of(gathered, inventories)
        selection = select(project.configuration, (), (), None)
        baseline = load_baseline(project.configuration.baseline)
        outcome = check(inputs.units, inputs.world, suppression=selection.suppression())
        findings = tuple(filter(inputs.reports, (*outcome.findings, *inputs.defects)))
        shown = reported(findings, selection, baseline)
        found = by_path(shown, lambda name: Path(name).name != NAME and not project.declares(name))
    except click.ClickException:
        # the answer to 'check' reports the problem
        return {}
    sources = {each.source.path: each.source for each in inputs.every if each.source is not None}
    writer = DiagnosticWriter({**sources, project.shown: source}, question["encoding"])
    written = {name: writer.diagnostics(found.get(name, [])) for name in (path, *found)}
    return {**written, path: [*without_cluster(project), *written[path]]}


def _are_saved(paths: Iterable[str], memory: ReadFiles) -> bool:
    """Whether the open texts of some files equal the files on disk."""
    try:
        return all(path not in memory.texts or _on_disk(path) == memory.texts.text(path) for path in paths)
    except (OSError, UnicodeDecodeError):
        return False


def _on_disk(path: str) -> str:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return file.read()
