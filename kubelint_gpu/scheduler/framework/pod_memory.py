"""A cache of facts about pods, shared by all snapshots of one cluster.

Entries are found by the identity of an immutable object and keep it alive, so that the identity is never reused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.pod import HostPort, Pod, PodSpec
from kubelint_gpu.kube.objects.requests import running_requests
from kubelint_gpu.scheduler.framework.release import Behaviour
from kubelint_gpu.values import Value

T = TypeVar("T")
_MISSING = object()


class Load(Value):
    """The load that a pod puts on its node: nonzero requests in the scheduler's units, and host ports."""

    requests: tuple[tuple[str, int], ...]
    ports: tuple[HostPort, ...]


class PodMemory:
    """Caches values that are computed from immutable objects."""

    __slots__ = ("_anchors", "_largest", "_loads", "_numbers", "_same", "_tables", "behaviour")

    def __init__(self, behaviour: Behaviour, largest: int = PLACEMENT.remembered) -> None:
        self.behaviour = behaviour
        self._largest = largest
        self._loads: dict[int, Load] = {}
        self._same: dict[Load, Load] = {}
        self._tables: dict[str, dict[int, Any]] = {}
        self._anchors: list[object] = []
        self._numbers: dict[Hashable, int] = {}

    def load(self, pod: Pod) -> Load:
        """Return the load of a pod on its node."""
        anchor: object = pod if pod.statuses else pod.spec
        key = id(anchor)
        found = self._loads.get(key)
        if found is None:
            found = self._load(pod)
            self._keep(anchor)
            found = self._loads[key] = self._same.setdefault(found, found)
        return found

    def _load(self, pod: Pod) -> Load:
        release = self.behaviour
        amounts = running_requests(pod, pod_level=release.pod_level_resources, in_place=release.in_place_resize)
        return Load(tuple([item for item in amounts.items() if item[1]]), host_ports(pod.spec))

    def of(self, what: str, anchor: Any, compute: Callable[[Any], T]) -> T:
        """Return `compute(anchor)`, computed once. It must depend only on the anchor and the release."""
        table, key = self._tables.get(what), id(anchor)
        found: Any = _MISSING if table is None else table.get(key, _MISSING)
        if found is _MISSING:
            found = compute(anchor)
            self._keep(anchor)
            self._tables.setdefault(what, {})[key] = found
        value: T = found
        return value

    def _keep(self, anchor: object) -> None:
        if len(self._anchors) >= self._largest:
            self._loads.clear()
            self._tables.clear()
            self._anchors.clear()
        self._anchors.append(anchor)

    def number(self, value: Hashable) -> int:
        """A number for a value; equal values have equal numbers."""
        return self._numbers.setdefault(value, len(self._numbers))


def host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    """The host ports that a pod uses; ordinary init containers have none."""
    found = [port for one in spec.containers for port in one.host_ports]
    if spec.init_containers:
        found += [port for one in spec.init_containers for port in one.host_ports]
    return tuple(found)
