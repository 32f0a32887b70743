"""The answer to 'hover': why a workload fits where it fits, which nodes have a label, the page of a rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urljoin

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.catalogue import UnknownRule, find, page, rule
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.kube.objects.priority import NEVER
from kubelint_gpu.lsp.answers.hover_workload import workload_text
from kubelint_gpu.lsp.document.cluster_facts import ClusterFacts
from kubelint_gpu.lsp.document.diagnostics import code, escaped
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.positions import offset, offset_range
from kubelint_gpu.lsp.typed.meanings import Meant, meant
from kubelint_gpu.lsp.typed.typed_place import TypedPlace, typed_place
from kubelint_gpu.messages.wording import amount, bare, counted, listed
from kubelint_gpu.patterns import pattern

_MOST = 10
_SUPPRESSION = pattern(r"#\s*kubelint-gpu:\s*ignore\[(?P<codes>[^\]]*)")
_WORD = pattern(r"[\w-]+")
_LINK = pattern(r"\]\((?![a-z]+:|#)(?P<path>[^)]+)\)")
_EXAMPLES = pattern(r"^## (?:Bad|Good)\b.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def cluster_text(found: Meant, word: str, facts: ClusterFacts) -> str:
    """Return what the cluster has for a word; empty if there is nothing to say."""
    if not word:
        return ""
    if found.meaning == "label-key":
        return _label(word, facts)
    if found.meaning == "label-value":
        return _label_value(found.key, word, facts)
    if found.meaning == "taint-key":
        return _taint(word, facts)
    if found.meaning in ("taint-value", "effect"):
        return _taint(found.key, facts) if found.key else ""
    if found.meaning == "priority-class":
        return _priority_class(word, facts)
    if found.meaning == "runtime-class":
        known = word in facts.runtime_classes
        return "" if known else f"There is no RuntimeClass {code(word)}.{_there_are(facts.runtime_classes)}"
    return _resource(word, facts) if found.meaning == "resource" else ""


def _label(key: str, facts: ClusterFacts) -> str:
    values = facts.labels.get(key)
    if values is None:
        return f"No node has the label {code(key)}."
    lines = [f"The label {code(key)} is on {_of(sum(values.values()), facts)}:", ""]
    ordered = sorted(values, key=lambda value: (-values[value], natural(value)))
    lines += [f"- {code(value)}: {counted(values[value], 'node')}" for value in ordered[:_MOST]]
    if len(ordered) > _MOST:
        lines.append(f"- and {counted(len(ordered) - _MOST, 'other value')}")
    return "\n".join(lines)


def _label_value(key: str, value: str, facts: ClusterFacts) -> str:
    values = facts.labels.get(key) or Counter[str]()
    if value in values:
        return f"The label {code(f'{key}={value}')} is on {_of(values[value], facts)}."
    if not values:
        return f"No node has the label {code(key)}." if key else ""
    return f"No node has the label {code(f'{key}={value}')}.{_there_are(sorted(values, key=natural))}"


def _taint(key: str, facts: ClusterFacts) -> str:
    taints = facts.taints.get(key)
    if taints is None:
        return f"No node has a taint {code(key)}."
    lines = [f"The taint {code(key)} is on {_of(sum(taints.values()), facts)}:", ""]
    for (value, effect), number in sorted(taints.items())[:_MOST]:
        text = f"{key}={value}:{effect}" if value else f"{key}:{effect}"
        lines.append(f"- {code(text)}: {counted(number, 'node')}")
    return "\n".join(lines)


def _priority_class(name: str, facts: ClusterFacts) -> str:
    priority_class = facts.priority_classes.get(name)
    if priority_class is None:
        return f"There is no PriorityClass {code(name)}.{_there_are(sorted(facts.priority_classes))}"
    parts = [f"PriorityClass {code(name)}: priority **{priority_class.value}**"]
    if priority_class.preemption_policy == NEVER:
        parts.append("never preempts")
    if priority_class.global_default:
        parts.append("the default of pods that name none")
    text = ", ".join(parts) + "."
    return f"{text} {escaped(priority_class.description)}" if priority_class.description else text


def _resource(name: str, facts: ClusterFacts) -> str:
    numbers = facts.resources.get(name)
    if numbers is None:
        return f"No node has the resource {code(name)}."
    if not numbers:
        return f"Only nodes that a pool may add have the resource {code(name)}."
    least, most = numbers[0], numbers[-1]
    each = bare(name, most) if least == most else f"{bare(name, least)} to {bare(name, most)}"
    total = f", {escaped(amount(name, sum(numbers)))} in all" if len(numbers) > 1 else ""
    return f"{_of(len(numbers), facts)} {'has' if len(numbers) == 1 else 'have'} {code(name)}: {each} each{total}."


def _of(number: int, facts: ClusterFacts) -> str:
    return f"**{number} of {counted(facts.nodes, 'node')}**"


def _there_are(names: Sequence[str]) -> str:
    shown = [code(name) for name in names[:_MOST]]
    if len(names) > _MOST:
        shown.append(f"{len(names) - _MOST} others")
    return f" There {'is' if len(names) == 1 else 'are'} {listed(shown)}." if names else ""


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, Any] | None:
    """Return a hover in Markdown; None if there is nothing to say."""
    project = Project(question, memory)
    reading = project.reading
    if reading is None or reading.source is None:
        return None
    source, encoding = reading.source, question["encoding"]
    at = offset(source, question["line"], question["character"], encoding)
    parts: list[str] = []
    place = typed_place(source, at)
    written = None if place is not None else _code(source, at)
    if written is not None:
        parts.append(rule_page(written))
    elif place is not None and not project.declares(project.path):
        parts += _of_place(place, project, memory, source, at)
    parts += [_of_finding(*one) for one in question["told"]]
    if not parts:
        return None
    found: dict[str, Any] = {"contents": {"kind": "markdown", "value": "\n\n---\n\n".join(parts)}}
    if place is not None:
        found["range"] = offset_range(source, place.start, place.end, encoding)
    return found


def rule_page(code: str) -> str:
    """Return the page of a rule without its examples, with absolute links."""
    url = rule(code).url
    text = _EXAMPLES().sub("", page(code)).strip()
    text = _LINK().sub(lambda found: f"]({urljoin(url, found['path'])})", text)
    return f"{text}\n\n[The whole page]({url})"


def _of_place(place: TypedPlace, project: Project, memory: ReadFiles, source: SourceText, at: int) -> Iterator[str]:
    found = meant(place)
    if found is not None and project.world.usable:
        text = cluster_text(found, place.word, memory.counts.of(project.unit()))
    else:
        text = workload_text(place, project, memory, source, at) if found is None else ""
    if text:
        yield text


def _of_finding(code: str, message: str, told: str) -> str:
    text = f"**{code}** {escaped(message)}"
    if told:
        text += f"\n\n{told}"
    try:
        return f"{text}\n\n{rule_page(code)}"
    except UnknownRule:
        return text


def _code(source: SourceText, at: int) -> str | None:
    """Return the rule whose code or name is at an offset inside of a suppression."""
    number = source.span(at, at).line
    start, line = source.line_starts[number - 1], source.line(number)
    for comment in _SUPPRESSION().finditer(line):
        for word in _WORD().finditer(line, *comment.span("codes")):
            if word.start() <= at - start <= word.end():
                try:
                    return find(word[0]).code
                except UnknownRule:
                    return None
    return None
