"""Which features of Dynamic Resource Allocation a release enables, and how its allocator differs.

A field whose gate is off is dropped when an object is created, as if it were not written.
Source: pkg/features of 1.36.3; the allocators of k8s.io/dynamic-resource-allocation 0.34.1, 0.35 and 0.36.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.dra.device_class import DeviceClass, classes_by_resource
from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE, OLD_POOLS_UNTIL
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.scheduler.framework.release import Behaviour, behaviour, minor_of
from kubelint_gpu.values import Value


class Features(Value):
    """Feature gates with their defaults, and peculiarities of old allocators.

    Attributes:
        betas: features that are beta and on since 1.36: `sharedCounters`, `consumesCounters`, `perDeviceNodeSelection`
            (DRAPartitionableDevices), taints and tolerations (DRADeviceTaints), binding conditions
            (DRADeviceBindingConditions), capacity requests and `allowMultipleAllocations` (DRAConsumableCapacity),
            extended resources by DeviceClass (DRAExtendedResource). Also, `distinctAttribute` compares the values of
            devices: 0.34.1 compares pointers, and so accepts any two devices that have the attribute.
        old_pools: until 1.34, an incomplete pool still serves requests that do not ask for all devices, an invalid pool
            fails the whole attempt when the allocator reaches it, and slices for other nodes do not count.
        any_order: pools, and the slices of a pool, are tried in no fixed order.
        mistakes_alternatives: of two alternatives for all devices the second gets the devices of the first, and an
            alternative for all continues as the first alternative after one device.
    """

    betas: bool = False
    old_pools: bool = False
    any_order: bool = False
    mistakes_alternatives: bool = False


def features_of(behaviour: Behaviour) -> Features:
    """The features of a release; later releases count as 1.36."""
    minor = minor_of(behaviour.version) or 0
    old = minor < BETAS_SINCE
    return Features(not old, old_pools=minor <= OLD_POOLS_UNTIL, any_order=old, mistakes_alternatives=old)


def served_by_classes(cluster: Cluster) -> Mapping[str, DeviceClass]:
    """The class behind each extended resource, if the release of a cluster supports that."""
    return classes_by_resource(cluster.device_classes) if features_of(behaviour(cluster.version)).betas else {}
