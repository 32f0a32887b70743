"""The devices that NVIDIA's driver publishes, for clusters whose devices are unknown."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.written_claims import device_objects, written_claims
from kubelint_gpu.inventory.dra.nvidia import preset_objects
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.device_class import DeviceClass
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial


def preset_trial(unit: ApplySet) -> ClaimTrial | None:
    """A trial with NVIDIA's devices, if the unit has claims and the cluster's devices are unknown; else None."""
    if unit.world.has_slices or not (written_claims(unit) or any(device_objects(unit))):
        return None
    minor = unit.minor_release
    if minor is not None and not behaviour(unit.cluster.version).dynamic_resources:
        return None
    return _preset_trial_with(unit.cluster.version, unit.cluster.device_classes)


@lru_cache(maxsize=16)
def _preset_trial_with(version: str | None, own: tuple[DeviceClass, ...]) -> ClaimTrial:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial

    cluster = read_cluster(preset_objects(), version=version)
    names = {one.name for one in own}
    classes = (*own, *[one for one in cluster.device_classes if one.name not in names])
    return ClaimTrial(replace(cluster, device_classes=classes))
