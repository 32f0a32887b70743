"""Required affinity and anti-affinity between pods, the incoming pod's own and that of pods already placed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from kubelint_gpu.kube.objects.affinity import PodAffinityTerm
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.scheduler.framework import selected_pods
from kubelint_gpu.scheduler.framework.facts import (
    Facts,
    Held,
    Keeps,
    Reach,
    Unique,
    never,
    no_token,
    nobody_blocks,
    within,
)
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Placed, Snapshot
from kubelint_gpu.values import Value, replace

NAME = "InterPodAffinity"
AFFINITY_REASON = NodeReason("didn't match pod affinity rules")
ANTI_AFFINITY_REASON = NodeReason("didn't match pod anti-affinity rules")
EXISTING_REASON = NodeReason("didn't satisfy existing pods anti-affinity rules")
_UNMET = Status(NAME, Code.UNRESOLVABLE, (AFFINITY_REASON,))
_CONFLICT = Status(NAME, Code.UNSCHEDULABLE, (ANTI_AFFINITY_REASON,))
_REFUSED = Status(NAME, Code.UNSCHEDULABLE, (EXISTING_REASON,))

Pair = tuple[str, str]
Counts = dict[Pair, int]


class Term(Value):
    """A term of the incoming pod with its namespaces resolved; None means all namespaces."""

    key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        """Whether the term matches this pod."""
        return (
            (self.namespaces is None or pod.meta.namespace in self.namespaces)
            and self.selector is not None
            and self.selector.matches(pod.meta.labels)
        )


class AffinityState(Value):
    """The counts of PreFilter, by label key and value of nodes.

    Attributes:
        pod: the incoming pod.
        namespace: the labels of its namespace.
        affinity: its own affinity terms.
        anti: its own anti-affinity terms.
        alike: whether it meets its own affinity terms itself.
        wanted: pods that meet all its affinity terms.
        unwanted: pods that match one of its anti-affinity terms.
        refusing: pods with an anti-affinity term that matches it.
    """

    pod: Pod
    namespace: Mapping[str, str]
    affinity: tuple[Term, ...]
    anti: tuple[Term, ...]
    alike: bool
    wanted: Counts
    unwanted: Counts
    refusing: Counts


Refusal = tuple[str, PodAffinityTerm, tuple[Placed, ...]]


class Refusals(Value):
    """The anti-affinity terms of placed pods, indexed by a label that matching pods must have."""

    by_label: Mapping[Pair, list[Refusal]]
    others: list[Refusal]


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    namespace = snapshot.namespace_labels(pod.meta.namespace)
    refusing = _refusing(pod, namespace, snapshot)
    if not refusing and not pod.spec.pod_affinity and not pod.spec.pod_anti_affinity:
        return SKIP
    affinity = resolved_terms(pod, pod.spec.pod_affinity, snapshot)
    anti = resolved_terms(pod, pod.spec.pod_anti_affinity, snapshot)
    state = AffinityState(
        pod,
        namespace,
        affinity,
        anti,
        all(term.matches(pod) for term in affinity),
        _wanted(affinity, snapshot),
        _unwanted(anti, snapshot),
        refusing,
    )
    return Prepared(state, labels=_labels(state))


def _filter(state: AffinityState, node: NodeInfo) -> Status | None:
    labels = node.node.meta.labels
    if state.affinity:
        met = True
        for term in state.affinity:
            value = labels.get(term.key)
            if value is None:
                return _UNMET
            met = met and state.wanted.get((term.key, value), 0) > 0
        # the first pod of a group that wants to be together may go anywhere
        if not met and (state.wanted or not state.alike):
            return _UNMET
    if state.unwanted:
        for term in state.anti:
            value = labels.get(term.key)
            if value is not None and state.unwanted.get((term.key, value), 0) > 0:
                return _CONFLICT
    if state.refusing:
        for label in labels.items():
            if state.refusing.get(label, 0) > 0:
                return _REFUSED
    return None


def _without(state: AffinityState, pods: tuple[Pod, ...], node: NodeInfo) -> AffinityState:
    wanted, unwanted, refusing = dict(state.wanted), dict(state.unwanted), dict(state.refusing)
    for pod in pods:
        if state.affinity and all(term.matches(pod) for term in state.affinity):
            for term in state.affinity:
                _add(wanted, term.key, node, -1)
        for term in state.anti:
            if term.matches(pod):
                _add(unwanted, term.key, node, -1)
        for one in pod.spec.pod_anti_affinity:
            if _is_about(one, pod.meta.namespace, state.pod, state.namespace):
                _add(refusing, one.topology_key, node, -1)
    return replace(state, wanted=wanted, unwanted=unwanted, refusing=refusing)


def resolved_terms(pod: Pod, terms: Iterable[PodAffinityTerm], snapshot: Snapshot) -> tuple[Term, ...]:
    """The terms of a pod with their namespaces resolved."""
    found = []
    for term in terms:
        selector = term.namespace_selector
        namespaces: frozenset[str] | None = frozenset(term.namespaces)
        if selector is None:
            namespaces = namespaces or frozenset((pod.meta.namespace,))
        elif not selector.requirements or (snapshot.behaviour.namespaces_leak and selector.matches(EMPTY)):
            namespaces = None
        else:
            matching = (one.name for one in snapshot.cluster.namespaces if selector.matches(one.labels))
            namespaces = frozenset((*term.namespaces, *matching))
        found.append(Term(term.topology_key, term.selector, namespaces))
    return tuple(found)


def _wanted(terms: tuple[Term, ...], snapshot: Snapshot) -> Counts:
    counts: Counts = {}
    if not terms:
        return counts
    for _, placed in selected_pods.placed_matching(snapshot, terms[0].selector, terms[0].namespaces):
        if all(term.matches(placed[0][0]) for term in terms):
            for _, info in placed:
                for term in terms:
                    _add(counts, term.key, info, 1)
    return counts


def _unwanted(terms: tuple[Term, ...], snapshot: Snapshot) -> Counts:
    counts: Counts = {}
    for term in terms:
        for _, placed in selected_pods.placed_matching(snapshot, term.selector, term.namespaces):
            for _, info in placed:
                _add(counts, term.key, info, 1)
    return counts


def _refusing(pod: Pod, namespace: Mapping[str, str], snapshot: Snapshot) -> Counts:
    counts: Counts = {}
    refusals = snapshot.derived(NAME, _refusals)
    found = [*refusals.others]
    if refusals.by_label:
        for label in pod.meta.labels.items():
            found += refusals.by_label.get(label, ())
    for owner, term, placed in found:
        if _is_about(term, owner, pod, namespace):
            for _, info in placed:
                _add(counts, term.topology_key, info, 1)
    return counts


def _refusals(snapshot: Snapshot) -> Refusals:
    by_label: dict[Pair, list[Refusal]] = {}
    others: list[Refusal] = []
    for (owner, terms), placed in snapshot.anti_groups().items():
        for term in terms:
            requirements = () if term.selector is None else term.selector.requirements
            named = next((one for one in requirements if one.operator == "In"), None)
            if named is None:
                others.append((owner, term, placed))
                continue
            for value in dict.fromkeys(named.values):
                by_label.setdefault((named.key, value), []).append((owner, term, placed))
    return Refusals(by_label, others)


def _is_about(term: PodAffinityTerm, owner: str, pod: Pod, namespace: Mapping[str, str]) -> bool:
    """Whether the term of a placed pod in namespace `owner` matches the incoming pod."""
    if term.selector is None or not term.selector.matches(pod.meta.labels):
        return False
    if pod.meta.namespace in term.namespaces:
        return True
    if term.namespace_selector is None:
        return not term.namespaces and owner == pod.meta.namespace
    return term.namespace_selector.matches(namespace)


def _add(counts: Counts, key: str, node: NodeInfo, change: int) -> None:
    value = node.node.meta.labels.get(key)
    if value is None:
        return
    number = counts.get((key, value), 0) + change
    if number:
        counts[key, value] = number
    else:
        # an empty mapping means that no pod matches anywhere, so that the first pod of a group may start
        counts.pop((key, value), None)


def _labels(state: AffinityState) -> dict[str, dict[str, Hashable]]:
    labels: dict[str, dict[str, Hashable]] = {term.key: {} for term in state.affinity}
    for position, counts in enumerate((state.wanted, state.unwanted, state.refusing)):
        for (key, value), number in counts.items():
            tokens = labels.setdefault(key, {})
            tokens[value] = (tokens.get(value), position, number)
    return labels


def _heeds(pod: Pod, other: Pod) -> bool:
    labels = other.meta.labels
    terms = (*pod.spec.pod_affinity, *pod.spec.pod_anti_affinity)
    return any(term.selector is not None and term.selector.matches(labels) for term in terms)


def _refusers(others: Sequence[Pod], unique: Unique) -> Callable[[Pod], bool]:
    terms = (term for pod in others for term in pod.spec.pod_anti_affinity if not unique(term.topology_key))
    wide = [term.selector for term in terms if term.selector is not None]
    return lambda pod: any(selector.matches(pod.meta.labels) for selector in wide)


def _pod_labels(pod: Pod) -> Iterator[str]:
    for term in (*pod.spec.pod_affinity, *pod.spec.pod_anti_affinity):
        yield from term.selector.keys if term.selector is not None else ()
        yield from (*term.match_label_keys, *term.mismatch_label_keys)


def _blockers(pod: Pod, snapshot: Snapshot, reason: str) -> Keeps:
    if reason == AFFINITY_REASON:
        return nobody_blocks(pod, snapshot, reason)
    terms = resolved_terms(pod, pod.spec.pod_anti_affinity, snapshot)
    known: dict[Hashable, Reach] = {}

    def keeps(other: Pod) -> Reach:
        alike = (other.meta.namespace, other.meta.labels, other.spec.pod_anti_affinity)
        if alike not in known:
            theirs = resolved_terms(other, other.spec.pod_anti_affinity, snapshot)
            mine = [one.key for one in terms if one.matches(other)]
            known[alike] = within(mine + [one.key for one in theirs if one.matches(pod)])
        return known[alike]

    return keeps


_FACTS = Facts(
    Held.PLACE,
    asks=lambda pod: bool(pod.spec.pod_affinity or pod.spec.pod_anti_affinity),
    counted=True,
    heeds=_heeds,
    excludes=never,
    local=lambda pod, unique: (
        not pod.spec.pod_affinity and all(unique(term.topology_key) for term in pod.spec.pod_anti_affinity)
    ),
    refusing=_refusers,
    pod_labels=_pod_labels,
    topology=lambda pod: (term.topology_key for term in (*pod.spec.pod_affinity, *pod.spec.pod_anti_affinity)),
    token=no_token,
    blockers=_blockers,
)
PLUGIN = Plugin(NAME, _pre_filter, _filter, _without, _FACTS)
