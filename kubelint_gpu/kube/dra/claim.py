"""ResourceClaims, the templates of claims, and which claims a pod uses."""

from __future__ import annotations

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.request import ClaimSpec, read_claim_spec
from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector, read_node_selector
from kubelint_gpu.values import Value

EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
EXTENDED_ENTRY = "extended-resources"
"""What stands in a pod for the claim that the scheduler makes for its extended resources."""


class AllocatedDevice(Value):
    """A device that a claim has.

    Attributes:
        request: `request` or `request/alternative`.
        id: which device.
        admin: whether it is for administration only, so that others may have it as well.
        share: what tells apart the allocations of a device that several may share; empty where it is not shared.
        consumed: what a share takes of the device.
        binding_conditions: conditions that must be true before a pod is bound.
        binding_failure_conditions: conditions of which none may be true.
    """

    request: str
    id: DeviceID
    admin: bool = False
    share: str = ""
    consumed: FrozenMap[str, Amount] = EMPTY
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


class Allocation(Value):
    """What a claim got, and the nodes that reach it; None means all nodes."""

    devices: tuple[AllocatedDevice, ...] = ()
    node_selector: NodeSelector | None = None


class Consumer(Value):
    """Who uses a claim: `resource` is `pods` for a pod."""

    resource: str
    name: str
    uid: str = ""


class ResourceClaim(Value):
    """A ResourceClaim.

    Attributes:
        meta: its metadata.
        spec: what it asks for.
        allocation: what it got; None while it is not allocated.
        reserved_for: who uses it.
        idle: what it got, where no pod that is known uses it and it is taken to be deallocated.
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
    """A ResourceClaimTemplate: each pod that names it gets a claim of its own."""

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
