"""Objects of an inventory as Kubernetes writes them, and its running pods, read once nodes and classes are known."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.unread import unread
from kubelint_gpu.inventory.gathered import GatheredDeclarations, name_of
from kubelint_gpu.inventory.objects.declared_nodes import MOST_NODES
from kubelint_gpu.inventory.objects.raw import raw_object
from kubelint_gpu.inventory.objects.running import MOST_PODS, admitted, running_pods
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import PriorityClass

if TYPE_CHECKING:
    from kubelint_gpu.documents import Item
    from kubelint_gpu.inventory.declarations.declared import Declared


def gather_pods(found: GatheredDeclarations) -> None:
    """Add the running pods that wait to what was found."""
    classes = tuple(each.typed for each in found.objects if isinstance(each.typed, PriorityClass))
    nodes = {each.name: each for each in found.objects if isinstance(each.typed, Node)}
    broken = frozenset(one.name for one in found.unread if one.kind == "PriorityClass")
    named = broken | {one.name for one in classes}

    def of_class(pod: Declared) -> Declared:
        name = pod.typed.spec.priority_class_name if isinstance(pod.typed, Pod) else ""
        with found.one("PriorityClass", {"name": name}, pod.item, pod.pointer):
            return admitted(pod, classes, found.problems, raw=True, broken=broken)

    found.pods = [of_class(pod) for pod in found.pods]
    entries: list[dict[str, Any]] = [item.value["running"][pointer[1]] for item, pointer in found.waiting]
    totals = accumulate(entry.get("count", 1) for entry in entries)
    above = next((number for number, total in enumerate(totals) if total > MOST_PODS), None)
    if above is not None:
        sentence = f"this brings the inventory above {MOST_PODS:,} running pods, more than it may have"
        found.problems.append(error_at(*found.waiting[above], sentence))
        return
    for (item, pointer), entry in zip(found.waiting, entries, strict=True):
        if "pod" in entry:
            value = {**entry["pod"], "apiVersion": "v1", "kind": "Pod"}
            with found.one("Pod", entry, item, pointer):
                declared = raw_object(item, found.problems, value, (*pointer, "pod"))
            if declared is not None:
                found.pods.append(of_class(declared))
        elif entry["node"] not in nodes and found.doubtful & {entry["node"], None}:
            found.unread.append(unread("Pod", entry))
        else:
            with found.one("Pod", entry, item, pointer):
                found.pods += running_pods(item, pointer, nodes, classes, found.problems, broken)
            if "priorityClassName" in entry and entry["priorityClassName"] not in named:
                found.unread.append(unread("PriorityClass", {"name": entry["priorityClassName"]}))


def gather_raw(item: Item, found: GatheredDeclarations) -> None:
    """Add an object as kubectl prints it; a pod waits."""
    with found.one(item.value["kind"], item.value, item):
        declared = raw_object(item, found.problems)
    if declared is None:
        if item.value["kind"] == "Node":
            found.doubtful.add(name_of(item.value) or None)
        return
    if isinstance(declared.typed, Node):
        found.nodes += 1
        if found.nodes == MOST_NODES + 1:
            sentence = f"more than {MOST_NODES:,} nodes, more than an inventory may have"
            found.problems.append(error_at(item, (), sentence, role="key"))
        if found.nodes > MOST_NODES:
            return
    (found.pods if isinstance(declared.typed, Pod) else found.objects).append(declared)
