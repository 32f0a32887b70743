"""DeviceClasses: what an administrator calls a kind of device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubelint_gpu.kube.dra.claim import read_selectors
from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.requests import IMPLICIT_RESOURCE
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import Value


class DeviceClass(Value):
    """A DeviceClass.

    Attributes:
        name: of the object.
        selectors: CEL expressions that a device must all satisfy; None stands for a kind of selector not known here.
        extended_resource: the extended resource that devices of the class serve as well; empty where none.
        created: an RFC 3339 text, empty where unknown.
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
    """The class behind each extended resource: the newest, of equally new ones the first by name.

    Each class has an implicit resource besides.
    Source: deviceclass/extendedresourcecache of k8s.io/dynamic-resource-allocation, 1.36.
    """
    found: dict[str, DeviceClass] = {}
    ordered = sorted(sorted(classes, key=lambda one: one.name), key=lambda one: one.created, reverse=True)
    for one in ordered:
        found[IMPLICIT_RESOURCE + one.name] = one
        if one.extended_resource:
            found.setdefault(one.extended_resource, one)
    return found
