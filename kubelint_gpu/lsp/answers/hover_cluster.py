"""What the declared cluster has of a label, a taint, a resource or a class, in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.inventory.view.node_names import natural
from kubelint_gpu.kube.objects.priority import NEVER
from kubelint_gpu.lsp.document.cluster_facts import ClusterFacts
from kubelint_gpu.lsp.document.diagnostics import code, escaped
from kubelint_gpu.lsp.typed.meanings import Meant
from kubelint_gpu.messages.wording import amount, bare, counted, listed

_MOST = 10


def cluster_text(found: Meant, word: str, facts: ClusterFacts) -> str:
    """What is there; empty where nothing is to be said."""
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
    found = facts.priority_classes.get(name)
    if found is None:
        return f"There is no PriorityClass {code(name)}.{_there_are(sorted(facts.priority_classes))}"
    parts = [f"PriorityClass {code(name)}: priority **{found.value}**"]
    if found.preemption_policy == NEVER:
        parts.append("never preempts")
    if found.global_default:
        parts.append("the default of pods that name none")
    text = ", ".join(parts) + "."
    return f"{text} {escaped(found.description)}" if found.description else text


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
