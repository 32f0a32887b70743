"""Spread constraints with DoNotSchedule: a domain must not exceed the emptiest one by more than maxSkew."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.taints import untolerated
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.framework import selected_pods
from kubelint_gpu.scheduler.framework.facts import Facts, Held, Keeps, Reach, never, no_token, nobody, within
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.node_affinity import matches_node
from kubelint_gpu.values import Value, replace

NAME = "PodTopologySpread"
REASON = NodeReason("didn't match pod topology spread constraints")
MISSING_LABEL_REASON = NodeReason("didn't match pod topology spread constraints (missing required label)")
_REJECTED = Status(NAME, Code.UNSCHEDULABLE, (REASON,))
_UNLABELLED = Status(NAME, Code.UNRESOLVABLE, (MISSING_LABEL_REASON,))


class Count(Value):
    """The matching pods of one constraint.

    Attributes:
        constraint: the constraint, its `matchLabelKeys` folded into the selector.
        own: 1 if the selector matches the incoming pod, else 0.
        matched: how many pods match, by domain, without empty domains.
        domains: how many domains there are.
        lowest: the two smallest entries of `matched`.
        minimum: the number that the skew is measured against.
    """

    constraint: SpreadConstraint
    own: int
    matched: Mapping[str, int]
    domains: int
    lowest: tuple[tuple[int, str], ...]
    minimum: int

    def with_change(self, domain: str, change: int) -> Count:
        """The counts after pods joined or left one domain; only valid for the nodes of that domain."""
        number = self.matched.get(domain, 0) + change
        others = [amount for amount, name in self.lowest if name != domain]
        if self.domains - len(self.matched) > (domain not in self.matched):
            others.append(0)
        minimum = min((number, *others)) if self.domains >= self.constraint.min_domains else 0
        return replace(self, matched={domain: number}, minimum=minimum)


class SpreadState(Value):
    """The incoming pod and the counts of its constraints, in the order of its spec."""

    pod: Pod
    counts: tuple[Count, ...]


class DomainCounts(Value):
    """The nodes that have all topology keys, grouped by what the inclusion policies look at.

    Attributes:
        members: one node of each group, and the group's values of each topology key.
        group_of: the group of a node, by the node's name.
    """

    members: Mapping[Hashable, tuple[NodeInfo, Mapping[str, dict[str, None]]]]
    group_of: Mapping[str, Hashable]


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    constraints = tuple(_folded(one, pod.meta.labels) for one in _constraints(pod))
    if not constraints:
        return SKIP
    partition = _partition(snapshot, pod.spec, constraints)
    counts = tuple(_count(snapshot, pod, constraint, partition) for constraint in constraints)
    labels: dict[str, dict[str, Hashable]] = {}
    for position, count in enumerate(counts):
        tokens = labels.setdefault(count.constraint.topology_key, {})
        for domain, number in count.matched.items():
            tokens[domain] = (tokens.get(domain), position, number)
    return Prepared(SpreadState(pod, counts), labels=labels)


def _filter(state: SpreadState, node: NodeInfo) -> Status | None:
    labels = node.node.meta.labels
    for count in state.counts:
        domain = labels.get(count.constraint.topology_key)
        if domain is None:
            return _UNLABELLED
        if count.matched.get(domain, 0) + count.own - count.minimum > count.constraint.max_skew:
            return _REJECTED
    return None


def _without(state: SpreadState, pods: tuple[Pod, ...], node: NodeInfo) -> SpreadState:
    """The counts without these pods.

    Upstream also subtracts terminating pods, which it did not count, and pods that an empty selector matches.
    """
    meta, pod = node.node.meta, state.pod
    keys = [count.constraint.topology_key for count in state.counts]
    if any(key not in meta.labels for key in keys):
        return state
    counts = []
    for count in state.counts:
        selector = count.constraint.selector
        change = sum(
            -1
            for gone in pods
            if gone.meta.namespace == pod.meta.namespace and selector is not None and selector.matches(gone.meta.labels)
        )
        if change and included(count.constraint, pod.spec, node):
            counts.append(count.with_change(meta.labels[count.constraint.topology_key], change))
        else:
            counts.append(count)
    return SpreadState(pod, tuple(counts))


def _folded(constraint: SpreadConstraint, labels: FrozenMap[str, str]) -> SpreadConstraint:
    present = [key for key in constraint.match_label_keys if key in labels]
    if constraint.selector is None or not present:
        return constraint
    selector = constraint.selector.having(Requirement(key, "In", (labels[key],)) for key in present)
    return replace(constraint, selector=selector)


def _partition(snapshot: Snapshot, spec: PodSpec, constraints: Iterable[SpreadConstraint]) -> DomainCounts:
    topology = tuple(dict.fromkeys(one.topology_key for one in constraints))
    keys: tuple[str, ...] = ()
    by_name = False
    if any(one.honor_affinity for one in constraints):
        terms = () if spec.node_affinity is None else spec.node_affinity.terms
        found = {requirement.key for term in terms for requirement in term.expressions}
        keys = tuple(sorted(found | set(spec.node_selector or ())))
        by_name = any(term.fields for term in terms)
    tainted = any(one.honor_taints for one in constraints)
    return snapshot.static(
        (NAME, topology, keys, by_name, tainted), lambda snapshot: _divided(snapshot, topology, keys, by_name, tainted)
    )


def _divided(
    snapshot: Snapshot, topology: tuple[str, ...], keys: tuple[str, ...], by_name: bool, tainted: bool
) -> DomainCounts:
    members: dict[Hashable, tuple[NodeInfo, Mapping[str, dict[str, None]]]] = {}
    group_of: dict[str, Hashable] = {}
    for info in snapshot.nodes:
        labels = info.node.meta.labels
        if any(key not in labels for key in topology):
            continue
        group = (
            tuple(labels.get(key) for key in keys),
            info.name if by_name else None,
            info.taints if tainted else None,
        )
        _, values = members.setdefault(group, (info, {key: {} for key in topology}))
        for key in topology:
            values[key][labels[key]] = None
        group_of[info.name] = group
    return DomainCounts(members, group_of)


def included(constraint: SpreadConstraint, spec: PodSpec, node: NodeInfo) -> bool:
    """Whether a node counts for a constraint by its inclusion policies; topology keys are ignored."""
    if constraint.honor_affinity and not matches_node(spec, node):
        return False
    return not constraint.honor_taints or not untolerated(node.taints, spec.tolerations)


def _count(snapshot: Snapshot, pod: Pod, constraint: SpreadConstraint, partition: DomainCounts) -> Count:
    key, selector = constraint.topology_key, constraint.selector
    counting = {group for group, (info, _) in partition.members.items() if included(constraint, pod.spec, info)}
    every = len(counting) == len(partition.members)
    domains: dict[str, None] = {}
    for group in partition.members:
        if group in counting:
            domains.update(partition.members[group][1][key])
    matched: dict[str, int] = {}
    # an empty selector counts nothing here, although it matches the incoming pod
    if selector is not None and selector.requirements:
        group_of = partition.group_of
        for _, placed in selected_pods.placed_matching(snapshot, selector, frozenset((pod.meta.namespace,))):
            for other, info in placed:
                group = group_of.get(info.node.meta.name)
                if group is not None and (every or group in counting) and not other.meta.terminating:
                    domain = info.node.meta.labels[key]
                    matched[domain] = matched.get(domain, 0) + 1
    lowest = tuple(sorted((number, domain) for domain, number in matched.items())[:2])
    minimum = lowest[0][0] if lowest and len(matched) == len(domains) >= constraint.min_domains else 0
    own = int(selector is not None and selector.matches(pod.meta.labels))
    return Count(constraint, own, matched or EMPTY, len(domains), lowest, minimum)


def _constraints(pod: Pod) -> list[SpreadConstraint]:
    return [one for one in pod.spec.spread if one.do_not_schedule]


def _heeds(pod: Pod, other: Pod) -> bool:
    labels = other.meta.labels
    return any(one.selector is not None and one.selector.matches(labels) for one in _constraints(pod))


def _pod_labels(pod: Pod) -> Iterator[str]:
    for constraint in pod.spec.spread:
        yield from constraint.selector.keys if constraint.selector is not None else ()
        yield from constraint.match_label_keys


def _blockers(pod: Pod, _snapshot: Snapshot, _reason: str) -> Keeps:
    labels = pod.meta.labels

    def alike(other: Pod, keys: Sequence[str]) -> bool:
        return all(other.meta.labels.get(key) == labels[key] for key in keys if key in labels)

    def keeps(other: Pod) -> Reach:
        if other.meta.namespace != pod.meta.namespace:
            return never
        return within(
            one.topology_key
            for one in _constraints(pod)
            if one.selector is not None
            and one.selector.matches(other.meta.labels)
            and alike(other, one.match_label_keys)
        )

    return keeps


_FACTS = Facts(
    Held.PLACE,
    asks=lambda pod: bool(_constraints(pod)),
    counted=True,
    heeds=_heeds,
    excludes=never,
    local=lambda pod, _unique: not _constraints(pod),
    refusing=nobody,
    pod_labels=_pod_labels,
    topology=lambda pod: (one.topology_key for one in _constraints(pod)),
    token=no_token,
    blockers=_blockers,
)
PLUGIN = Plugin(NAME, _pre_filter, _filter, _without, _FACTS)
