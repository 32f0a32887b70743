"""Taints of devices and the tolerations of requests.

Behaviour: `ToleratesTaint` of k8s.io/dynamic-resource-allocation/resourceclaim, 1.36.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.kube.values.fields import Fields

EFFECTS = ("None", "NoSchedule", "NoExecute")


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
