"""What the controller of a StatefulSet does in one sync, as arithmetic.

Behaviour: pkg/controller/statefulset/stateful_set_control.go, 1.34 to 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubelint_gpu.kube.objects.rolling import StatefulSetStrategy
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_GATE_ON = pattern(r"v?1\.35\.[0-3](?!\d)", re.ASCII)


class Replica(Value):
    """One pod of a StatefulSet.

    `current` says that it has the new template. `available` pods are Ready for `minReadySeconds`. `terminating` pods
    still exist.
    """

    ordinal: int
    current: bool
    available: bool
    terminating: bool = False


class PodAction(Value):
    """The action of a sync on one ordinal: `create` its pod with the old or the `current` template, or `delete` it."""

    act: str
    ordinal: int
    current: bool = False


def has_max_unavailable(version: str | None) -> bool:
    """Whether `maxUnavailable` counts: the feature gate MaxUnavailableStatefulSet is only on in 1.35.0 to 1.35.3.

    A release without a patch number stands for its newest patch.
    """
    return version is not None and _GATE_ON().match(version) is not None


def at_once(strategy: StatefulSetStrategy, replicas: int) -> int:
    """How many pods may be unavailable in an update: at least one; a share is rounded down."""
    if strategy.max_unavailable is None:
        return 1
    return max(1, strategy.max_unavailable.of(replicas, round_up=False))


def sync(strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica], *, gate: bool) -> tuple[PodAction, ...]:
    """The actions of one sync; none while it waits. `gate` says whether the controller looks at `maxUnavailable`."""
    first = strategy.first_ordinal
    by_ordinal = {pod.ordinal: pod for pod in pods}
    inside = range(first, first + replicas)
    actions: list[PodAction] = []
    for ordinal in inside:
        pod = by_ordinal.get(ordinal)
        if pod is None:
            actions.append(PodAction("create", ordinal, _is_updated(strategy, ordinal)))
            if not strategy.parallel:
                return tuple(actions)
        elif not strategy.parallel and (pod.terminating or not pod.available):
            return tuple(actions)
    condemned = sorted((pod for pod in pods if pod.ordinal not in inside), key=lambda pod: -pod.ordinal)
    if strategy.parallel:
        actions += [PodAction("delete", pod.ordinal) for pod in condemned if not pod.terminating]
    elif condemned:
        return () if condemned[0].terminating else (PodAction("delete", condemned[0].ordinal),)
    if strategy.on_delete:
        return tuple(actions)
    return (*actions, *_updates(strategy, replicas, [by_ordinal.get(ordinal) for ordinal in inside], gate))


def _is_updated(strategy: StatefulSetStrategy, ordinal: int) -> bool:
    return ordinal >= strategy.first_ordinal + strategy.partition


def _updates(
    strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica | None], gate: bool
) -> tuple[PodAction, ...]:
    outdated = [
        pod
        for pod in reversed(pods[strategy.partition :])
        if pod is not None and not pod.current and not pod.terminating
    ]
    if gate:
        unavailable = sum(1 for pod in pods if pod is None or not pod.available or pod.terminating)
        left = max(0, at_once(strategy, replicas) - unavailable)
        return tuple(PodAction("delete", pod.ordinal) for pod in outdated[:left])
    for pod in reversed(pods[strategy.partition :]):
        if pod is None:
            return ()
        if not pod.current and not pod.terminating:
            return (PodAction("delete", pod.ordinal),)
        if pod.terminating or not pod.available:
            return ()
    return ()


def is_complete(strategy: StatefulSetStrategy, replicas: int, pods: Sequence[Replica]) -> bool:
    """Whether every ordinal from the partition on has the new template and is available, and no surplus pod exists."""
    first = strategy.first_ordinal
    by_ordinal = {pod.ordinal: pod for pod in pods}
    if any(ordinal not in range(first, first + replicas) for ordinal in by_ordinal):
        return False
    for ordinal in range(first, first + replicas):
        pod = by_ordinal.get(ordinal)
        if pod is None or pod.terminating or not pod.available:
            return False
        if _is_updated(strategy, ordinal) and not pod.current:
            return False
    return True
