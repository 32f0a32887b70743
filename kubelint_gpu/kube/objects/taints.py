"""Taints of nodes and devices, and tolerations of pods and requests.

Behaviour: `Toleration.ToleratesTaint` of staging/src/k8s.io/api/core/v1/toleration.go, 1.35; the alpha operators `Lt`
and `Gt` (gate TaintTolerationComparisonOperators, off) tolerate nothing here. For devices, `ToleratesTaint` of
k8s.io/dynamic-resource-allocation/resourceclaim, 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kubelint_gpu.kube.values.fields import Fields, is_label_value, is_qualified_name
from kubelint_gpu.values import Value

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
UNSCHEDULABLE_KEY = "node.kubernetes.io/unschedulable"
CORDONED = f"{UNSCHEDULABLE_KEY}:NoSchedule"
_LIFECYCLE = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "karpenter.sh/unregistered",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
)
DEVICE_EFFECTS = ("None", "NoSchedule", "NoExecute")


class Taint(Value):
    """A taint of a node."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"

    @property
    def blocks(self) -> bool:
        """Whether it keeps a pod that does not tolerate it off the node."""
        return self.effect in ("NoSchedule", "NoExecute")

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(Value):
    """A toleration of a pod; `seconds` does not matter for scheduling."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    seconds: int | None = None

    def tolerates(self, taint: Taint) -> bool:
        """Whether this toleration covers the taint; an empty key or effect covers all."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator == "Exists":
            return True
        return self.operator == "Equal" and self.value == taint.value


def merged_tolerations(first: Iterable[Toleration], second: Iterable[Toleration]) -> tuple[Toleration, ...]:
    """Both lists, in this order, without tolerations that another one covers; of equal ones the first.

    Behaviour: `MergeTolerations` of pkg/util/tolerations, 1.36.
    """
    every = (*first, *second)
    kept: list[Toleration] = []
    for index, one in enumerate(every):
        later = (other for other in every[index + 1 :] if other != one)
        if not any(_covers(other, one) for other in (*kept, *later)):
            kept.append(one)
    return tuple(kept)


def _covers(wide: Toleration, one: Toleration) -> bool:
    if wide == one:
        return True
    if one.key != wide.key and (wide.key or wide.operator != "Exists"):
        return False
    if one.effect != wide.effect and wide.effect:
        return False
    if wide.effect == "NoExecute" and wide.seconds is not None and (one.seconds is None or one.seconds > wide.seconds):
        return False
    return wide.operator == "Exists" or (one.operator == wide.operator == "Equal" and one.value == wide.value)


def is_lifecycle(taint: Taint) -> bool:
    """Whether a taint describes a condition of a node (not ready, cordoned): no workload should tolerate it."""
    return taint.key.startswith(_LIFECYCLE)


Covered = frozenset[tuple[str, str, str, str]]


def covered_by(tolerations: Iterable[Toleration]) -> Covered:
    """Return the key, operator, value and effect of each toleration, as a set of covered taints."""
    return frozenset(
        (one.key, one.operator, "" if one.operator == "Exists" else one.value, one.effect) for one in tolerations
    )


def uncovered(taints: Iterable[Taint], covered: Covered) -> Iterator[Taint]:
    """The NoSchedule and NoExecute taints, in the node's order, that no toleration covers."""
    return (taint for taint in taints if taint.blocks and covered.isdisjoint(_covering(taint)))


@lru_cache(maxsize=1024)
def _covering(taint: Taint) -> Covered:
    return frozenset(
        (key, *told, effect)
        for key in ("", taint.key)
        for told in (("Exists", ""), ("Equal", taint.value))
        for effect in ("", taint.effect)
    )


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> tuple[Taint, ...]:
    """The taints that keep a pod with some tolerations off a node."""
    blocking = [taint for taint in taints if taint.blocks]
    return tuple(uncovered(blocking, covered_by(tolerations))) if blocking else ()


def read_taint(fields: Fields) -> Taint:
    """A `v1.Taint`."""
    return Taint(fields.text("key"), fields.text("value"), fields.choice("effect", EFFECTS, "NoSchedule"))


def read_toleration(fields: Fields) -> Toleration:
    """A `v1.Toleration`.

    Raises:
        InvalidObject: API validation refuses the combination of operator, effect, key and value.
    """
    key, value = fields.text("key"), fields.text("value")
    operator = fields.choice("operator", ("Equal", "Exists"), "Equal")
    effect = fields.choice("effect", EFFECTS, "")
    seconds = fields.optional_integer("tolerationSeconds", maximum=2**63 - 1)
    if key and not is_qualified_name(key):
        fields.report(("key",), f'"{key}" is not a taint key', key)
    if not key and operator != "Exists":
        fields.report(
            ("operator",),
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
            operator,
        )
    if operator == "Exists" and value:
        fields.report(("value",), "value must be empty when `operator` is 'Exists'", value)
    if operator == "Equal" and not is_label_value(value):
        fields.report(("value",), f'"{value}" is not a taint value', value)
    if seconds is not None and effect != "NoExecute":
        fields.report(("effect",), "effect must be 'NoExecute' when `tolerationSeconds` is set", effect)
    return Toleration(key, operator, value, effect, seconds)


def read_device_taint(fields: Fields) -> Taint:
    """A `DeviceTaint`; the effect `None` and effects of later releases keep no pod away."""
    return Taint(fields.text("key"), fields.text("value"), fields.text("effect"))


def read_device_toleration(fields: Fields) -> Toleration:
    """A `DeviceToleration`; the default operator is Equal, and an invalid one tolerates as much as possible."""
    fields.choice("operator", ("Exists", "Equal"), "Equal")
    return Toleration(
        fields.text("key"),
        "Equal" if fields.text("operator") in ("", "Equal") else "Exists",
        fields.text("value"),
        fields.choice("effect", DEVICE_EFFECTS, ""),
        fields.optional_integer("tolerationSeconds", maximum=2**63 - 1),
    )
