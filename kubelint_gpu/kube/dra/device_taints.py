"""Taints of devices and the tolerations of requests.

Behaviour: `ToleratesTaint` of k8s.io/dynamic-resource-allocation/resourceclaim, 1.36.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import dataclass

EFFECTS = ("None", "NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class DeviceTaintRule:
    """A taint for all devices of a driver, of a pool and of a name; None stands for any."""

    name: str
    taint: Taint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None

    def covers(self, driver: str, pool: str, device: str) -> bool:
        """Whether the rule taints a device."""
        return self.driver in (None, driver) and self.pool in (None, pool) and self.device in (None, device)


def read_device_taint(fields: Fields) -> Taint:
    """A `DeviceTaint`; the effect `None` and effects that a later release adds keep nobody away."""
    return Taint(fields.text("key"), fields.text("value"), fields.text("effect"))


def read_device_toleration(fields: Fields) -> Toleration:
    """A `DeviceToleration`; the operator is Equal where it says nothing, and one that is refused tolerates most."""
    fields.choice("operator", ("Exists", "Equal"), "Equal")
    return Toleration(
        fields.text("key"),
        "Equal" if fields.text("operator") in ("", "Equal") else "Exists",
        fields.text("value"),
        fields.choice("effect", EFFECTS, ""),
        fields.optional_integer("tolerationSeconds", maximum=2**63 - 1),
    )


@reader
def read_device_taint_rule(fields: Fields) -> DeviceTaintRule:
    """A `DeviceTaintRule` of any version."""
    spec = fields.down("spec")
    selector = spec.down("deviceSelector")
    driver, pool, device = (selector.text(key) or None for key in ("driver", "pool", "device"))
    return DeviceTaintRule(
        read_meta(fields.down("metadata"), namespaced=False).name,
        read_device_taint(spec.down("taint")),
        driver,
        pool,
        device,
    )
