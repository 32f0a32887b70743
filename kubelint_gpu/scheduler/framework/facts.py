"""What a filter says of itself beside its verdict: what pods hold under it, and whose verdicts depend on whom.

Rollouts, bounds, node classes and explanations ask these facts and never the name of a plugin.
The defaults are true of any filter that looks at pods and nodes: nothing that rests on them is unsound, only slow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value


class Unique:
    """Asked with a label whether no two nodes of a cluster have the same value of it; no label unless it is `asked`."""

    __slots__ = ("_asked", "_known", "cluster")

    def __init__(self, cluster: Cluster, *, asked: bool = True) -> None:
        self.cluster = cluster
        self._asked = asked
        self._known: dict[str, bool] = {}

    def __call__(self, key: str) -> bool:
        """Whether the label tells every node that has it from all others."""
        if key not in self._known:
            values = [node.labels[key] for node in self.cluster.nodes if key in node.labels]
            self._known[key] = self._asked and len(values) == len(set(values))
        return self._known[key]


Reach = Callable[[Node, Node], bool]
"""Whether a pod on the second node keeps another one off the first."""
Keeps = Callable[[Pod], Reach]
"""From where a pod keeps another one off which nodes."""
Blockers = Callable[[Pod, Snapshot, str], Keeps]
"""Which pods keep a pod off nodes, by the reason that the filter gave."""
Sought = Callable[[Pod, Snapshot, str], tuple[str, ...]]
"""What of a node others have that the pod could have instead, by name."""
Stock = Callable[[Pod, Snapshot, str], "tuple[int, int] | None"]
"""How many things of a node the pod could have are free, and how many there are; None where it asks for none."""
Slots = Callable[[Pod, Snapshot], Iterable[str]]
"""Of what a pod takes a part that nodes have a limited number of, beside resources, by name."""
Token = Callable[[Node, Sequence[Pod]], Hashable]
"""What tells a node apart, with the pods that stay on it."""
Tokens = Callable[[Sequence[Pod], bool, Cluster], Token | None]
"""The same for some pods in play; the flag says whether nodes look at each other. None where all nodes are alike."""


class Held(str, Enum):
    """What a pod holds that keeps another one away."""

    RESOURCE = "resource"
    PORT = "port"
    PLACE = "place"
    VOLUME = "volume"
    DEVICE = "device"


def always(*_: object) -> bool:
    """Every pod, or from everywhere."""
    return True


def never(*_: object) -> bool:
    """No pod, or from nowhere."""
    return False


def nothing(_: Pod) -> tuple[str, ...]:
    """No label, no topology, no token, whatever the pod."""
    return ()


def nobody(_others: Sequence[Pod], _unique: Unique) -> Callable[[Pod], bool]:
    """No pod refuses another one on nodes other than its own."""
    return never


def _by_name(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    return lambda node, _: node.name


def nobody_blocks(*_: object) -> Keeps:
    """No pod keeps a pod off a node."""
    return lambda _: never


def no_slots(*_: object) -> tuple[str, ...]:
    """Nodes have any number of what the filter looks at."""
    return ()


def no_token(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    """The filter tells no nodes apart beyond the pods' eligible nodes."""
    return None


def _as_it_is(spec: PodSpec) -> PodSpec:
    return spec


def same_node(node: Node, other: Node) -> bool:
    """From a node a pod keeps others off that node."""
    return node.name == other.name


def within(keys: Iterable[str]) -> Reach:
    """From a node a pod keeps others off the topology domains of these node labels."""
    wanted = tuple(dict.fromkeys(keys))

    def reach(node: Node, other: Node) -> bool:
        return any(key in node.labels and node.labels[key] == other.labels.get(key) for key in wanted)

    return reach if wanted else never


class Facts(Value):
    """What is true of a filter for every pod.

    Attributes:
        held: what its rejections are about where other pods cause them; None where they are about nodes.
        near: how little a node lacks that it rejects, next to those that other filters about nodes reject; 0 is far.
        asks: whether it may reject the pod because of what other pods have, their requests aside.
        counted: whether bounds can count what it holds, as tokens or as places apart.
        heeds: whether its verdict on the first pod may depend on where the second one is.
        excludes: whether the two pods may want a thing that both cannot have at once.
        local: whether its verdict on the pod and a node of a cluster depends on the pods of that node alone.
        refusing: of some placed pods, which pods they keep off nodes other than their own.
        pod_labels: the label keys that it looks at for this pod, its own and those of others; None where it may look at
            all. Pods that differ in no other label are taken for one another.
        topology: the node labels whose values make the domains that it counts in.
        tokens: what at most one pod of a node can have, as `host port 80/TCP`.
        token: what tells nodes apart for some pods in play.
        blockers: which pods keep a pod off nodes; None where no pod does.
        sought: what of a node others have that a pod could have instead, each by its name.
        stock: how many things of a node that a pod could have are free, and how many there are.
        slots: of what a pod takes a part that nodes have a limited number of, as volumes of a driver.
        spared: the pod's spec without what the filter looks at.
    """

    held: Held | None = None
    asks: Callable[[Pod], bool] = always
    counted: bool = False
    heeds: Callable[[Pod, Pod], bool] = always
    excludes: Callable[[Pod, Pod], bool] = always
    local: Callable[[Pod, Unique], bool] = never
    refusing: Callable[[Sequence[Pod], Unique], Callable[[Pod], bool]] = lambda _others, _unique: always
    pod_labels: Callable[[Pod], Iterable[str]] | None = None
    topology: Callable[[Pod], Iterable[str]] = nothing
    tokens: Callable[[Pod], Iterable[str]] = nothing
    token: Tokens = _by_name
    blockers: Blockers | None = None
    sought: Sought = lambda *_: ()
    stock: Stock = lambda *_: None
    slots: Slots = no_slots
    spared: Callable[[PodSpec], PodSpec] = _as_it_is
    near: int = 3


ANYTHING = Facts()
"""The facts of a filter of which nothing is known."""


def on_one_node(
    held: Held | None = None,
    *,
    asks: Callable[[Pod], bool] = always,
    counted: bool = False,
    excludes: Callable[[Pod, Pod], bool] = always,
    tokens: Callable[[Pod], Iterable[str]] = nothing,
    token: Tokens | None = None,
    blockers: Blockers | None = None,
    spared: Callable[[PodSpec], PodSpec] = _as_it_is,
    pod_labels: Callable[[Pod], Iterable[str]] | None = None,
    near: int = 3,
) -> Facts:
    """The facts of a filter that looks at one node and its pods; `pod_labels` is `nothing` if at no label of them.

    Without a `token` no two nodes are alike for pods that it `asks` about.
    """

    def apart(pods: Sequence[Pod], wide: bool, cluster: Cluster) -> Token | None:
        return _by_name(pods, wide, cluster) if any(map(asks, pods)) else None

    return Facts(
        held,
        asks,
        counted,
        heeds=never,
        excludes=excludes,
        local=always,
        refusing=nobody,
        pod_labels=pod_labels,
        tokens=tokens,
        token=token or apart,
        blockers=blockers,
        spared=spared,
        near=near,
    )


def of_the_node(token: Tokens = no_token, *, near: int) -> Facts:
    """The facts of a filter that looks at the node and at no pod of it."""
    return on_one_node(asks=never, excludes=never, token=token, pod_labels=nothing, near=near)
