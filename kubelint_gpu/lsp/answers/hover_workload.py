"""Why a workload fits where it fits, and how its rollout ends, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.documents import SourceText
from kubelint_gpu.explain.explanation_phrases import failing_text
from kubelint_gpu.explain.scheduling_moments import SchedulingMoment, situations
from kubelint_gpu.inventory.view.node_rows import abbreviated
from kubelint_gpu.lsp.document.diagnostics import code, escaped
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.typed.typed_place import TypedPlace, typed_line
from kubelint_gpu.messages.wording import amount, counted, foremost, listed, without_class, workload_name
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_FIELDS = (("kind",), ("metadata",), ("metadata", "name"), ("spec",), ("spec", "replicas"))
_STRATEGIES = ("strategy", "updateStrategy")
_MOST_CLASSES, _MOST_NAMES = 6, 4
_VERDICTS = {
    "stuck": "never ends",
    "may-stick": "may wait for ever",
    "completes": "comes to its end",
    "undecided": "was not decided",
}


def workload_text(place: TypedPlace, project: Project, memory: ReadFiles, source: SourceText, at: int) -> str:
    """Return a text about the workload at a place; empty if there is no workload."""
    path = (*place.path, place.word) if place.role == "key" else place.path
    while path[:2] == ("items", None):
        path = path[2:]
    if path not in _FIELDS and not (path[:1] == ("spec",) and len(path) > 1 and path[1] in _STRATEGIES):
        return ""
    unit = project.unit()
    reading = project.reading
    if reading is not None and not reading.problems:
        memory.last_good[project.path] = unit
    manifest, note = _at(unit, project.shown, at), ""
    if manifest is None and reading is not None and reading.problems and project.path in memory.last_good:
        unit = memory.last_good[project.path]
        manifest, note = _called(unit, project.shown, *_name(source, at)), "\n\nAs of the last text that could be read."
    if manifest is None:
        return ""
    if not project.world.usable:
        return "Where it fits depends on the cluster, and none is declared: name an inventory in `.kubelint-gpu.yaml`."
    return "\n\n".join(_manifest(unit, manifest)) + note


def _manifest(unit: ApplySet, manifest: Manifest) -> Iterator[str]:
    subjects = [subject for subject in unit.subjects if subject.manifest.item is manifest.item]
    for subject in subjects:
        yield "\n\n".join(_subject(unit, subject))
    if subjects:
        return
    if manifest.workload is not None and manifest.workload.partial:
        yield "A patch: where it fits is known of the whole object only."
    elif manifest.problems:
        yield f"It cannot be judged: {escaped(str(manifest.problems[0]))}"


def _subject(unit: ApplySet, subject: WorkloadCheck) -> Iterator[str]:
    found = situations(unit, subject)
    asked = [amount(name, number) for name, number in found[0].explanation.requests.items()]
    yield f"**{escaped(workload_name(subject.workload))}** asks for {escaped(listed(asked) or 'nothing')}."
    if not subject.known_class:
        name = found[0].explanation.pod.spec.priority_class_name
        text = without_class(name)
        yield f"{text[0].upper()}{escaped(text[1:])}."
    for one in found:
        yield "\n".join(_situation(one, subject))
    judgement = judgements_in(unit).get(subject.key) if subject.controller.rolls else None
    if judgement is not None and judgement.verdict is not None:
        yield f"The rollout **{_VERDICTS[judgement.verdict.value]}**."


def _situation(found: SchedulingMoment, subject: WorkloadCheck) -> Iterator[str]:
    explanation = found.explanation
    total = explanation.fit.total
    where = f"fits on **{found.takers} of {counted(total, 'node')}**{escaped(failing_text(found))}"
    if explanation.held or explanation.refusal:
        reason = explanation.held or explanation.refusal
        where = f"is {'not looked at' if explanation.held else 'refused'} ({escaped(reason)}), and otherwise {where}"
    rejected = [row for row in explanation.classes if not row.fits]
    because = ", because" if rejected else "."
    yield f"{_moment(found, subject)}, it {where}{because}"
    if rejected:
        yield ""
    for row in rejected[:_MOST_CLASSES]:
        yield f"- {_nodes(row)}: {escaped(_reason(row))}"
    more = rejected[_MOST_CLASSES:]
    if more:
        yield f"- and {counted(sum(len(row.nodes) for row in more), 'other node')}; `kubelint-gpu explain` names all"
    if found.growing:
        yield f"- a node of pool {escaped(listed(found.growing, 'or'))} would take it"


def _reason(row: ExplainedClass) -> str:
    reasons = ", ".join(row.status.reasons) if row.status is not None else ""
    if row.holders:
        holders = [f"{one.owner.kind} {one.owner.namespace}/{one.owner.name}" for one in row.holders]
        reasons += f", held by {foremost(holders)}"
    return reasons


def _moment(found: SchedulingMoment, subject: WorkloadCheck) -> str:
    own = sum(number for _, number in found.beside)
    nodes = _few(abbreviated([name for name, _ in found.beside]))
    if found.moment == "rollout":
        return f"In a rollout, beside {counted(own, 'old pod')} on {nodes}" if own else "In a rollout"
    if found.moment == "upgrade":
        return f"As a hook before an upgrade, beside {counted(own, 'old pod')} on {nodes}"
    if found.moment == "next-replica":
        return f"As replica {own + 1} of {subject.workload.replicas}"
    return "When first created"


def _nodes(row: ExplainedClass) -> str:
    names = _few(abbreviated(row.nodes))
    return f"{names} ({len(row.nodes)} nodes)" if len(row.nodes) > 1 else names


def _few(names: Sequence[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return ", ".join(map(code, names))
    return f"{', '.join(map(code, names[: _MOST_NAMES - 1]))} and {len(names) - _MOST_NAMES + 1} more"


def _at(unit: ApplySet, shown: str, at: int) -> Manifest | None:
    """Return the object at an offset of a file."""
    for manifest in unit.manifests:
        document = manifest.item.document
        if manifest.path != shown or not document.chunk[0] <= at < max(
            document.chunk[1], at + (at == document.chunk[1])
        ):
            continue
        node = document.node(manifest.item.pointer)
        if not manifest.item.pointer or (node is not None and node[0] <= at <= node[1]):
            return manifest
    return None


def _called(unit: ApplySet, shown: str, kind: str, name: str) -> Manifest | None:
    same = (found for found in unit.manifests if (found.path, found.kind, found.name) == (shown, kind, name))
    return next(same, None)


def _name(source: SourceText, at: int) -> tuple[str, str]:
    """Return the kind and name in the text around an offset, even if the text is no valid YAML."""
    number = source.span(at, at).line
    while number > 1 and not source.line(number).startswith("---"):
        number -= 1
    kind, name, section = "", "", ""
    while number < len(source.line_starts):
        number += 1
        if source.line(number).startswith("---"):
            break
        line = typed_line(source.line(number))
        if line.key is not None and line.first == 0:
            section = line.key
            kind = line.scalar if line.key == "kind" else kind
        elif line.key == "name" and section == "metadata" and not name:
            name = line.scalar
    return kind, name
