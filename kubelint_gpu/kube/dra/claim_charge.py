"""What a ResourceClaim is charged to a ResourceQuota.

Source: pkg/quota/v1/evaluator/core/resource_claims.go, 1.34 and 1.36.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.dra.claim import ALL, ClaimSpec
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.quantity import ONE

CLAIM_COUNT = "count/resourceclaims.resource.k8s.io"
CLASS_DEVICES = ".deviceclass.resource.k8s.io/devices"


def is_charged_for_claims(key: str, served: Mapping[str, DeviceClass] = EMPTY) -> bool:
    """Whether a key of `spec.hard` counts claims or what they ask for; `served` has the class behind each resource."""
    return key == CLAIM_COUNT or key.endswith(CLASS_DEVICES) or key.removeprefix("requests.") in served


def claim_charge(spec: ClaimSpec, served: Mapping[str, DeviceClass] = EMPTY) -> Mapping[str, int]:
    """What a claim is charged, in thousandths: itself, and per class the most devices that it may get.

    All devices of a class count as the most that a claim can have; of alternatives the largest of each class counts.
    They count as requests of the extended resources too that their class serves.
    """
    charge = {CLAIM_COUNT: ONE}
    for request in spec.requests:
        queries = (request.exactly,) if request.exactly is not None else request.first_available
        most: dict[str, int] = {}
        for query in queries:
            key = query.device_class + CLASS_DEVICES
            most[key] = max(most.get(key, 0), MOST_DEVICES if query.mode == ALL else query.count)
        for key, devices in most.items():
            charge[key] = charge.get(key, 0) + devices * ONE
    of_class = {name: charge.get(found.name + CLASS_DEVICES, 0) for name, found in served.items()}
    return charge | {f"requests.{name}": amount for name, amount in of_class.items() if amount}
