"""What would help a pod on the nearest nodes of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from kubelint_gpu.scheduler.explain.cluster_changes import CapacityGrows, NodeJoins, PodsEnd
from kubelint_gpu.scheduler.explain.node_groups import LABELS
from kubelint_gpu.scheduler.explain.pod_changes import DISTANT
from kubelint_gpu.scheduler.explain.what_would_help import GATES, Remedy, RemedySearch
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status


def remedies_on(
    search: RemedySearch, nodes: Sequence[NodeInfo], result: FitResult, share: int
) -> tuple[tuple[Remedy, ...], int]:
    """Remedies on the nearest nodes, and how many nodes were tried; equal nodes are tried once.

    Every node is tried by itself if the verdict can depend on more than its own load.
    """
    apart = bool(search.pod.spec.volumes) or any(plugin.name in DISTANT for plugin, _ in result.active)
    alike: dict[Hashable, list[str]] = {}
    for info in nodes:
        key = info.name if apart else (info.node.allocatable, _load(search, info))
        alike.setdefault(key, []).append(info.name)
    found: dict[Hashable, Remedy] = {}
    examined = 0
    for names in list(alike.values())[:share]:
        examined += len(names)
        for changes in search.on(names[0]):
            signature = tuple([getattr(change, "owners", change) for change in changes])
            known = found.get(signature)
            where = (*known.nodes, *names) if known is not None else tuple(names)
            found[signature] = Remedy(changes if known is None else known.changes, where)
    return tuple(sorted(found.values(), key=_likelihood)), examined


def _likelihood(remedy: Remedy) -> tuple[int, int, int]:
    """A sort key: first remedies without new capacity, then those with few changes, then few pods."""
    pods = sum(len(change.pods) for change in remedy.changes if isinstance(change, PodsEnd))
    return sum(isinstance(change, CapacityGrows) for change in remedy.changes), len(remedy.changes), pods


def _load(search: RemedySearch, info: NodeInfo) -> Hashable:
    memory = search.snapshot.memory
    return frozenset(Counter((kind_of(pod, memory), pod.meta.maker) for pod in info.pods).items())


def joining_node(search: RemedySearch, info: NodeInfo, status: Status) -> NodeJoins | None:
    """A node that would take the pod if it joined: a copy of a full node, or of any node with missing labels set."""
    if status.plugin not in ("", *GATES):
        return search.joining(info.node)
    if status.plugin in ("", LABELS) and not search.labels_exist:
        missing = search.labels.lack(info.node)
        return search.joining(info.node, missing) if missing is not None else None
    return None
