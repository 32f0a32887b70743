"""The interface of a plugin.

A plugin is a module in `plugins/`, named as kube-scheduler names it in snake_case, that holds one `PLUGIN` of the
class below made of two pure functions (three if preemption changes its state):

```python
def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
   # once per pod: SKIP, rejected(...) or Prepared(state, ...)
def _filter(state: Any, node: NodeInfo) -> Status | None:
   # once per node: None lets the pod pass
def _without(state: Any, pods: tuple[Pod, ...], node: NodeInfo) -> Any:
   # the state as if these pods of this node were gone; the given state is not changed
PLUGIN = Plugin("NodePorts", _pre_filter, _filter)
```

* `node` may be a copy with fewer pods (a dry run of preemption): read pods, requests and ports from it, and facts about
 the rest of the cluster from the state.
* `Prepared.labels`, `Prepared.by_load` and `Prepared.apart` say how the filter distinguishes nodes, beyond taints and
 `unschedulable`: nodes that are equal for all plugins are judged once (`node_classes.py`).
 `labels` maps a label key to the values that matter, each to a token (equal tokens, equal treatment); all other values
 count as one value, and a missing label as another; None instead of a mapping: every value matters.
 `by_load` is for filters that look at allocatable, requests and host ports: a key of the pod that decides the verdict.
 `apart` names nodes that are judged one by one, because the filter knows them by name or by their pods.
 `by_node` gives a value for each node, for filters that look at objects that belong to a node.
* A `post_filter` returns the plugin's message for a pod that fits nowhere; its state is None if it was skipped.
* `facts` describe what the verdict depends on and what pods hold under it (`facts.py`). A plugin without facts is
 assumed to look at every pod and every node: everything stays right, only slower and less exact.
* Reasons are constants of the plugin's module, or wordings of `Behaviour` if releases differ; those about nodes are
 `NodeReason`s (`node_reason.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from typing import Any

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.facts import ANYTHING, Facts
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value

Labels = Mapping[str, Mapping[str, Hashable] | None]


class Code(str, Enum):
    """Why a node does not take a pod, as far as preemption needs it."""

    UNSCHEDULABLE = "Unschedulable"
    """Fewer pods on the node could help."""
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    """No eviction helps."""
    EXCLUDED = "PreFilterExcluded"
    """Outside the nodes that the PreFilter plugins left; preemption sees `UNRESOLVABLE`."""
    ERROR = "Error"
    """The whole attempt fails, whatever the other nodes say."""
    UNKNOWN = "Unknown"
    """What the scheduler would say is not known here: kube-scheduler has no such code."""


class Status(Value):
    """A rejection: by which plugin, whether preemption can help, and the reasons in the plugin's order.

    `short` has a resource for each reason, `pods` for the number of pods; empty for other reasons.
    """

    plugin: str
    code: Code
    reasons: tuple[str, ...]
    short: tuple[str, ...] = ()

    @property
    def shortages(self) -> tuple[tuple[str, str], ...]:
        """Each reason with the resource that is short; the resource is empty for other reasons."""
        return tuple(zip(self.reasons, self.short or [""] * len(self.reasons), strict=True))


class Prepared(Value):
    """The result of PreFilter for a pod.

    Attributes:
        state: what `filter` needs to know about the pod and the cluster.
        skip: the filter does not apply to this pod.
        status: the rejection of the pod on all nodes.
        nodes: the names of the only possible nodes; None means all.
        labels: the node labels that the filter looks at.
        by_load: set if the filter looks at allocatable, usage or host ports: equal values, equal verdicts.
        apart: names of the nodes that it distinguishes from all others.
        by_node: set if only the filter itself can distinguish nodes: equal values, equal verdicts.
        sight: the input of `by_node` besides the snapshot: equal sights, equal values; None if it is the pod.
        steps: the extra cost of the filter for each node, in steps of the run's work.
    """

    state: Any = None
    skip: bool = False
    status: Status | None = None
    nodes: frozenset[str] | None = None
    labels: Labels = EMPTY
    by_load: Hashable = None
    apart: frozenset[str] = frozenset()
    by_node: Callable[[NodeInfo], Hashable] | None = None
    sight: Hashable = None
    steps: int = 0


SKIP = Prepared(skip=True)


Filter = Callable[[Any, NodeInfo], Status | None]


class Plugin(Value, eq=False):
    """A filter of kube-scheduler; `name` is kube-scheduler's name for it.

    Attributes:
        without: the state after some pods of a node are gone.
        facts: what is true about it for every pod.
        reserve: the pod with what it gets on a node, for each possible choice, if the plugin allocates anything.
        post_filter: its message for a pod that fits nowhere, given the nodes that it rejected; its state is None if it
            was skipped.
        takes: how many equal pods the filter lets onto a node that takes one; None if they must be placed to know.
    """

    name: str
    pre_filter: Callable[[Pod, Snapshot], Prepared]
    filter: Filter
    without: Callable[[Any, tuple[Pod, ...], NodeInfo], Any] | None = None
    facts: Facts = ANYTHING
    takes: Callable[[Any, NodeInfo], int] | None = None
    post_filter: Callable[[Any, Snapshot, Iterable[tuple[NodeInfo, Status]]], str] | None = None
    reserve: Callable[[Pod, Snapshot, str], tuple[Pod, ...]] | None = None


ANY_NUMBER = sys.maxsize


def any_number(_state: Any, _node: NodeInfo) -> int:
    """The `takes` of a filter that ignores the pods of the node."""
    return ANY_NUMBER


def rejected(plugin: str, *reasons: str, code: Code = Code.UNRESOLVABLE) -> Prepared:
    """The result of a PreFilter that rejects the pod on all nodes."""
    return Prepared(status=Status(plugin, code, reasons))
