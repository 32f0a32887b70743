"""Finds placed pods by a label selector without looking at each pod."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.scheduler.framework.snapshot import Placed, Snapshot

Group = tuple[str, FrozenMap[str, str]]


def placed_matching(
    snapshot: Snapshot, selector: LabelSelector | None, namespaces: frozenset[str] | None
) -> Iterator[tuple[Group, tuple[Placed, ...]]]:
    """The placed pods that a selector matches, in groups of equal namespace and labels.

    `namespaces` None means all; `selector` None matches nothing.
    """
    if selector is None:
        return
    groups = snapshot.by_labels()
    for group in _candidates(snapshot, selector, groups):
        namespace, labels = group
        if (namespaces is None or namespace in namespaces) and selector.matches(labels):
            yield group, groups[group]


def _candidates(
    snapshot: Snapshot, selector: LabelSelector, groups: Mapping[Group, tuple[Placed, ...]]
) -> Iterable[Group]:
    """The groups that can match: if there are many, those with a label value that some requirement names."""
    if len(groups) <= PLACEMENT.few_groups:
        return groups
    named = [requirement for requirement in selector.requirements if requirement.operator == "In"]
    if not named:
        return groups
    index = snapshot.derived("groups by label", _by_label)
    found = [
        [group for value in dict.fromkeys(requirement.values) for group in index.get((requirement.key, value), ())]
        for requirement in named
    ]
    return min(found, key=len)


def _by_label(snapshot: Snapshot) -> Mapping[tuple[str, str], list[Group]]:
    return grouped((label, group) for group in snapshot.by_labels() for label in group[1].items())
