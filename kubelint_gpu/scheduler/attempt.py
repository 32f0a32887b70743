"""One scheduling attempt for one pod, from queue to event, with the text of FailedScheduling to the letter.

Source of the text: `FitError.Error` of pkg/scheduler/framework/types.go and the PostFilter plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubelint_gpu.kube.objects.affinity import PodAffinityTerm
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER, Pod
from kubelint_gpu.kube.objects.priority import resolve_priority
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.fit import FitResult, fit
from kubelint_gpu.scheduler.framework.node_classes import NodeClass
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import PLUGINS, dynamic_resources, scheduling_gates
from kubelint_gpu.scheduler.preemption import NOT_HELPFUL, Preemption, preempt
from kubelint_gpu.values import Value, replace

NO_NODES = "no nodes available to schedule pods"
NOTE_LIMIT = 1024
_CUT = " ..."


def message(_pod: Pod, snapshot: Snapshot, result: FitResult, preemption: Preemption | None) -> str | None:
    """The scheduler's message for a pod that fits nowhere.

    None if it fits, if the attempt fails with an error, or if that is not known.
    This is the condition's text; an event's text is cut, see `note`.
    """
    if not result.total:
        return NO_NODES
    if result.schedulable or result.error is not None or result.unknown is not None:
        return None
    if result.prefilter is not None:
        text = f" {', '.join(result.prefilter.reasons)}."
    else:
        counts = _count(result.classes)
        if result.excluded is not None and result.excluded_nodes:
            _add(counts, result.excluded, len(result.excluded_nodes))
        text = _histogram(counts)
    after = _post_filter(result, preemption, snapshot)
    return f"{_available(result.total, text)} {after}" if after else _available(result.total, text)


def note(text: str) -> str:
    """The text as in an event: cut to the limit of the API."""
    return text if len(text) <= NOTE_LIMIT else text[: NOTE_LIMIT - len(_CUT)] + _CUT


def _post_filter(result: FitResult, preemption: Preemption | None, snapshot: Snapshot) -> str:
    ran_before = result.prefilter is not None and result.prefilter.plugin != dynamic_resources.NAME
    if ran_before and snapshot.behaviour.dynamic_resources:
        return "not found"
    if preemption is None or preemption.succeeds:
        return ""
    text = _of_plugins(result, snapshot)
    before = f"{text}, " if text else ""
    if preemption.ineligible:
        return f"{before}preemption: {preemption.ineligible}"
    counts = _count(preemption.outcomes)
    if preemption.helpless:
        counts[NOT_HELPFUL] = preemption.helpless
    return f"{before}preemption: {_available(result.total, _histogram(counts))}"


def _of_plugins(result: FitResult, snapshot: Snapshot) -> str:
    states = {plugin.name: state for plugin, state in result.active}
    found = (
        plugin.post_filter(states.get(plugin.name), snapshot, _rejected(result, plugin.name))
        for plugin in PLUGINS
        if plugin.post_filter
    )
    return ", ".join(text for text in found if text)


def _rejected(result: FitResult, name: str) -> Iterator[tuple[NodeInfo, Status]]:
    """Yield the nodes that a plugin rejected, each with its status."""
    for found in result.classes:
        if found.status is not None and found.status.plugin == name:
            yield from ((node, found.status) for node in found.nodes)


def _available(total: int, text: str) -> str:
    return f"0/{total} nodes are available:{text}"


def _count(classes: Iterable[NodeClass]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for status, number in [(found.status, found.size) for found in classes if found.status is not None]:
        _add(counts, status, number)
    return counts


def _add(counts: dict[str, int], status: Status, number: int) -> None:
    for reason in status.reasons:
        counts[reason] = counts.get(reason, 0) + number


def _histogram(counts: dict[str, int]) -> str:
    return f" {', '.join(sorted(f'{number} {reason}' for reason, number in counts.items()))}."


GATED = "Scheduling is blocked due to non-empty scheduling gates"
DELETING = "skip schedule deleting pod: {pod}"
OTHER_SCHEDULER = '"{name}" decides about the pod if it runs: only default-scheduler is modelled'


class Attempt(Value):
    """The result of one scheduling attempt.

    Attributes:
        held: why no attempt is made (gates, deletion, another scheduler, a missing claim); empty if one is made.
        fit: the filters' verdict; None if the pod is held.
        preemption: None if the pod is held or fits, or if the cluster has no nodes.
        message: the text of the FailedScheduling event; None if the pod fits or is held.
    """

    held: str = ""
    fit: FitResult | None = None
    preemption: Preemption | None = None
    message: str | None = None

    @property
    def schedulable(self) -> bool:
        """Whether some node takes the pod as it is."""
        return self.fit is not None and self.fit.schedulable


def attempt(pod: Pod, snapshot: Snapshot) -> Attempt:
    """Filter, preempt and report one pod as the default scheduler would."""
    waits = held(pod, snapshot)
    if waits:
        return Attempt(waits)
    result = fit(pod, snapshot)
    if result.schedulable:
        return Attempt(fit=result)
    if result.error is not None:
        return Attempt("", result, None, ", ".join(result.error.reasons))
    preemption = preempt(pod, snapshot, result) if result.total else None
    return Attempt("", result, preemption, message(pod, snapshot, result, preemption))


def assume(pod: Pod, snapshot: Snapshot, node_name: str) -> Snapshot:
    """The snapshot after the pod is reserved on a node: with the pod and its reservations.

    Raises:
        KeyError: there is no such node.
    """
    return snapshot.place(reservations(pod, snapshot, node_name)[0], node_name)


def reservations(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[Pod, ...]:
    """The pod with what the Reserve plugins give it on a node, one for each possible choice; it is not placed.

    Raises:
        KeyError: there is no such node.
    """
    found: tuple[Pod, ...] = (pod,)
    for plugin in PLUGINS:
        if plugin.reserve is not None:
            found = tuple([given for one in found for given in plugin.reserve(one, snapshot, node_name)])
    return found


def resolved(pod: Pod, cluster: Cluster) -> Pod:
    """The pod with the priority and preemption policy that admission sets.

    Raises:
        UnknownPriorityClass: its priority class does not exist: admission refuses the pod.
    """
    found = resolve_priority(pod.spec, cluster.priority_classes)
    return replace(
        pod,
        spec=replace(
            pod.spec, priority=found.value, preemption_policy=found.preemption_policy, priority_class_name=found.name
        ),
    )


def held(pod: Pod, snapshot: Snapshot) -> str:
    """Why no attempt is made for a pod (gates, deletion, another scheduler, a missing claim); empty if one is made."""
    if pod.spec.scheduler_name != DEFAULT_SCHEDULER:
        return OTHER_SCHEDULER.format(name=pod.spec.scheduler_name)
    if scheduling_gates.pre_enqueue(pod) is not None:
        return GATED
    if pod.meta.terminating:
        return DELETING.format(pod=pod.key)
    return dynamic_resources.pre_enqueue(pod, snapshot)


def merged(pod: Pod) -> Pod:
    """The pod with `matchLabelKeys` and `mismatchLabelKeys` of its pod affinity folded into the selectors.

    Keys for which the pod has no label are ignored, and a term without a selector stays without one.
    The API server does this when a pod is created, in `applyMatchLabelKeysAndMismatchLabelKeys` of
    pkg/registry/core/pod/strategy.go, 1.33; a pod that is built from a template needs it.
    """
    spec = pod.spec
    terms = (*spec.pod_affinity, *spec.pod_anti_affinity, *(one.term for one in spec.preferred_pods))
    if not any(term.match_label_keys or term.mismatch_label_keys for term in terms):
        return pod
    labels = pod.meta.labels
    return replace(
        pod,
        spec=replace(
            spec,
            pod_affinity=tuple(_merged(term, labels) for term in spec.pod_affinity),
            pod_anti_affinity=tuple(_merged(term, labels) for term in spec.pod_anti_affinity),
            preferred_pods=tuple(replace(one, term=_merged(one.term, labels)) for one in spec.preferred_pods),
        ),
    )


def _merged(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    if term.selector is None:
        return term
    more = [Requirement(key, "In", (labels[key],)) for key in term.match_label_keys if key in labels]
    more += [Requirement(key, "NotIn", (labels[key],)) for key in term.mismatch_label_keys if key in labels]
    return replace(term, selector=term.selector.having(more), match_label_keys=(), mismatch_label_keys=())
