"""The checking process: reads a question as a line of JSON, and writes its answer as a line of JSON."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click

from kubelint_gpu.documents import Reading, SourceText, comments, read, source_text
from kubelint_gpu.engine.baseline import load_baseline
from kubelint_gpu.engine.repair import fix_units
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import select
from kubelint_gpu.lsp.document.diagnostics import (
    INVENTORY,
    DiagnosticWriter,
    by_path,
    reported,
    without_cluster,
)
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.open_documents import absolute
from kubelint_gpu.lsp.document.positions import offset_range
from kubelint_gpu.patterns import pattern
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import Inputs, inputs_of

Answerer = Callable[[dict[str, Any], ReadFiles], Any]


def main() -> None:
    """Answer until the other process is gone."""
    answers = os.fdopen(os.dup(1), "wb")
    # text that is printed by mistake goes to the log and must not come between the answers
    os.dup2(2, 1)
    questions: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, questions), daemon=True).start()
    answerers = _answerers()
    memory = ReadFiles()
    while True:
        question = json.loads(questions.get())
        memory.texts.update(question["open"])
        result = _result(answerers[question["do"]], question, memory)
        answers.write(json.dumps({"id": question["id"], "result": result}).encode() + b"\n")
        answers.flush()


def _listen(stream: BinaryIO, questions: queue.Queue[bytes]) -> None:
    """Pass the questions on. If the other process is gone, end this process at once."""
    while line := stream.readline():
        questions.put(line)
    # `sys.exit` would end only this thread
    signal.raise_signal(signal.SIGTERM)


def _result(answerer: Answerer, question: dict[str, Any], memory: ReadFiles) -> Any:
    try:
        return answerer(question, memory)
    except Exception as error:  # noqa: BLE001 - a failed question must not stop the next ones
        traceback.print_exc(file=sys.stderr)
        return {"failed": f"{type(error).__name__}: {error}"}


def _answerers() -> dict[str, Answerer]:
    from kubelint_gpu.lsp.answers import completion, hover
    from kubelint_gpu.lsp.document import diagnostics

    return {
        "check": diagnostics.answer,
        "saved": saved,
        "hover": hover.answer,
        "completion": completion.answer,
        "fix-all": all_fixed,
        "ignore": ignored_here,
    }


def saved(question: dict[str, Any], memory: ReadFiles) -> dict[str, list[dict[str, Any]]]:
    """Return diagnostics by path: of the document, and of the sources of its kustomizations and charts.

    The rest of the repository is beside it, as it is for the command. The answer is empty if the document is not
    saved, or if it is judged with unsaved documents: only files on disk count.
    """
    path = question["path"]
    try:
        project = Project(question, memory)
        inputs = _inputs(project, question["inventories"], memory)
        if inputs is None:
            return {}
        selection = select(project.configuration, (), (), None)
        baseline = load_baseline(project.configuration.baseline)
        outcome = check(inputs.units, inputs.world, suppression=selection.suppression())
        findings = tuple(filter(inputs.reports, (*outcome.findings, *inputs.defects)))
        shown = reported(findings, selection, baseline)
        found = by_path(shown, lambda name: Path(name).name != NAME and not project.declares(name))
    except click.ClickException:
        # the answer to 'check' reports the problem
        return {}
    writer = DiagnosticWriter(_sources(project, inputs.every), question["encoding"])
    written = {name: writer.diagnostics(found.get(name, [])) for name in (path, *found)}
    return {**written, path: [*without_cluster(project), *written[path]]}


def _inputs(project: Project, inventories: Sequence[str], memory: ReadFiles) -> Inputs | None:
    """Return the inputs of the command for a saved document; None if it is not saved, or judged with unsaved ones."""
    path, source = project.path, project.reading.source if project.reading is not None else None
    declares = source is None or project.declares(path) or Path(path).name == NAME or INVENTORY in source.text
    if declares or not _are_saved([path], memory):
        return None
    gathered = gather([project.shown], inventories, configuration=project.configuration)
    if not gathered.built.takes(path) and not _are_saved(memory.texts, memory):
        return None
    return inputs_of(gathered, inventories)


def _sources(project: Project, readings: Iterable[Reading]) -> dict[str, SourceText]:
    """Return the texts of files by the path in findings; of the document, its text in the editor."""
    mine = [project.reading] if project.reading is not None else []
    return {each.source.path: each.source for each in (*readings, *mine) if each.source is not None}


def _are_saved(paths: Iterable[str], memory: ReadFiles) -> bool:
    """Whether the open texts of some files equal the files on disk."""
    try:
        return all(path not in memory.texts or _on_disk(path) == memory.texts.text(path) for path in paths)
    except (OSError, UnicodeDecodeError):
        return False


def _on_disk(path: str) -> str:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return file.read()


_LONG = 20_000

_WRITTEN = pattern(r"#\s*kubelint-gpu:\s*ignore\s*\[[^\]]*(?=\])")
_REASON = "TODO: say why"


def all_fixed(question: dict[str, Any], memory: ReadFiles) -> dict[str, list[dict[str, Any]]]:
    """Return edits by path that make all safe fixes of a document's findings, one after the other, as `--fix` does.

    They are made to the units in which these findings are shown: those of the command if the document is saved.
    """
    project = Project(question, memory)
    selection = select(project.configuration, (), (), None)
    baseline = load_baseline(project.configuration.baseline)
    inputs = _inputs(project, question["inventories"], memory)
    units = (project.unit(),) if inputs is None else inputs.units
    wanted = baseline.wanted(lambda finding: absolute(finding.place.path) == project.path and selection.mends(finding))
    changed = fix_units(units, selection.suppression(), wanted).changed
    last = {after.path: after.text for _, after in changed}
    sources = _sources(project, [reading for unit in units for reading in unit.sources])
    return {absolute(path): list(_edits(sources[path], text, question["encoding"])) for path, text in last.items()}


def _edits(old: SourceText, new: str, encoding: str) -> Iterator[dict[str, Any]]:
    """Yield one edit for each block of different lines, so that the cursor stays at its place."""
    from difflib import SequenceMatcher

    lines, others = _lines(old), _lines(source_text("", new))
    if len(lines) > _LONG:
        yield {"range": offset_range(old, 0, len(old.text), encoding), "newText": new}
        return
    starts = (*old.line_starts, len(old.text))
    for what, first, last, other_first, other_last in SequenceMatcher(
        None, lines, others, autojunk=False
    ).get_opcodes():
        if what != "equal":
            at = offset_range(old, starts[first], starts[last], encoding)
            yield {"range": at, "newText": "".join(others[other_first:other_last])}


def _lines(source: SourceText) -> list[str]:
    ends = (*source.line_starts[1:], len(source.text))
    return [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]


def ignored_here(question: dict[str, Any], memory: ReadFiles) -> list[dict[str, Any] | None]:
    """Return an edit for each pair of a line, counted from 0, and a code; None if no comment fits there.

    The edit suppresses the code for that line and changes nothing else. The candidates, in order: a further code in an
    existing suppression, a comment on the line above, a comment at the end of the line.
    """
    reading = Project(question, memory).reading
    if reading is None or reading.source is None:
        return [None for _ in question["marks"]]
    return [_edit(reading, line + 1, code, question["encoding"]) for line, code in question["marks"]]


def _edit(reading: Reading, line: int, code: str, encoding: str) -> dict[str, Any] | None:
    source = reading.source
    if source is None or source.path.endswith(".json") or line > len(source.line_starts):
        return None
    for at, text in _candidates(reading, source, line, code):
        if _holds(reading, source, at, text):
            return {"range": offset_range(source, at, at, encoding), "newText": text}
    return None


def _candidates(reading: Reading, source: SourceText, line: int, code: str) -> Iterator[tuple[int, str]]:
    for comment in comments(reading):
        alone = source.line(comment.line)[: comment.column - 1].strip() == ""
        written = _WRITTEN().match(comment.text)
        if written is not None and (comment.line == line or (alone and comment.line == line - 1)):
            yield comment.offset + written.end(), f", {code}"
    start = source.line_starts[line - 1]
    content = source.line(line)
    indent = content[: len(content) - len(content.lstrip(" "))]
    newline = "\r\n" if "\r\n" in source.text else "\n"
    yield start, f"{indent}# kubelint-gpu: ignore[{code}] {_REASON}{newline}"
    yield start + len(content.rstrip()), f"  # kubelint-gpu: ignore[{code}] {_REASON}"


def _holds(reading: Reading, source: SourceText, at: int, text: str) -> bool:
    """Whether a change adds a comment and leaves the data as they are."""
    after = read(source.path, (source.text[:at] + text + source.text[at:]).encode(errors="replace"))
    if len(after.problems) > len(reading.problems) or len(after.documents) != len(reading.documents):
        return False
    if any(old.value != new.value for old, new in zip(reading.documents, after.documents, strict=True)):
        return False
    begin = at + len(text) - len(text.lstrip())
    return any(comment.offset <= begin <= comment.offset + len(comment.text) for comment in comments(after))
