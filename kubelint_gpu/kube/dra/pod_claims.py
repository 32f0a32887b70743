"""The claims of a pod."""

from __future__ import annotations

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.values import Value


class PodClaim(Value):
    """An entry of a pod's `resourceClaims`: the claim or the template that it names; the other is None."""

    name: str
    claim: str | None
    template: str | None


def pod_claims(pod: Pod) -> tuple[PodClaim, ...]:
    """The claims of a pod, in the order of its spec."""
    return tuple(
        PodClaim(
            _text(entry.get("name")) or "",
            _text(entry.get("resourceClaimName")),
            _text(entry.get("resourceClaimTemplateName")),
        )
        for entry in pod.spec.resource_claims
    )


def held_devices(pod: Pod) -> tuple[DeviceID, ...]:
    """The devices that the claims of a placed pod hold, without those for admin access."""
    return tuple([one.id for _, found in pod.allocations for one in found.devices if not one.admin])


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
