"""What a claim asks for: requests, their alternatives and the constraints between them."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.values import Value

ALL = "All"
EXACT_COUNT = "ExactCount"
_INT64 = 2**63 - 1


class DeviceQuery(Value):
    """Devices of one class: an `exactly`, or one of `firstAvailable`.

    Attributes:
        name: of the alternative; of an `exactly`, that of its request.
        device_class: the name of its DeviceClass.
        selectors: CEL expressions that a device must all satisfy; None stands for a kind of selector not known here.
        mode: `ExactCount` or `All`.
        count: how many devices, where the mode is `ExactCount`.
        admin: `adminAccess`; None where it is absent.
        tolerations: of device taints.
        capacity: what is consumed of a device that several may share.
        has_capacity: whether there is a `capacity` at all.
    """

    name: str
    device_class: str = ""
    selectors: tuple[str | None, ...] = ()
    mode: str = EXACT_COUNT
    count: int = 1
    admin: bool | None = None
    tolerations: tuple[Toleration, ...] = ()
    capacity: FrozenMap[str, Amount] = EMPTY
    has_capacity: bool = False

    def is_kept_off(self, taints: Iterable[Taint]) -> bool:
        """Whether some taint of a device is not tolerated."""
        return any(taint.blocks and not any(one.tolerates(taint) for one in self.tolerations) for taint in taints)


class DeviceRequest(Value):
    """A request: an `exactly`, or alternatives in the order of preference; neither where the API server refuses it."""

    name: str
    exactly: DeviceQuery | None = None
    first_available: tuple[DeviceQuery, ...] = ()


class DeviceConstraint(Value):
    """What devices of some requests, or of all where none is named, have in common or never have in common.

    `match` and `distinct` are fully qualified attribute names, of which one is set.
    """

    requests: tuple[str, ...] = ()
    match: str = ""
    distinct: str = ""


class ClaimSpec(Value):
    """`spec` of a ResourceClaim; the configuration of devices, which decides nothing here, is left out."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()

    @property
    def queries(self) -> tuple[DeviceQuery, ...]:
        """All that the requests of a claim may be served with."""
        found: list[DeviceQuery] = []
        for request in self.requests:
            found += [*request.first_available, *((request.exactly,) if request.exactly is not None else ())]
        return tuple(found)


def most_devices(spec: ClaimSpec) -> int:
    """The most devices that a claim takes that asks for none by `All`; of alternatives the largest counts."""
    return sum(
        max([one.count for one in (request.exactly, *request.first_available) if one is not None], default=0)
        for request in spec.requests
    )


def read_claim_spec(fields: Fields, *, flat: bool = False) -> ClaimSpec:
    """A claim's `spec`; `flat` is the shape of v1beta1, which has no `exactly`."""
    devices = fields.down("devices")
    return ClaimSpec(
        tuple(_request(child, flat) for child in devices.children("requests")),
        tuple(
            DeviceConstraint(child.texts("requests"), child.text("matchAttribute"), child.text("distinctAttribute"))
            for child in devices.children("constraints")
        ),
    )


def read_selectors(fields: Fields) -> tuple[str | None, ...]:
    """The expressions of `selectors`."""
    found: list[str | None] = []
    for child in fields.children("selectors"):
        cel = child.child("cel")
        found.append(None if cel is None else cel.text("expression"))
    return tuple(found)


def _request(fields: Fields, flat: bool) -> DeviceRequest:
    name = fields.text("name")
    alternatives = tuple(_query(child, child.text("name")) for child in fields.children("firstAvailable"))
    exactly = fields if flat and not alternatives else None if flat else fields.child("exactly")
    return DeviceRequest(name, None if exactly is None else _query(exactly, name), alternatives)


def _query(fields: Fields, name: str) -> DeviceQuery:
    from kubelint_gpu.kube.dra import device_taints

    return DeviceQuery(
        name=name,
        device_class=fields.text("deviceClassName"),
        selectors=read_selectors(fields),
        mode=fields.choice("allocationMode", (EXACT_COUNT, ALL), EXACT_COUNT),
        count=fields.integer("count", 1, 0, _INT64) or 1,
        admin=fields.boolean("adminAccess") if "adminAccess" in fields else None,
        tolerations=tuple(device_taints.read_device_toleration(child) for child in fields.children("tolerations")),
        capacity=fields.down("capacity", "requests").amounts(),
        has_capacity="capacity" in fields,
    )
