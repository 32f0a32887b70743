"""DeviceClasses: an administrator's names for kinds of devices, and the charge of claims to a ResourceQuota.

Source: pkg/quota/v1/evaluator/core/resource_claims.go, 1.34 and 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubelint_gpu.kube.dra.claim import ALL, ClaimSpec, read_selectors
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.requests import IMPLICIT_RESOURCE
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.values import Value

CLAIM_COUNT = "count/resourceclaims.resource.k8s.io"
CLASS_DEVICES = ".deviceclass.resource.k8s.io/devices"


class DeviceClass(Value):
    """A DeviceClass.

    Attributes:
        name: the object's name.
        selectors: CEL expressions that a device must all satisfy; None stands for an unknown kind of selector.
        extended_resource: the extended resource that devices of the class also serve; empty if none.
        created: an RFC 3339 text, empty if unknown.
    """

    name: str
    selectors: tuple[str | None, ...] = ()
    extended_resource: str = ""
    created: str = ""


@reader
def read_device_class(fields: Fields) -> DeviceClass:
    """A `DeviceClass` of any version."""
    spec = fields.down("spec")
    meta = read_meta(fields.down("metadata"), namespaced=False)
    return DeviceClass(meta.name, read_selectors(spec), spec.text("extendedResourceName"), meta.created)


def classes_by_resource(classes: Iterable[DeviceClass]) -> Mapping[str, DeviceClass]:
    """The class behind each extended resource: the newest; of equally new ones the first by name.

    Each class has an implicit resource, too.
    Source: deviceclass/extendedresourcecache of k8s.io/dynamic-resource-allocation, 1.36.
    """
    found: dict[str, DeviceClass] = {}
    ordered = sorted(sorted(classes, key=lambda one: one.name), key=lambda one: one.created, reverse=True)
    for one in ordered:
        found[IMPLICIT_RESOURCE + one.name] = one
        if one.extended_resource:
            found.setdefault(one.extended_resource, one)
    return found


def is_charged_for_claims(key: str, served: Mapping[str, DeviceClass] = EMPTY) -> bool:
    """Whether a key of `spec.hard` counts claims or their devices; `served` has the class behind each resource."""
    return key == CLAIM_COUNT or key.endswith(CLASS_DEVICES) or key.removeprefix("requests.") in served


def claim_charge(spec: ClaimSpec, served: Mapping[str, DeviceClass] = EMPTY) -> Mapping[str, int]:
    """The charge of a claim, in thousandths: the claim itself, and per class the most devices that it may get.

    A request for all devices of a class counts as the maximum of a claim; of alternatives the largest of each class
    counts. Devices also count as requests of the extended resources that their class serves.
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
