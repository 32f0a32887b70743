"""Which parts of Dynamic Resource Allocation a release has on, and how its allocator differs.

A field whose gate is off is dropped when an object is created: it is as if it were not there.
Source: pkg/features of 1.36.3; the allocators of k8s.io/dynamic-resource-allocation 0.34.1, 0.35 and 0.36.3.
"""

from __future__ import annotations

from kubelint_gpu.scheduler.framework.release import Behaviour, minor_of
from kubelint_gpu.values import NamedTuple


class Features(NamedTuple):
    """Feature gates with their defaults, and some habits of old allocators.

    Attributes:
        partitions: `sharedCounters`, `consumesCounters`, `perDeviceNodeSelection` (DRAPartitionableDevices).
        taints: device taints and tolerations (DRADeviceTaints).
        taint_rules: DeviceTaintRules (DRADeviceTaintRules).
        binding: binding conditions (DRADeviceBindingConditions).
        shares: capacity requests, `allowMultipleAllocations` (DRAConsumableCapacity).
        distinct: `distinctAttribute` compares the values of devices; 0.34.1 compares where they are stored, and so lets
            every two devices pass that have the attribute.
        extended: extended resources by DeviceClass (DRAExtendedResource).
        takes_incomplete: devices of an incomplete pool are given out where not all of them are asked for.
        invalid_is_fatal: an invalid pool fails the whole attempt when the allocator comes to it.
        sees_whole_pool: a pool is complete where its slices for other nodes are there as well.
        any_order: pools, and the slices of a pool, are tried in no fixed order.
        mistakes_alternatives: of two alternatives for all devices the second gets those that the first matches, and an
            alternative for all goes on as the first alternative after one device.
    """

    partitions: bool = False
    taints: bool = False
    taint_rules: bool = False
    binding: bool = False
    shares: bool = False
    distinct: bool = False
    extended: bool = False
    takes_incomplete: bool = False
    invalid_is_fatal: bool = False
    sees_whole_pool: bool = True
    any_order: bool = False
    mistakes_alternatives: bool = False


_OLD = Features(
    takes_incomplete=True,
    invalid_is_fatal=True,
    sees_whole_pool=False,
    any_order=True,
    mistakes_alternatives=True,
)
_NEW = Features(partitions=True, taints=True, binding=True, shares=True, distinct=True, extended=True)


def features_of(behaviour: Behaviour) -> Features:
    """The features of a release; those after 1.36 are as 1.36."""
    minor = minor_of(behaviour.version) or 0
    return _OLD if minor <= 34 else Features(any_order=True, mistakes_alternatives=True) if minor == 35 else _NEW
