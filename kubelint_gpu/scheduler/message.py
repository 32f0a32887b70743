"""The text of the FailedScheduling event, to the letter.

Source: `FitError.Error` of pkg/scheduler/framework/types.go and the PostFilter plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.node_classes import NodeClass
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import PLUGINS, dynamic_resources
from kubelint_gpu.scheduler.preemption import NOT_HELPFUL, Preemption

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
