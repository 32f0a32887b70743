"""The answer to 'hover': why a workload fits where it fits, what the cluster has of a label, the page of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.catalogue import UnknownRule, find, page, rule
from kubelint_gpu.lsp.answers.hover_cluster import cluster_text
from kubelint_gpu.lsp.answers.hover_workload import workload_text
from kubelint_gpu.lsp.document.diagnostics import escaped
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.positions import offset, offset_range
from kubelint_gpu.lsp.typed.meanings import meant
from kubelint_gpu.lsp.typed.typed_place import TypedPlace, typed_place
from kubelint_gpu.patterns import pattern

_SUPPRESSION = pattern(r"#\s*kubelint-gpu:\s*ignore\[(?P<codes>[^\]]*)")
_WORD = pattern(r"[\w-]+")
_LINK = pattern(r"\]\((?![a-z]+:|#)(?P<path>[^)]+)\)")
_EXAMPLES = pattern(r"^## (?:Bad|Good)\b.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def answer(question: dict[str, Any], memory: ReadFiles) -> dict[str, Any] | None:
    """A hover in Markdown; None where there is nothing to say."""
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
    """A rule's page without its examples, with links that lead somewhere."""
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
    """The rule whose code or name stands at an offset inside of a suppression."""
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
