"""Phrases of `explain` about nodes, holders and remedies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.explain.scheduling_moments import SchedulingMoment
from kubelint_gpu.inventory.view.node_rows import abbreviated
from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.objects.pod import UNTOLD_PRIORITY, PodSpec
from kubelint_gpu.messages.events import Own, owner_text, requirement_text
from kubelint_gpu.messages.wording import amount, bare, counted, listed
from kubelint_gpu.scheduler.explain.cluster_changes import Holder, PodsEnd
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass, Extent
from kubelint_gpu.scheduler.explain.what_would_help import HOSTNAME, Remedy
from kubelint_gpu.workspace.workload_check import WorkloadCheck

MOST_HOLDERS, _MOST_NAMES = 3, 4


def moment_text(found: SchedulingMoment, subject: WorkloadCheck) -> str:
    """The moment at which the pod is placed, and the pods beside it."""
    beside = [name for name, _ in found.beside]
    own = sum(number for _, number in found.beside)
    names = names_text(beside)
    if found.moment == "rollout":
        if not own:
            return "In a rollout, after all old pods are gone"
        placed = "" if found.known or own == 1 else " (the first nodes that take them)"
        return f"In a rollout, beside {'the old pod' if own == 1 else f'{own} old pods'} on {names}{placed}"
    if found.moment == "upgrade":
        return (
            f"As a hook before an upgrade, beside {counted(own, 'old pod')} on {names} (the first nodes that take them)"
        )
    if found.moment == "next-replica":
        return f"As replica {own + 1} of {subject.workload.replicas}, beside {counted(own, 'other')} on {names}"
    return "When it is first created, beside what the inventory says is running"


def failing_text(found: SchedulingMoment) -> str:
    """A clause that an error on some node ends the attempt; empty if there is no error."""
    return f": the error on {names_text(found.failing)} ends the attempt for all nodes" if found.failing else ""


def names_text(nodes: Sequence[str]) -> str:
    """Names of nodes, numbered ones as a range."""
    found = abbreviated(nodes)
    if len(found) <= _MOST_NAMES:
        return ", ".join(found)
    return f"{', '.join(found[: _MOST_NAMES - 1])} and {len(found) - _MOST_NAMES + 1} more"


def victims_text(names: Sequence[str]) -> str:
    """The pods that are evicted."""
    more = len(names) - _MOST_NAMES
    return f"{', '.join(names[:_MOST_NAMES])} and {more} more" if more > 0 else listed(names)


def free_text(row: ExplainedClass, resource: str) -> str:
    """The free and the allocatable amount of a resource on nodes of a class."""
    free, total = row.free[resource], row.allocatable[resource]
    low = bare(resource, free.least)
    text = low if free.least == free.most else f"{low} to {bare(resource, free.most)}"
    return f"{text} of {amount(resource, total.most)}"


def some_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - MOST_HOLDERS
    return ", ".join(names[:MOST_HOLDERS]) + (f" and {counted(more, 'other')}" if more > 0 else "")


def devices_text(free: Extent, there: Extent) -> str:
    """How many devices are free, and how many there are."""
    low = str(free.least) if free.least == free.most else f"{free.least} to {free.most}"
    return f"{low} of {counted(there.most, 'device')}"


def claims_texts(spec: PodSpec) -> Iterator[str]:
    """Yield each claim of a pod, with the claim or the template that it names."""
    for entry in spec.resource_claims:
        name, template = entry.get("resourceClaimName"), entry.get("resourceClaimTemplateName")
        yield f"devices of claim {name}" if name is not None else f"devices by template {template}"


def unmet_texts(row: ExplainedClass) -> Iterator[str]:
    """Yield each label that the nodes of a class lack, with their actual values."""
    for one in row.unmet:
        actual = one.actual if one.requirement.key != HOSTNAME else ()
        yield requirement_text(one.requirement) + (f" (here {' or '.join(actual)})" if actual else "")


def holder_text(holder: Holder, mine: Owner, own: Own, *, alone: bool) -> str:
    """Return the resources of an owner on the nodes of a class, as text."""
    number = len(holder.pods)
    if holder.owner == mine:
        text = own.the if number == 1 else own.several(number)
    elif holder.owner.kind == "Pod":
        text = f"pod {holder.owner.namespace}/{holder.owner.name}"
    else:
        text = owner_text(holder.owner) + (f" ({number} pods)" if number > 1 else "")
    if not alone:
        text += f" on {names_text(holder.nodes)}"
    amounts = [amount(name, held) for name, held in holder.amounts.items() if name != "pods"]
    devices = tuple(dict.fromkeys(holder.devices))
    facts = [*amounts, *([some_names(devices)] if devices else [])]
    if holder.priority != UNTOLD_PRIORITY:
        facts.append(f"priority {holder.priority}" + (", lower" if holder.lower else ""))
    if holder.terminating:
        facts.append("being deleted")
    return f"{text}: {', '.join(facts)}"


def is_one_pod(remedy: Remedy) -> bool:
    """Whether the end of one pod is enough."""
    change = remedy.changes[0]
    return len(remedy.changes) == 1 and isinstance(change, PodsEnd) and len(change.pods) == 1 and not change.terminating


def any_of(remedies: Sequence[Remedy], mine: Owner, own: Own, *, several: bool) -> str:
    """`a pod of Job a, Job b or 6 others ends`."""
    owners = []
    for remedy in remedies:
        change = remedy.changes[0]
        if isinstance(change, PodsEnd):
            owner = change.owners[0][0]
            text = f"pod {owner.namespace}/{owner.name}" if owner.kind == "Pod" else owner_text(owner, mine, own)
            owners.append(text + (f" (on {names_text(remedy.nodes)})" if several else ""))
    more = len(owners) - MOST_HOLDERS
    shown = owners[:MOST_HOLDERS] + ([counted(more, "other owner")] if more > 0 else [])
    return f"a pod of any of these ends: {listed(shown, 'or')}"
