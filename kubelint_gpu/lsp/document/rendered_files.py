"""The answer to 'rendered': findings of kustomizations and charts in the files that they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import select
from kubelint_gpu.lsp.document.diagnostics import DiagnosticWriter, by_path
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.workspace.project.charts import CHART
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of
from kubelint_gpu.workspace.project.targets import in_kustomized_folder


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, list[dict[str, Any]]]:
    """Diagnostics of a document by its path, as a run of the command line on this file has them.

    The answer is empty if the document belongs to no kustomization and no chart, or is not saved: what is on disk is
    rendered.
    """
    path = question["path"]
    in_chart = any((folder / CHART).is_file() for folder in Path(path).parents)
    if not in_chart and not in_kustomized_folder(path):
        return {}
    try:
        project = Project(question, memory)
        source = project.reading.source if project.reading is not None else None
        if source is None or not _is_saved(path, source.text):
            return {}
        inventories = question["inventories"]
        gathered = gather([project.shown], inventories, configuration=project.configuration)
        if not gathered.built.takes(path):
            return {}
        inputs = inputs_of(gathered, inventories)
        selection = select(project.configuration, (), (), None)
    except click.ClickException:
        # the answer to 'check' says what is wrong
        return {}
    outcome = check(inputs.units, inputs.world, suppression=selection.suppression(), effort=EFFORTS["low"])
    sources = {one.source.path: one.source for one in inputs.every if one.source is not None}
    found = by_path(list(selection.selected(outcome.findings)), lambda one: one == path)
    writer = DiagnosticWriter({**sources, project.shown: source}, question["encoding"])
    return {path: writer.diagnostics(found.get(path, []))}


def _is_saved(path: str, text: str) -> bool:
    try:
        return Path(path).read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
