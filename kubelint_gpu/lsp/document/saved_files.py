"""The answer to 'saved': what a run of the command line on a document finds, in all files that it reports."""

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
    """Diagnostics by path: of the document, and of other files that its kustomizations and charts are made of.

    The plain manifests of its directory are judged with it. The answer is empty if the document is not saved, or if it
    is judged beside documents that are not: what counts is what lies on disk.
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
        members = [one.path for one in project.unit().readings]
        gathered = gather([project.shown], inventories, configuration=project.configuration, also=members)
        if not gathered.built.takes(path) and not _are_saved(memory.texts, memory):
            return {}
        inputs = inputs_of(gathered, inventories)
        selection = select(project.configuration, (), (), None)
        baseline = load_baseline(project.configuration.baseline)
        outcome = check(inputs.units, inputs.world, suppression=selection.suppression())
        findings = tuple(filter(inputs.reports, (*outcome.findings, *inputs.defects)))
        shown = reported(findings, selection, baseline)
        found = by_path(shown, lambda one: Path(one).name != NAME and not project.declares(one))
    except click.ClickException:
        # the answer to 'check' says what is wrong
        return {}
    sources = {one.source.path: one.source for one in inputs.every if one.source is not None}
    writer = DiagnosticWriter({**sources, project.shown: source}, question["encoding"])
    written = {one: writer.diagnostics(found.get(one, [])) for one in (path, *found)}
    return {**written, path: [*without_cluster(project), *written[path]]}


def _are_saved(paths: Iterable[str], memory: ReadFiles) -> bool:
    """Whether the texts of those of some files that are open are those on disk."""
    try:
        return all(one not in memory.texts or _on_disk(one) == memory.texts.text(one) for one in paths)
    except (OSError, UnicodeDecodeError):
        return False


def _on_disk(path: str) -> str:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return file.read()
