"""Which pods hold the devices that a pod could get on a node, and how many of these devices are free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import takers
from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_users import users_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.possible_devices import possible_devices
from kubelint_gpu.values import Value


class DeviceHolder(Value):
    """A device that blocks a pod on a node: the pod could get it, or the device uses the counters that the pod needs.

    Attributes:
        device: its identifier.
        claim: the claim that has it.
        users: the placed pods that use that claim; empty if it is reserved for no existing pod.
        counters: whether the pod only needs its counters.
    """

    device: DeviceID
    claim: str
    users: tuple[Pod, ...]
    counters: bool = False

    @property
    def thing(self) -> str:
        """The name of what the pod could get: the device or its counters."""
        return f"counters of {self.device}" if self.counters else str(self.device)


def blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[DeviceHolder, ...]:
    """The holders of devices that a pod could get on a node, in the order in which the scheduler tries them."""
    told: dict[object, dict[str, tuple[DeviceHolder, ...]]] = snapshot.derived("device blockers", lambda _: {})
    key = (pod.identifier, pod.spec.resource_claims, snapshot.memory.load(pod).requests)
    found = told.setdefault(key, {})
    if node_name not in found:
        found[node_name] = tuple(_blockers(pod, snapshot, node_name))
    return found[node_name]


def _blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> Iterator[DeviceHolder]:
    could, node = possible_devices(pod, snapshot, node_name), snapshot.node(node_name)
    if not could or node is None:
        return
    holders, held = snapshot.derived("device holders", _holders), holdings(snapshot)
    view = objects_of(snapshot).slices.view(node.node)
    left = possible_devices(pod, snapshot, node_name, held) if any(pool.counters for pool in view.pools) else could
    lacking = {*could}.difference(holders, left or ())
    parts = [one for one in takers(view, lacking, held.is_allocated) if one not in could] if lacking else []
    for counters, devices in enumerate((could, parts)):
        for device in devices:
            for key in holders.get(device, ()):
                yield DeviceHolder(device, key, users_of(key, snapshot), bool(counters))


def _holders(snapshot: Snapshot) -> Mapping[DeviceID, Sequence[str]]:
    """The claims that have each device."""
    claims = holdings(snapshot).claims
    return grouped((one.id, key) for key, found in claims.items() for one in found.devices if not one.admin)


def stock(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[int, int] | None:
    """How many of the devices that a pod could get on a node are free, and how many there are; None without claims.

    If claims share a device or counters, a device is free if enough is left for one of the pod's requests.
    """
    could = possible_devices(pod, snapshot, node_name)
    if could is None:
        return None
    return len(possible_devices(pod, snapshot, node_name, holdings(snapshot)) or ()), len(could)
