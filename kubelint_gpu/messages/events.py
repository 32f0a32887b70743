"""Changes of a cluster in the form that a sentence uses."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.messages.wording import amount, bare, counted, listed
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    Change,
    LabelSet,
    NodeJoins,
    PodArrives,
    PodsEnd,
    QuotaGrows,
    TaintGoes,
    Uncordoned,
)
from kubelint_gpu.values import Value

_FEW_OWNERS = 3


class Own(Value):
    """Names for pods of the workload itself: `the` existing one, `one` of several, and `many`."""

    the: str
    one: str
    many: str

    def several(self, number: int) -> str:
        """`2 old pods`."""
        return f"{number} {self.many}"


OLD = Own("the old pod", "an old pod", "old pods")
"""Beside a new pod in a rollout."""
SIBLING = Own("another pod of its own", "another pod of its own", "other pods of its own")
"""Beside one more replica."""


def told(changes: Iterable[Change], mine: Owner | None = None, own: Own = OLD) -> str:
    """The changes as the rest of 'it would fit if'; `it` is the node, and pods of owner `mine` are called `own`."""
    every = tuple(changes)
    set_labels = [f"{one.key}={one.value}" for one in every if isinstance(one, LabelSet) and one.value is not None]
    parts = []
    for change in every:
        if isinstance(change, LabelSet) and change.value is not None and len(set_labels) > 1:
            if f"{change.key}={change.value}" == set_labels[0]:
                parts.append(f"the labels {listed(set_labels)} are set")
        else:
            parts.append(_change_text(change, mine, own))
    return " and ".join(parts) if len(parts) < 3 else ", and ".join(parts)


def owner_text(owner: Owner, mine: Owner | None = None, own: Own = OLD) -> str:
    """`Job ml/train`; `an old pod` for the workload's own."""
    return own.one if owner == mine else f"{owner.kind} {owner.namespace}/{owner.name}"


def requirement_text(requirement: Requirement) -> str:
    """`zone=a`, `zone in a, b`, `zone not in a`, `gpu is there`, `gpus > 4`."""
    key, values = requirement.key, requirement.values
    if requirement.operator == "In":
        return f"{key}={values[0]}" if len(values) == 1 else f"{key} in {', '.join(values)}"
    if requirement.operator == "NotIn":
        return f"{key} not in {', '.join(values)}"
    if requirement.operator in ("Gt", "Lt"):
        return f"{key} {'>' if requirement.operator == 'Gt' else '<'} {', '.join(values)}"
    return f"{key} is {'there' if requirement.operator == 'Exists' else 'not there'}"


def _change_text(change: Change, mine: Owner | None, own: Own) -> str:
    if isinstance(change, PodsEnd):
        return _ends(change, mine, own)
    if isinstance(change, PodArrives):
        labels = ", ".join(f"{key}={value}" for key, value in sorted(change.pod.meta.labels.items()))
        return f"a pod with {labels or 'any labels'} runs on it in namespace {change.pod.meta.namespace}"
    if isinstance(change, TaintGoes):
        return f"the taint {change.taint} goes"
    if isinstance(change, LabelSet):
        key, value = change.key, change.value
        return f"the label {key} is taken off" if value is None else f"the label {key}={value} is set"
    if isinstance(change, Uncordoned):
        return "it is uncordoned"
    if isinstance(change, CapacityGrows):
        return f"it has {amount(change.resource, change.allocatable)} (now {bare(change.resource, change.now)})"
    if isinstance(change, QuotaGrows):
        return (
            f"ResourceQuota {change.quota} allows {change.key}={canonical(change.hard)} (now {canonical(change.now)})"
        )
    return _joins(change)


def _ends(change: PodsEnd, mine: Owner | None, own: Own) -> str:
    parts = []
    for owner, number in change.owners:
        if owner == mine:
            parts.append(own.one if number == 1 else own.several(number))
        elif owner.kind == "Pod":
            parts.append(f"the pod {owner.namespace}/{owner.name}")
        elif owner.kind == "ResourceClaim":
            parts.append(f"what uses {owner_text(owner)}")
        else:
            parts.append(f"{'a pod' if number == 1 else counted(number, 'pod')} of {owner_text(owner)}")
    total = sum(number for _, number in change.owners)
    one = total == 1
    if len(parts) > _FEW_OWNERS:
        parts = [f"{total} pods of {len(parts)} owners"]
    if change.terminating:
        return f"{listed(parts)}, which {'is' if one else 'are'} being deleted, {'is' if one else 'are'} gone"
    return f"{listed(parts)} {'ends' if one else 'end'}"


def _joins(change: NodeJoins) -> str:
    having = [f"{key}={value}" if value is not None else f"no {key}" for key, value in change.labels]
    having += [f"at least {amount(resource, number)}" for resource, number in change.allocatable]
    text = f"a node like {change.like} joins"
    if having:
        text = f"a node like {change.like} with {listed(having)} joins"
    return text + (
        f", without the taint {listed([str(taint) for taint in change.untainted])}" if change.untainted else ""
    )
