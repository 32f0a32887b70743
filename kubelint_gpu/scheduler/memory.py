"""What is computed once per pod and shared by all snapshots of one cluster.

Entries are found by the identity of an immutable object and keep it alive, so an entry never outlives its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from kubelint_gpu.kube.pod import HostPort, Pod, PodSpec
from kubelint_gpu.kube.requests import running_requests
from kubelint_gpu.scheduler.version import Behaviour

T = TypeVar("T")
_LARGEST = 200_000


class Load(NamedTuple):
    """What a pod takes of its node: requests other than 0 in the scheduler's units, and host ports."""

    requests: tuple[tuple[str, int], ...]
    ports: tuple[HostPort, ...]


class Memory:
    """Remembers what immutable objects led to."""

    __slots__ = ("_entries", "_loads", "_numbers", "behaviour")

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self._loads: dict[int, tuple[object, Load]] = {}
        self._entries: dict[tuple[str, int], tuple[object, Any]] = {}
        self._numbers: dict[Hashable, int] = {}

    def load(self, pod: Pod) -> Load:
        """What a pod that is on a node takes of it."""
        anchor: object = pod if pod.statuses else pod.spec
        entry = self._loads.get(id(anchor))
        if entry is None:
            amounts = running_requests(
                pod, pod_level=self.behaviour.pod_level_resources, in_place=self.behaviour.in_place_resize
            )
            entry = (anchor, Load(tuple(item for item in amounts.items() if item[1]), host_ports(pod.spec)))
            if len(self._loads) >= _LARGEST:
                self._loads.clear()
            self._loads[id(anchor)] = entry
        return entry[1]

    def of(self, what: str, anchor: Any, compute: Callable[[Any], T]) -> T:
        """`compute(anchor)`, computed once; it must depend on nothing but the anchor, the release and the profile."""
        key = (what, id(anchor))
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= _LARGEST:
                self._entries.clear()
            entry = self._entries[key] = (anchor, compute(anchor))
        found: T = entry[1]
        return found

    def number(self, value: Hashable) -> int:
        """A number for a value: equal values have equal numbers."""
        return self._numbers.setdefault(value, len(self._numbers))


def host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    """The host ports a pod takes; ordinary init containers take none."""
    return tuple(port for part in (spec.containers, spec.init_containers) for one in part for port in one.host_ports)
