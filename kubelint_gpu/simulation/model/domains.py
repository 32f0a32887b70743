"""Equal topology domains, for example zones with the same nodes. Whatever happens in one can happen in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.scheduler.framework.node_info import has_claims
from kubelint_gpu.simulation.asked import asked
from kubelint_gpu.simulation.controllers.rollout_state import Content
from kubelint_gpu.simulation.model.node_symmetry import NodeSignature
from kubelint_gpu.simulation.model.pod_types import PodTypes

EQUAL_ZONES = "equal-zones"
Domain = tuple[range, ...]
"""The classes of nodes of one domain, in the same order as those of a domain that is like it."""


def equal_domains(
    nodes: Iterable[Node],
    signature: NodeSignature,
    mark: Callable[[Node], tuple[Hashable, ...]],
    pod_types: PodTypes,
    names: Sequence[str],
    classes: Sequence[range],
) -> tuple[tuple[Domain, ...], ...]:
    """Groups of equal domains of the only label with domains of several nodes; only the label's value differs.

    `signature` and `mark` cover all that matters about a node except its pods. All nodes of one class have one value of
    the label.
    """
    label = signature.domain
    if not label or not asked((EQUAL_ZONES,)) or any(has_claims(kind.pod) for kind in pod_types.kinds):
        return ()
    runs = grouped((name, (number, (number, name) in pod_types.unready)) for number, name in pod_types.homes)
    every = {node.name: node for node in nodes}
    traits = {
        name: (signature.of(node, without=label), *mark(node), tuple(sorted(runs.get(name, ()))))
        for name, node in every.items()
    }
    members: dict[str, Counter[Hashable]] = {}
    for name, node in every.items():
        if label in node.labels:
            members.setdefault(node.labels[label], Counter())[traits[name]] += 1
    found: dict[str, list[range]] = {domain: [] for domain in members}
    for part in classes:
        domain = every[names[part.start]].labels.get(label)
        if domain is not None:
            found[domain].append(part)
    groups: dict[Hashable, list[Domain]] = {}
    for domain, parts in found.items():
        ordered = sorted(parts, key=lambda part: sorted(repr(traits[names[place]]) for place in part))
        groups.setdefault(frozenset(members[domain].items()), []).append(tuple(ordered))
    return tuple(tuple(group) for group in groups.values() if len(group) > 1 and group[0])


def in_order(nodes: list[Content], domains: Sequence[Sequence[Domain]]) -> list[Content]:
    """The contents of nodes, with those of equal domains in sorted order."""
    for group in domains:
        held = sorted([[nodes[part.start : part.stop] for part in domain] for domain in group])
        for domain, contents in zip(group, held, strict=True):
            for part, content in zip(domain, contents, strict=True):
                nodes[part.start : part.stop] = content
    return nodes
