"""Facts about a filter besides its verdict: what pods hold under it, and which verdicts depend on which pods.

Rollouts, bounds, node classes and explanations ask for these facts and never for the name of a plugin.
The defaults are true for any filter that looks at pods and nodes: they are never wrong, only slow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value, replace


class Unique:
    """A predicate on label keys: no two nodes of a cluster have the same value. Always false unless `asked`."""

    __slots__ = ("_asked", "_known", "cluster")

    def __init__(self, cluster: Cluster, *, asked: bool = True) -> None:
        self.cluster = cluster
        self._asked = asked
        self._known: dict[str, bool] = {}

    def __call__(self, key: str) -> bool:
        """Whether each node that has the label has its own value."""
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
    """The kind of thing that a pod holds and that keeps another pod away."""

    RESOURCE = "resource"
    PORT = "port"
    PLACE = "place"
    VOLUME = "volume"
    DEVICE = "device"


def always(*_: object) -> bool:
    """Every pod, or reach from everywhere."""
    return True


def never(*_: object) -> bool:
    """No pod, or reach from nowhere."""
    return False


def nothing(_: Pod) -> tuple[str, ...]:
    """Empty for every pod: no label, topology or token."""
    return ()


def nobody(_others: Sequence[Pod], _unique: Unique) -> Callable[[Pod], bool]:
    """No pod keeps another off nodes other than its own."""
    return never


def _by_name(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    return lambda node, _: node.name


def nobody_blocks(*_: object) -> Keeps:
    """No pod keeps a pod off a node."""
    return lambda _: never


def no_slots(*_: object) -> tuple[str, ...]:
    """Return no limits: nodes have none for this filter."""
    return ()


def no_token(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    """None: the filter distinguishes nodes only by whether they take the pod."""
    return None


def same_node(node: Node, other: Node) -> bool:
    """The reach of a pod that keeps others off its own node."""
    return node.name == other.name


def within(keys: Iterable[str]) -> Reach:
    """The reach of a pod that keeps others off the topology domains of these node labels."""
    wanted = tuple(dict.fromkeys(keys))

    def reach(node: Node, other: Node) -> bool:
        return any(key in node.labels and node.labels[key] == other.labels.get(key) for key in wanted)

    return reach if wanted else never


class Facts(Value):
    """What is true about a filter for every pod.

    Attributes:
        held: what other pods hold when it rejects because of them; None if it rejects because of nodes.
        near: how close a rejected node is to fitting, relative to other filters about nodes; 0 is far.
        asks: whether it can reject the pod because of what other pods have, except for their requests.
        counted: whether bounds can count what it holds, as tokens or as anti-affinity.
        heeds: whether its verdict on the first pod can depend on the place of the second.
        excludes: whether two pods can want something that only one of them can have at a time.
        local: whether its verdict on the pod and a node depends only on the pods of that node.
        refusing: for some placed pods, which pods they keep off nodes other than their own.
        pod_labels: the label keys that it looks at for this pod, its own and those of others; None if it can look at
            all.
            Pods that differ only in other labels count as equal.
        topology: the node labels whose values form the domains that it counts in.
        tokens: what at most one pod of a node can have, for example `host port 80/TCP`.
        token: a key that distinguishes nodes for some pods in play.
        blockers: which pods keep a pod off nodes; None if no pod does.
        sought: the names of things on a node that others have and the pod could use.
        stock: how many things on a node that a pod could have are free, and how many there are.
        slots: limited things of nodes that the pod uses, for example attached volumes of a driver.
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
    spared: Callable[[PodSpec], PodSpec] = lambda spec: spec
    near: int = 3


ANYTHING = Facts()
"""The facts of a filter of which nothing is known."""


def on_one_node(facts: Facts) -> Facts:
    """Return the facts of a filter that looks at one node and its pods.

    Without a `token`, all nodes are different for pods that it `asks` about.
    """

    def apart(pods: Sequence[Pod], wide: bool, cluster: Cluster) -> Token | None:
        return _by_name(pods, wide, cluster) if any(map(facts.asks, pods)) else None

    token = apart if facts.token is _by_name else facts.token
    return replace(facts, heeds=never, local=always, refusing=nobody, token=token)


def of_the_node(token: Tokens = no_token, *, near: int) -> Facts:
    """The facts of a filter that looks at the node but not at its pods."""
    return on_one_node(Facts(asks=never, excludes=never, token=token, pod_labels=nothing, near=near))
