"""ResourceClaims and claim templates: their requests, and their allocations."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.objects.taints import Taint, Toleration, read_device_toleration
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector, read_node_selector
from kubelint_gpu.values import Value

EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
EXTENDED_ENTRY = "extended-resources"
"""What stands in a pod for the claim that the scheduler makes for its extended resources."""
ALL = "All"
EXACT_COUNT = "ExactCount"
_INT64 = 2**63 - 1


class DeviceQuery(Value):
    """A request for devices of one class: an `exactly`, or one of `firstAvailable`.

    Attributes:
        name: of the alternative; for an `exactly`, of its request.
        device_class: the name of its DeviceClass.
        selectors: CEL expressions that a device must all satisfy; None stands for an unknown kind of selector.
        mode: `ExactCount` or `All`.
        count: how many devices, if the mode is `ExactCount`.
        admin: `adminAccess`; None if it is absent.
        tolerations: of device taints.
        capacity: the consumed capacity of a shareable device.
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
        """Whether a taint of a device is not tolerated."""
        return any(taint.blocks and not any(one.tolerates(taint) for one in self.tolerations) for taint in taints)


class DeviceRequest(Value):
    """A request: an `exactly`, or alternatives in order of preference; neither if the API server refuses it."""

    name: str
    exactly: DeviceQuery | None = None
    first_available: tuple[DeviceQuery, ...] = ()


class DeviceConstraint(Value):
    """A constraint on the devices of some requests, or of all if none is named.

    `match` and `distinct` are fully qualified attribute names; one of them is set.
    """

    requests: tuple[str, ...] = ()
    match: str = ""
    distinct: str = ""


class ClaimSpec(Value):
    """`spec` of a ResourceClaim without the configuration of devices, which decides nothing here."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()

    @property
    def queries(self) -> tuple[DeviceQuery, ...]:
        """All requests and alternatives of a claim."""
        found: list[DeviceQuery] = []
        for request in self.requests:
            found += [*request.first_available, *((request.exactly,) if request.exactly is not None else ())]
        return tuple(found)


def most_devices(spec: ClaimSpec) -> int:
    """The most devices that a claim without `All` takes; of alternatives the largest counts."""
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

    return DeviceQuery(
        name=name,
        device_class=fields.text("deviceClassName"),
        selectors=read_selectors(fields),
        mode=fields.choice("allocationMode", (EXACT_COUNT, ALL), EXACT_COUNT),
        count=fields.integer("count", 1, 0, _INT64) or 1,
        admin=fields.boolean("adminAccess") if "adminAccess" in fields else None,
        tolerations=tuple(read_device_toleration(child) for child in fields.children("tolerations")),
        capacity=fields.down("capacity", "requests").amounts(),
        has_capacity="capacity" in fields,
    )


class AllocatedDevice(Value):
    """A device that is allocated to a claim.

    Attributes:
        request: `request` or `request/alternative`.
        id: its identifier.
        admin: whether it is for administration only, so that others may have it as well.
        share: identifies one allocation of a shareable device; empty if it is not shared.
        consumed: the capacity that a share consumes.
        binding_conditions: conditions that must be true before a pod is bound.
        binding_failure_conditions: conditions that must all be false.
    """

    request: str
    id: DeviceID
    admin: bool = False
    share: str = ""
    consumed: FrozenMap[str, Amount] = EMPTY
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


class Allocation(Value):
    """The devices of a claim, and the nodes that reach them; None means all nodes."""

    devices: tuple[AllocatedDevice, ...] = ()
    node_selector: NodeSelector | None = None


class Consumer(Value):
    """A user of a claim: `resource` is `pods` for a pod."""

    resource: str
    name: str
    uid: str = ""


class ResourceClaim(Value):
    """A ResourceClaim.

    Attributes:
        meta: its metadata.
        spec: what it asks for.
        allocation: its devices; None if it is not allocated.
        reserved_for: its users.
        idle: its devices, if no known pod uses it and it is assumed to be deallocated.
    """

    meta: Meta
    spec: ClaimSpec = ClaimSpec()
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    idle: Allocation | None = None

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.meta.namespace}/{self.meta.name}"


class ResourceClaimTemplate(Value):
    """A ResourceClaimTemplate: each pod that names it gets its own claim."""

    meta: Meta
    spec: ClaimSpec = ClaimSpec()

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.meta.namespace}/{self.meta.name}"


@reader
def read_resource_claim(fields: Fields) -> ResourceClaim:
    """A `ResourceClaim` of any version."""
    status = fields.down("status")
    allocation = status.child("allocation")
    return ResourceClaim(
        meta=read_meta(fields.down("metadata")),
        spec=read_claim_spec(fields.down("spec"), flat=is_flat(fields.value)),
        allocation=None if allocation is None else _allocation(allocation),
        reserved_for=tuple(
            Consumer(child.text("resource"), child.text("name"), child.text("uid"))
            for child in status.children("reservedFor")
        ),
    )


@reader
def read_resource_claim_template(fields: Fields) -> ResourceClaimTemplate:
    """A `ResourceClaimTemplate` of any version."""
    return ResourceClaimTemplate(
        read_meta(fields.down("metadata")), read_claim_spec(fields.down("spec", "spec"), flat=is_flat(fields.value))
    )


def _allocation(fields: Fields) -> Allocation:
    selector = fields.child("nodeSelector")
    return Allocation(
        tuple(
            AllocatedDevice(
                request=child.text("request"),
                id=DeviceID(child.text("driver"), child.text("pool"), child.text("device")),
                admin=child.boolean("adminAccess"),
                share=child.text("shareID"),
                consumed=child.down("consumedCapacity").amounts(),
                binding_conditions=child.texts("bindingConditions"),
                binding_failure_conditions=child.texts("bindingFailureConditions"),
            )
            for child in fields.down("devices").children("results")
        ),
        None if selector is None else read_node_selector(selector),
    )
