"""Which parts of Dynamic Resource Allocation a release has on, and how its allocator differs.

A field whose gate is off is dropped when an object is created: it is as if it were not there.
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
    """Feature gates with their defaults, and some habits of old allocators.

    Attributes:
        betas: what is beta and on since 1.36: `sharedCounters`, `consumesCounters`, `perDeviceNodeSelection`
            (DRAPartitionableDevices), taints and tolerations (DRADeviceTaints), binding conditions
            (DRADeviceBindingConditions), capacity requests and `allowMultipleAllocations` (DRAConsumableCapacity),
            extended resources by DeviceClass (DRAExtendedResource); and `distinctAttribute` compares the values of
            devices: 0.34.1 compares where they are stored, and so lets every two devices pass that have the attribute.
        old_pools: as until 1.34, devices of an incomplete pool are given out where not all of them are asked for, an
            invalid pool fails the whole attempt when the allocator comes to it, and slices for other nodes count not.
        any_order: pools, and the slices of a pool, are tried in no fixed order.
        mistakes_alternatives: of two alternatives for all devices the second gets those that the first matches, and an
            alternative for all goes on as the first alternative after one device.
    """

    betas: bool = False
    old_pools: bool = False
    any_order: bool = False
    mistakes_alternatives: bool = False


def features_of(behaviour: Behaviour) -> Features:
    """The features of a release; those after 1.36 are as 1.36."""
    minor = minor_of(behaviour.version) or 0
    old = minor < BETAS_SINCE
    return Features(not old, old_pools=minor <= OLD_POOLS_UNTIL, any_order=old, mistakes_alternatives=old)


def served_by_classes(cluster: Cluster) -> Mapping[str, DeviceClass]:
    """The class behind each extended resource, where the release of a cluster knows that."""
    return classes_by_resource(cluster.device_classes) if features_of(behaviour(cluster.version)).betas else {}
