"""Taints of devices and the tolerations of requests.

Behaviour: `ToleratesTaint` of k8s.io/dynamic-resource-allocation/resourceclaim, 1.36.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import dataclass

BLOCKING = ("NoSchedule", "NoExecute")
_EFFECTS = ("None", *BLOCKING)


@dataclass(frozen=True, slots=True)
class DeviceTaint:
    """A taint of a device; the effect `None` and effects that a later release adds keep nobody away."""

    key: str
    value: str = ""
    effect: str = ""

    @property
    def blocks(self) -> bool:
        """Whether a request that does not tolerate it does not get the device."""
        return self.effect in BLOCKING


@dataclass(frozen=True, slots=True)
class DeviceToleration:
    """A toleration of a request; an empty key or effect covers all."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: DeviceTaint) -> bool:
        """Whether this toleration covers the taint."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (self.operator == "Equal" and self.value == taint.value)


@dataclass(frozen=True, slots=True)
class DeviceTaintRule:
    """A taint for all devices of a driver, of a pool and of a name; None stands for any."""

    name: str
    taint: DeviceTaint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None

    def covers(self, driver: str, pool: str, device: str) -> bool:
        """Whether the rule taints a device."""
        return self.driver in (None, driver) and self.pool in (None, pool) and self.device in (None, device)


def read_device_taint(fields: Fields) -> DeviceTaint:
    """A `DeviceTaint`."""
    return DeviceTaint(fields.text("key"), fields.text("value"), fields.choice("effect", _EFFECTS, ""))


def read_device_toleration(fields: Fields) -> DeviceToleration:
    """A `DeviceToleration`; the operator is Equal where it says nothing."""
    return DeviceToleration(
        fields.text("key"),
        fields.choice("operator", ("Exists", "Equal"), "Equal"),
        fields.text("value"),
        fields.choice("effect", _EFFECTS, ""),
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
