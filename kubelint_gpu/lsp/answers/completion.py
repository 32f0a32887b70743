"""The answer to 'completion': names that the declared cluster offers at a place, and rules in suppressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import SourceText
from kubelint_gpu.documents.emitter import scalar_text
from kubelint_gpu.findings.catalogue import every_rule
from kubelint_gpu.groups import summed
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.lsp.document.cluster_facts import ClusterFacts
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.positions import offset, offset_range
from kubelint_gpu.lsp.typed.meanings import Meant, meant
from kubelint_gpu.lsp.typed.typed_place import TypedPlace, typed_place
from kubelint_gpu.messages.wording import bare, counted
from kubelint_gpu.patterns import pattern

_SUPPRESSION = pattern(r"#\s*kubelint-gpu:\s*ignore\[(?:[^\]#]*,)?\s*(?P<word>[\w-]*)$")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_TAINT_OPERATORS = ("Equal", "Exists")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_PROPERTY, _VALUE, _CLASS, _RULE = 10, 12, 7, 21
_MOST = 300
Offer = tuple[str, str, int]


def answer(question: dict[str, Any], memory: ReadFiles) -> list[dict[str, Any]]:
    """Return the items, the most likely first."""
    project = Project(question, memory)
    reading = project.reading
    if reading is None or reading.source is None:
        return []
    source, encoding = reading.source, question["encoding"]
    at = offset(source, question["line"], question["character"], encoding)
    before = source.text[source.line_starts[source.span(at, at).line - 1] : at]
    suppression = _SUPPRESSION().search(before)
    if suppression is not None:
        rules = [(rule.code, f"{rule.name}: {rule.summary}", _RULE) for rule in every_rule()]
        return _items(rules, source, (at - len(suppression["word"]), at), encoding)
    place = typed_place(source, at)
    found = meant(place) if place is not None else None
    if place is None or found is None:
        return []
    offers = list(_offers(found, memory.counts.of(project.unit()), place))
    written = [(_written(text, place, source, found), text, detail, kind) for text, detail, kind in offers[:_MOST]]
    return [
        _item(label, new, detail, kind, number, offset_range(source, place.start, place.end, encoding))
        for number, (new, label, detail, kind) in enumerate(written)
    ]


def _offers(found: Meant, facts: ClusterFacts, place: TypedPlace) -> Iterator[Offer]:
    """Yield the fitting names, each with a description."""
    meaning = found.meaning
    if meaning == "label-key":
        for key in sorted(facts.labels, key=lambda key: (len(facts.labels[key]) < 2, key)):
            yield key, _on(sum(facts.labels[key].values()), facts), _PROPERTY
    elif meaning == "label-value":
        values = facts.labels.get(found.key) or Counter[str]()
        for value in sorted(values, key=natural):
            yield value, _on(values[value], facts), _VALUE
    elif meaning in ("taint-key", "taint-value", "effect"):
        yield from _taints(found, facts)
    elif meaning in ("operator", "taint-operator"):
        for name in _OPERATORS if meaning == "operator" else _TAINT_OPERATORS:
            yield name, "", _VALUE
    elif meaning == "priority-class":
        for priority_class in sorted(
            facts.priority_classes.values(), key=lambda each: (each.name.startswith("system-"), -each.value)
        ):
            default = ", the default" if priority_class.global_default else ""
            yield priority_class.name, f"priority {priority_class.value}{default}", _CLASS
    elif meaning == "runtime-class":
        for name in facts.runtime_classes:
            yield name, "RuntimeClass", _CLASS
    else:
        for name in sorted(facts.resources, key=lambda name: ("/" not in name, name)):
            if name not in place.siblings:
                numbers = facts.resources[name]
                most = f", at most {bare(name, numbers[-1])} each" if numbers else ""
                yield name, _on(len(numbers), facts) + most, _PROPERTY


def _taints(found: Meant, facts: ClusterFacts) -> Iterator[Offer]:
    if found.meaning == "taint-key":
        for key, taints in sorted(facts.taints.items()):
            yield key, _on(sum(taints.values()), facts), _PROPERTY
        return
    taints = facts.taints.get(found.key) or Counter[tuple[str, str]]()
    position = 0 if found.meaning == "taint-value" else 1
    numbers = summed((taint[position], number) for taint, number in sorted(taints.items()))
    for text, number in numbers.items():
        if text:
            yield text, _on(number, facts), _VALUE
    if found.meaning == "effect":
        for effect in _EFFECTS:
            if effect not in numbers:
                yield effect, "", _VALUE


def _on(number: int, facts: ClusterFacts) -> str:
    return f"on {number} of {counted(facts.nodes, 'node')}" if number else "only on nodes that a pool may add"


def _written(text: str, place: TypedPlace, source: SourceText, found: Meant) -> str:
    """Return the text as YAML at its place, with a missing colon after a key, or blank before a value."""
    new = scalar_text(text)
    if found.as_key:
        rest = source.text[place.end : place.end + 200].partition("\n")[0].lstrip(" \t\r")
        return new if rest.startswith(":") else f"{new}: "
    before = source.text[place.start - 1 : place.start]
    return f" {new}" if before in (":", "-") else new


def _items(offers: list[Offer], source: SourceText, at: tuple[int, int], encoding: str) -> list[dict[str, Any]]:
    where = offset_range(source, *at, encoding)
    return [_item(text, text, detail, kind, number, where) for number, (text, detail, kind) in enumerate(offers)]


def _item(label: str, new: str, detail: str, kind: int, number: int, at: dict[str, Any]) -> dict[str, Any]:
    return {
        "label": label,
        "kind": kind,
        "detail": detail,
        "sortText": f"{number:04}",
        "filterText": new.strip().removesuffix(":"),
        "textEdit": {"range": at, "newText": new},
    }
