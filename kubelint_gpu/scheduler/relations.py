"""How pods relate to one another and to nodes, by the facts of the filters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.scheduler import plugins
from kubelint_gpu.scheduler.framework.facts import ANYTHING, Facts, Held, Unique, never, no_token, nobody
from kubelint_gpu.scheduler.framework.plugin import Plugin
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import replace

_TEMPLATE = "resourceClaimTemplateName"
Token = Callable[[Node, Sequence[Pod]], Hashable]


class _Relations:
    """The facts of all plugins, grouped by the questions that they answer."""

    def __init__(self, among: Sequence[Plugin]) -> None:
        every = [one.facts for one in among]
        self.by_name = {one.name: one.facts for one in among}
        self.order = tuple(one.name for one in among)
        self.asking = [one for one in every if one.asks is not never]
        self.heeding = [one for one in every if one.heeds is not never]
        self.excluding = [one for one in every if one.excludes is not never]
        self.refusing = [one for one in every if one.refusing is not nobody]
        self.holding = [one for one in every if one.held is not None or one is ANYTHING]
        self.telling = [one for one in every if one.token is not no_token]
        self.every = every


@lru_cache(maxsize=4)
def _relations(among: tuple[Plugin, ...]) -> _Relations:
    return _Relations(among)


def _now() -> _Relations:
    return _relations(plugins.PLUGINS)


def facts_of(plugin: str) -> Facts:
    """The facts of a plugin by its name; the default facts for an unknown name."""
    return _now().by_name.get(plugin, ANYTHING)


def held(plugin: str) -> str:
    """Return what other pods hold if a plugin rejects: `resource`, `port`, `place`, `volume`, `device`; else empty."""
    found = facts_of(plugin).held
    return found.value if found is not None else ""


def asks(pod: Pod, *, uncounted: bool = False) -> bool:
    """Whether a filter can reject the pod because of what other pods have, except for their requests.

    With `uncounted`, only filters count whose effect bounds cannot count.
    """
    return any(one.asks(pod) for one in _now().asking if not (uncounted and one.counted))


def attends(pod: Pod, other: Pod) -> bool:
    """Whether a filter's verdict on one pod can depend on the place of another; namespaces are ignored."""
    return any(one.heeds(pod, other) for one in _now().heeding)


def meet(pod: Pod, other: Pod) -> bool:
    """Whether the verdicts on two pods depend on each other, or both need a thing that only one pod can have."""
    if attends(pod, other) or attends(other, pod):
        return True
    return any(one.excludes(pod, other) for one in _now().excluding if one.held is not Held.PORT)


def meet_on_a_node(pod: Pod, other: Pod) -> bool:
    """Whether two pods want something that only one pod of a node can have."""
    return any(one.excludes(pod, other) for one in _now().excluding if one.held is Held.PORT)


def tokens(pod: Pod) -> tuple[str, ...]:
    """Return the things that only one pod of a node can have, for example `host port 80/TCP`, of this pod."""
    return tuple(token for one in _now().every for token in one.tokens(pod))


def label_keys(pods: Iterable[Pod]) -> frozenset[str] | None:
    """The keys of pod labels that filters look at for some pods; None if a filter can look at all."""
    found: set[str] = set()
    every = list(pods)
    for one in _now().every:
        if one.pod_labels is None:
            return None
        for pod in every:
            found.update(one.pod_labels(pod))
    return frozenset(found)


def first_alike(pods: Sequence[Pod], others: Iterable[Pod]) -> tuple[int, ...]:
    """For each pod, the index of the first pod that is equal for all filters; `others` may run beside them.

    A label counts if a filter looks at it for any of these pods.
    """
    looked_at = label_keys((*pods, *others))
    seen: dict[Pod, int] = {}
    return tuple([seen.setdefault(_plain(pod, looked_at), number) for number, pod in enumerate(pods)])


def likeness(pod: Pod, snapshot: Snapshot) -> Hashable:
    """A key that is equal for pods that all filters treat equally in a snapshot; templates count by their spec."""
    others = snapshot.derived("labels looked at", lambda found: label_keys(found.cluster.pods))
    own = label_keys((pod,))
    plain = _plain(pod, None if own is None or others is None else own | others)
    if not pod.spec.resource_claims:
        return plain
    specs = snapshot.static(
        "specs of templates",
        lambda found: {(one.meta.namespace, one.meta.name): one.spec for one in found.cluster.claim_templates},
    )
    entries = [dict(entry) for entry in pod.spec.resource_claims]
    asked = [specs.get((pod.meta.namespace, str(entry.get(_TEMPLATE)))) for entry in entries]
    unnamed = [
        FrozenMap({key: value for key, value in entry.items() if spec is None or key != _TEMPLATE})
        for entry, spec in zip(entries, asked, strict=True)
    ]
    return replace(plain, spec=replace(plain.spec, resource_claims=tuple(unnamed))), tuple(asked)


@lru_cache(maxsize=4096)
def _plain(pod: Pod, keys: frozenset[str] | None) -> Pod:
    labels = FrozenMap({key: value for key, value in pod.meta.labels.items() if keys is None or key in keys})
    meta = replace(pod.meta, name="", uid="", labels=labels, annotations=EMPTY, created="")
    containers = tuple([replace(one, name="", image="", environment=EMPTY) for one in pod.spec.containers])
    return replace(pod, meta=meta, start_time="", spec=_first_equal(replace(pod.spec, containers=containers)))


@lru_cache(maxsize=4096)
def _first_equal(spec: PodSpec) -> PodSpec:
    """One shared object for equal specs, so that comparing them is fast."""
    return spec


def topology_keys(pods: Iterable[Pod]) -> frozenset[str]:
    """The node labels whose values form the domains in which filters count for some pods."""
    every = list(pods)
    return frozenset(key for one in _now().every for pod in every for key in one.topology(pod))


def refusers_of(others: Sequence[Pod], cluster: Cluster) -> Callable[[Pod], bool]:
    """The `refusers` in a cluster, with no label assumed to be unique."""
    return refusers(others, Unique(cluster, asked=False))


def refusers(others: Sequence[Pod], unique: Unique) -> Callable[[Pod], bool]:
    """Return which pods some placed pods can keep off nodes other than their own."""
    found = [one.refusing(others, unique) for one in _now().refusing]
    return lambda pod: any(refuses(pod) for refuses in found)


def local_kinds(pods: Sequence[Pod], fixed: Sequence[Pod], cluster: Cluster) -> tuple[bool, ...]:
    """For each pod, whether its fit on a node depends on that node alone."""
    unique = Unique(cluster)
    refused = refusers((*pods, *fixed), unique)
    every = _now().every
    return tuple([all(one.local(pod, unique) for one in every) and not refused(pod) for pod in pods])


def node_tokens(pods: Sequence[Pod], cluster: Cluster, *, wide: bool) -> tuple[Token, ...]:
    """Keys that distinguish the nodes of a cluster for some pods in play; `wide` says that nodes look at each other."""
    found = (one.token(pods, wide, cluster) for one in _now().telling)
    return tuple([token for token in found if token is not None])


def sought(plugin: str, pod: Pod, snapshot: Snapshot, node: str) -> tuple[str, ...]:
    """The names of things on a node that others have and the pod could use, by a plugin."""
    return facts_of(plugin).sought(pod, snapshot, node)


def stock(pod: Pod, snapshot: Snapshot, node: str) -> tuple[int, int] | None:
    """How many things on a node that the pod could have are free, and how many there are; None if it asks for none.

    Resources are not included.
    """
    found = (one.stock(pod, snapshot, node) for one in _now().every)
    return next((one for one in found if one is not None), None)


def slots(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    """The limited things of nodes that the pod uses, besides resources."""
    return frozenset(name for one in _now().every for name in one.slots(pod, snapshot))


def blocking_plugins() -> tuple[str, ...]:
    """The plugins that can name blocking pods, in the scheduler's order."""
    now = _now()
    return tuple([name for name in now.order if now.by_name[name].held is Held.RESOURCE or now.by_name[name].blockers])


def peeled() -> tuple[tuple[str, Callable[[PodSpec], PodSpec]], ...]:
    """Return a function for each plugin with blocking pods that removes the plugin's fields from a spec."""
    now = _now()
    return tuple([(name, now.by_name[name].spared) for name in blocking_plugins()])
