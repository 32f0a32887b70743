"""What a plugin is.

A plugin is a module in `plugins/`, named as kube-scheduler names it in snake_case, that holds one `PLUGIN` of the
class below made of two pure functions (three where preemption changes what it knows):

```python
def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    # once per pod: SKIP, rejected(...) or Prepared(state, ...)
def _filter(state: Any, node: NodeInfo) -> Status | None:
    # once per node: None lets the pod pass
def _without(state: Any, pods: tuple[Pod, ...], node: NodeInfo) -> Any:
    # the state as if these pods of this node were gone; the given state is not changed
PLUGIN = Plugin("NodePorts", _pre_filter, _filter)
```

* `node` may be a copy with fewer pods (preemption tries one out): read pods, requests and ports from it, and what the
  rest of the cluster holds from the state.
* `Prepared.labels`, `Prepared.by_load` and `Prepared.apart` say by what the filter tells nodes apart, beyond taints and
  `unschedulable`: nodes that no plugin tells apart are judged once for all (`classes.py`).
  `labels` maps a label key to the values that matter, each to a token (equal tokens, equal treatment); all other values
  count as one value, and a missing label as another; None instead of a mapping: every value matters.
  `by_load` is for filters that look at allocatable, requests and host ports: what of the pod their verdict rests on.
  `apart` names nodes that are judged one by one, because the filter knows them by name or by their pods.
  `by_node` gives a value for each node, for filters that look at what nodes have outside of their object.
* A `post_filter` gives what the plugin says of a pod that fits nowhere; its state is None where it had nothing to do.
* `facts` say what the verdict depends on and what pods hold under it (`facts.py`). A plugin that leaves them out is
  taken to look at every pod and every node: all that follows is right, if slower and less exact.
* Reasons are constants of the plugin's module, or wordings of `Behaviour` where releases differ; those about nodes are
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
    """Why a node does not take a pod, as far as preemption cares."""

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
    """A rejection: by which plugin, whether preemption could help, and the reasons in the plugin's order.

    `short` are the resources that are short, `pods` for pod slots, one for each reason; empty where it is about others.
    """

    plugin: str
    code: Code
    reasons: tuple[str, ...]
    short: tuple[str, ...] = ()

    @property
    def shortages(self) -> tuple[tuple[str, str], ...]:
        """Each reason with the resource that it says is short, empty where it is about none."""
        return tuple(zip(self.reasons, self.short or [""] * len(self.reasons), strict=True))


class Prepared(Value):
    """What PreFilter says of a pod.

    Attributes:
        state: what `filter` needs to know of the pod and of the cluster.
        skip: the filter has nothing to do for this pod.
        status: the pod is rejected outright, whatever the node.
        nodes: the names of the only nodes that come into question; None means all.
        labels: the node labels that the filter looks at.
        by_load: set where the filter looks at allocatable, what is used or host ports: equal values, equal verdicts.
        apart: names of the nodes that it tells apart from all others.
        by_node: set where only the filter itself can say by what it tells nodes apart: equal values, equal verdicts.
        sight: what `by_node` rests on beside the snapshot: equal sights, equal values; None where only the pod tells.
        steps: what a node costs beyond what filters usually cost, in steps of the run's work.
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
    """A filter of kube-scheduler; `name` is what kube-scheduler calls it.

    Attributes:
        without: the state after some pods of a node are gone.
        facts: what is true of it for every pod.
        reserve: the pod with what it gets on a node, in every way in which it may, for plugins that give pods more
            than room.
        post_filter: what it says of a pod that fits nowhere, with the nodes that it rejected; its state is None where
            it had nothing to do.
        takes: how many equal pods, one after the other, the filter lets onto a node that it lets one onto; None where
            only placing them tells.
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
    """`takes` of a filter that looks at no pod of the node."""
    return ANY_NUMBER


def rejected(plugin: str, *reasons: str, code: Code = Code.UNRESOLVABLE) -> Prepared:
    """A PreFilter that rejects the pod outright."""
    return Prepared(status=Status(plugin, code, reasons))
