"""Which nodes take a pod, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, NamedTuple

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.equality import FEW_NODES
from kubelint_gpu.scheduler.framework.node_classes import NodeClass, alone, classes
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import Code, Filter, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import PLUGINS
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge

_NOBODY: frozenset[str] = frozenset()

Active = tuple[tuple[Plugin, Any], ...]


class Preparation(NamedTuple):
    """The results of the PreFilter plugins, the plugins that narrowed the nodes, and the nodes that are left."""

    prepared: Sequence[tuple[Plugin, Prepared]]
    narrowing: Sequence[str] = ()
    left: frozenset[str] | None = None

    @property
    def active(self) -> Active:
        """The filters that apply to the pod, with their states."""
        return tuple([(plugin, found.state) for plugin, found in self.prepared])


class FitResult(Value, dict=True):
    """The filters' verdict on a pod.

    Attributes:
        classes: the judged nodes, equal ones together; the first plugin that rejects gives the status.
        total: how many nodes there are.
        prefilter: the rejection by which a PreFilter plugin ended the attempt before any node was judged.
        excluded: the status of the nodes that PreFilter plugins excluded; None if there are none.
        excluded_nodes: their names, sorted.
        active: the filters that applied to the pod, with the states of their PreFilter.
    """

    classes: tuple[NodeClass, ...] = ()
    total: int = 0
    prefilter: Status | None = None
    excluded: Status | None = None
    excluded_nodes: tuple[str, ...] = ()
    active: Active = ()

    @cached_property
    def schedulable(self) -> bool:
        """Whether any node takes the pod, and no error ends the attempt."""
        return self.error is None and any(found.status is None for found in self.classes)

    @cached_property
    def error(self) -> Status | None:
        """The error that ends the whole attempt; of several, that of the first node by name."""
        if self.prefilter is not None and self.prefilter.code is Code.ERROR:
            return self.prefilter
        return None if self.failing is None else self.failing.status

    @cached_property
    def failing(self) -> NodeClass | None:
        """The nodes whose error ends the attempt; None if there is no error."""
        failed = [one for one in self.classes if one.status is not None and one.status.code is Code.ERROR]
        return min(failed, key=lambda one: one.representative.name) if failed else None

    @cached_property
    def unknown(self) -> Status | None:
        """Why it is not known whether a node takes the pod, if no other node certainly does; else None."""
        if any(found.status is None for found in self.classes):
            return None
        unsure = (one.status for one in self.classes if one.status is not None and one.status.code is Code.UNKNOWN)
        return next(unsure, None)

    @property
    def hopeful(self) -> bool:
        """Whether a node takes the pod, or might if other pods ran: an error need not occur again then."""
        return self.schedulable or self.error is not None or self.unknown is not None

    @cached_property
    def fits(self) -> tuple[str, ...]:
        """The names of the nodes that the filters let pass, sorted, even if an error ends the attempt."""
        return tuple(
            sorted(node.node.meta.name for found in self.classes if found.status is None for node in found.nodes)
        )

    @property
    def takers(self) -> tuple[str, ...]:
        """The names of the nodes that take the pod, sorted; empty if an error ends the attempt."""
        return () if self.error is not None else self.fits

    @property
    def rejections(self) -> Mapping[str, Status]:
        """By name, the status of each node that does not take the pod, including excluded ones."""
        found = {node.name: one.status for one in self.classes if one.status is not None for node in one.nodes}
        if self.excluded is not None:
            found.update(dict.fromkeys(self.excluded_nodes, self.excluded))
        return {name: found[name] for name in sorted(found)}

    def rejects(self, names: AbstractSet[str], but_for: str) -> bool:
        """Whether a plugin other than `but_for` rejects one of some nodes."""
        refusing = [one for one in self.classes if one.status is not None and one.status.plugin != but_for]
        if any(name in one.group.names and name not in one.apart for name in names for one in refusing):
            return True
        return self.excluded is not None and not names.isdisjoint(self.excluded_nodes)


def fit(
    pod: Pod, snapshot: Snapshot, *, by_class: bool | None = None, plugins: Sequence[Plugin] = PLUGINS
) -> FitResult:
    """Run every filter plugin on every node, like kube-scheduler's filtering phase.

    The pod's priority and nominations of other pods are ignored.
    `by_class` judges equal nodes once (the default for more than a few nodes); the result is the same.
    Source: `findNodesThatFitPod` of pkg/scheduler/schedule_one.go.
    """
    nodes = snapshot.nodes
    begun = prepare(pod, snapshot, plugins)
    if isinstance(begun, Status):
        return FitResult(total=len(nodes), prefilter=begun)
    prepared, narrowing, left = begun
    active = begun.active
    filters = [(plugin.filter, state) for plugin, state in active]
    each = 1 + sum(found.steps for _, found in prepared)
    if left is not None:
        charge(each * len(left))
        return _narrowed(snapshot, left, narrowing, active)
    if by_class is None:
        by_class = len(nodes) > FEW_NODES
    if not by_class:
        charge(1 + each * len(nodes))
        return FitResult(
            tuple([NodeClass(alone(node), _NOBODY, judged(filters, node)) for node in nodes]), len(nodes), active=active
        )
    found_classes = classes(snapshot, prepared)
    charge(1 + each * len(found_classes) + len(nodes) // STEPS.passed_nodes)
    return FitResult(
        tuple([replace(found, status=judged(filters, found.representative)) for found in found_classes]),
        len(nodes),
        active=active,
    )


def fit_on(pod: Pod, snapshot: Snapshot, name: str) -> Status | None:
    """The result of `fit` for one node only: its rejection, or None. Raises KeyError if there is no such node."""
    node = snapshot.node(name)
    if node is None:
        raise KeyError(name)
    begun = prepare(pod, snapshot)
    if isinstance(begun, Status):
        return begun
    charge(1 + sum(found.steps for _, found in begun.prepared))
    if begun.left is not None and name not in begun.left:
        return _excluded(snapshot, begun.narrowing)
    return judged([(plugin.filter, state) for plugin, state in begun.active], node)


def judged(filters: Sequence[tuple[Filter, Any]], node: NodeInfo) -> Status | None:
    """The first rejection of a node by filters with their states; None if all let it pass."""
    for run, state in filters:
        status = run(state, node)
        if status is not None:
            return status
    return None


def prepare(pod: Pod, snapshot: Snapshot, plugins: Sequence[Plugin] = PLUGINS) -> Preparation | Status:
    """Run the PreFilter plugins; return a status if one of them ends the attempt."""
    prepared: list[tuple[Plugin, Prepared]] = []
    narrowing: list[str] = []
    left: frozenset[str] | None = None
    rejection: Status | None = None
    for plugin in plugins:
        found = plugin.pre_filter(pod, snapshot)
        if found.skip:
            continue
        if found.status is not None:
            rejection = found.status
            if rejection.code in (Code.UNRESOLVABLE, Code.ERROR):
                return rejection
            continue
        prepared.append((plugin, found))
        if found.nodes is not None:
            narrowing.append(plugin.name)
            left = found.nodes if left is None else left & found.nodes
            if not left:
                return _unsatisfied(narrowing)
    return Preparation(prepared, narrowing, left) if rejection is None else rejection


def _narrowed(snapshot: Snapshot, left: frozenset[str], narrowing: Sequence[str], active: Active) -> FitResult:
    filters = [(plugin.filter, state) for plugin, state in active]
    found = [node for node in map(snapshot.node, sorted(left)) if node is not None]
    return FitResult(
        tuple(NodeClass(alone(node), _NOBODY, judged(filters, node)) for node in found),
        len(snapshot.nodes),
        excluded=_excluded(snapshot, narrowing),
        excluded_nodes=tuple(node.name for node in snapshot.nodes if node.name not in left),
        active=active,
    )


def _excluded(snapshot: Snapshot, narrowing: Sequence[str]) -> Status:
    return Status("", Code.EXCLUDED, (snapshot.behaviour.excluded.format(plugins=" ".join(sorted(narrowing))),))


def _unsatisfied(narrowing: Sequence[str]) -> Status:
    names = " ".join(sorted(narrowing))
    which = f"plugin {names}" if len(narrowing) == 1 else f"plugin(s) [{names}] simultaneously"
    return Status("", Code.UNRESOLVABLE, (NodeReason(f"didn't satisfy {which}"),))
