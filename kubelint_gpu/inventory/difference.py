"""What has changed between two inventories of a cluster, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.inventory import UNHEALTHY, Inventory
from kubelint_gpu.inventory.gpus.accelerators import is_accelerator
from kubelint_gpu.inventory.view.node_names import abbreviated, natural
from kubelint_gpu.inventory.view.node_rows import amount_text, node_classes
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.priority import PriorityClass
from kubelint_gpu.kube.objects.taints import CORDONED

# kinds that have sentences of their own
_TOLD = ("Node", "Pod", "PriorityClass")
# what a label says that changes with every look at the node
_NOISE = ("nvidia.com/gfd.timestamp",)


def differences(old: Inventory, new: Inventory) -> tuple[str, ...]:
    """One sentence for each change that may matter: nodes, GPUs, pools, running pods, priority classes, other objects.

    Equal changes of several nodes are one sentence; no sentence means that no verdict can differ.
    """
    return (
        *_settings(old, new),
        *_nodes(_of(old), _of(new)),
        *_gpus(old, new),
        *_pools(old, new),
        *_tenants(old, new),
        *_priorities(old, new),
        *_others(old, new),
    )


def _settings(old: Inventory, new: Inventory) -> Iterator[str]:
    if old.kubernetes_version != new.kubernetes_version:
        yield f"Kubernetes {_was(new.kubernetes_version or 'unknown', old.kubernetes_version or 'unknown')}"
    if old.complete != new.complete:
        yield f"the list of nodes is {'complete, was not' if new.complete else 'not complete, was'}"
    if old.admission != new.admission:
        yield "what admission changes in pods is declared differently"
    if old.scheduler != new.scheduler:
        yield "the settings of kube-scheduler are declared differently"


def _of(inventory: Inventory) -> dict[str, Node]:
    return {each.name: each.typed for each in inventory.objects if isinstance(each.typed, Node)}


def _nodes(old: Mapping[str, Node], new: Mapping[str, Node]) -> Iterator[str]:
    for names, word in ((old.keys() - new.keys(), "gone"), (new.keys() - old.keys(), "new")):
        has = old if word == "gone" else new
        for what, group in _grouped((name, _hardware(has[name])) for name in names):
            yield f"{_named(group)} {'is' if len(group) == 1 else 'are'} {word}{f' ({what})' if what else ''}"
    changed = ((name, "; ".join(_node_changes(old[name], new[name]))) for name in old.keys() & new.keys())
    for what, group in _grouped((name, what) for name, what in changed if what):
        yield f"{_named(group)}: {what}"


def _node_changes(old: Node, new: Node) -> Iterator[str]:
    for resource in sorted({*old.allocatable, *new.allocatable}):
        amounts = [node.allocatable.get(resource) for node in (new, old)]
        if amounts[0] != amounts[1]:
            texts = [amount_text(resource, amount) if amount is not None else "none" for amount in amounts]
            yield f"{resource} {_was(*texts)}"
    if old.unschedulable != new.unschedulable:
        yield "cordoned" if new.unschedulable else "no longer cordoned"
    before, after = old.meta.annotations.get(UNHEALTHY), new.meta.annotations.get(UNHEALTHY)
    if before != after:
        yield f"unhealthy: {after}" if after else "no longer unhealthy"
    taints = [
        {taint for taint in node.taints if not (node.unschedulable and str(taint) == CORDONED)} for node in (old, new)
    ]
    for word, gone, come in (
        ("taint", taints[0] - taints[1], taints[1] - taints[0]),
        ("label", _labels(old) - _labels(new), _labels(new) - _labels(old)),
    ):
        yield from sorted(f"{word} {_written(each)} is gone" for each in gone)
        yield from sorted(f"{word} {_written(each)} is new" for each in come)


def _labels(node: Node) -> set[tuple[str, str]]:
    return {(key, value) for key, value in node.labels.items() if key not in _NOISE}


def _written(found: Any) -> str:
    if isinstance(found, tuple):
        return "=".join(found)
    return f"{found.key}{f'={found.value}' if found.value else ''}:{found.effect}"


def _hardware(node: Node) -> str:
    gpus = [f"{amount} {name}" for name, amount in sorted(node.allocatable.items()) if amount and is_accelerator(name)]
    return f"each with {', '.join(gpus)}" if gpus else ""


def _gpus(old: Inventory, new: Inventory) -> Iterator[str]:
    before, after = _totals(old), _totals(new)
    for resource in sorted({*before, *after}):
        were, are = before.get(resource, (0, 0)), after.get(resource, (0, 0))
        if were[0] != are[0]:
            yield f"in all {_was(f'{are[0]} {resource}', str(were[0]))}"
        if were[1] != are[1]:
            yield f"free {_was(f'{are[1]} {resource}', str(were[1]))}"


def _totals(inventory: Inventory) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for each in node_classes(inventory):
        for resource in each.accelerators:
            total, free = found.get(resource, (0, 0))
            found[resource] = total + each.total(resource), free + each.free.get(resource, 0)
    return found


def _pools(old: Inventory, new: Inventory) -> Iterator[str]:
    before, after = ({pool.name: pool for pool in inventory.pools} for inventory in (old, new))
    for name in sorted({*before, *after}, key=natural):
        if name not in after or name not in before:
            yield f"pool {name} is {'gone' if name not in after else 'new'}"
            continue
        was, now = before[name], after[name]
        if len(was.nodes) != len(now.nodes):
            yield f"pool {name}: {_was(f'{len(now.nodes)} nodes', str(len(was.nodes)))}"
        if was.autoscaling != now.autoscaling:
            texts = [
                f"{scaling.minimum} to {scaling.maximum}" if scaling else "off"
                for scaling in (now.autoscaling, was.autoscaling)
            ]
            yield f"pool {name}: autoscaling {_was(*texts)}"
        if not was.nodes and not now.nodes and was.template.value != now.template.value:
            yield f"pool {name}: its nodes are declared differently"


def _tenants(old: Inventory, new: Inventory) -> Iterator[str]:
    before, after = _running(old), _running(new)
    for owner in sorted({*before, *after}, key=natural):
        were, are = before.get(owner, Counter()), after.get(owner, Counter())
        if were == are:
            continue
        number, past = are.total(), were.total()
        if not past or not number:
            yield f"{owner}: {_pods(number or past)} {'gone' if not number else 'new'}"
        elif number != past:
            yield f"{owner}: {_was(_pods(number), str(past))}"
        else:
            left = sorted((were - are).elements(), key=natural)
            come = sorted((are - were).elements(), key=natural)
            yield f"{owner}: {_pods(len(left))} moved from {_listed(left)} to {_listed(come)}"


def _running(inventory: Inventory) -> dict[str, Counter[str]]:
    """How many pods of each owner run on which nodes."""
    from kubelint_gpu.inventory.declarations.usage import placed_pods
    from kubelint_gpu.inventory.view.node_rows import owner_of

    found: dict[str, Counter[str]] = {}
    for _, pod in placed_pods(inventory):
        found.setdefault(owner_of(pod), Counter())[pod.spec.node_name] += 1
    return found


def _priorities(old: Inventory, new: Inventory) -> Iterator[str]:
    before, after = (
        {each.name: each.typed for each in inventory.objects if isinstance(each.typed, PriorityClass)}
        for inventory in (old, new)
    )
    for name in sorted({*before, *after}, key=natural):
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            found = now or was
            value = f" (value {found.value})" if found is not None else ""
            yield f"PriorityClass {name} is {'gone' if now is None else 'new'}{value}"
        elif was.value != now.value:
            yield f"PriorityClass {name}: value {_was(str(now.value), str(was.value))}"
        elif was != now:
            yield f"PriorityClass {name} has changed"


def _others(old: Inventory, new: Inventory) -> Iterator[str]:
    from kubelint_gpu.inventory.capture.pruning import pruned

    before, after = (
        {
            (each.kind, each.namespace, each.name): pruned(each.value) or each.value
            for each in inventory.objects
            if each.kind not in _TOLD
        }
        for inventory in (old, new)
    )
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            word = "has changed" if key in before and key in after else "is gone" if key in before else "is new"
            yield f"{key[0]} {'/'.join(part for part in key[1:] if part)} {word}"


def _grouped(found: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    groups = grouped((what, name) for name, what in sorted(found, key=lambda pair: natural(pair[0])))
    return list(groups.items())


def _named(names: list[str]) -> str:
    return f"{'node' if len(names) == 1 else f'{len(names)} nodes'} {', '.join(abbreviated(names))}"


def _listed(names: list[str]) -> str:
    return ", ".join(abbreviated(names))


def _pods(number: int) -> str:
    return f"{number} pod{'' if number == 1 else 's'}"


def _was(now: str, before: str) -> str:
    return f"{now}, was {before}"
