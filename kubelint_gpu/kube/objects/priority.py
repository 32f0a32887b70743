"""PriorityClasses and the priority that admission sets in a pod.

Behaviour: admission plugin Priority (plugin/pkg/admission/priority), 1.34.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import Value, replace

HIGHEST_USER_PRIORITY = 1_000_000_000
SYSTEM_PREFIX = "system-"
PREEMPT, NEVER = "PreemptLowerPriority", "Never"


class PriorityClass(Value):
    """A PriorityClass."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = PREEMPT
    description: str = ""


SYSTEM_CLASSES = (
    PriorityClass("system-cluster-critical", 2_000_000_000),
    PriorityClass("system-node-critical", 2_000_001_000),
)


class Priority(Value):
    """What admission computes for a pod; `name` is empty if no class applies."""

    value: int = 0
    preemption_policy: str = PREEMPT
    name: str = ""


class UnknownPriorityClass(LookupError):  # noqa: N818 - it names the thing
    """A pod names a class that does not exist: admission refuses the pod."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no PriorityClass with name {name} was found")


def resolve_priority(spec: PodSpec, classes: Iterable[PriorityClass]) -> Priority:
    """The priority of a pod as admission resolves it.

    A priority that is already in the spec (of a running pod) is kept.
    Of several global defaults the one with the lowest value is used.

    Raises:
        UnknownPriorityClass: the class is neither given nor one of the system's.
    """
    if spec.priority is not None:
        return Priority(spec.priority, spec.preemption_policy or PREEMPT, spec.priority_class_name)
    every = (*SYSTEM_CLASSES, *classes)
    if spec.priority_class_name:
        for found in every:
            if found.name == spec.priority_class_name:
                return Priority(found.value, found.preemption_policy, found.name)
        raise UnknownPriorityClass(spec.priority_class_name)
    defaults = sorted((found.value, found.name, found.preemption_policy) for found in every if found.global_default)
    if defaults:
        value, name, policy = defaults[0]
        return Priority(value, policy, name)
    return Priority(0, spec.preemption_policy or PREEMPT, "")


class PriorityRefusal(Value):
    """The field with a wrong value, and the text with which admission refuses the pod."""

    field: str
    text: str


def priority_refusal(spec: PodSpec, classes: Iterable[PriorityClass]) -> PriorityRefusal | None:
    """Why a new pod is refused whose written priority differs from the computed one; None if it is not.

    Raises:
        UnknownPriorityClass: the class is neither given nor one of the system's.
    """
    computed = resolve_priority(replace(spec, priority=None, preemption_policy=""), classes)
    if spec.priority not in (None, computed.value):
        field, instead = "priority", str(computed.value)
        what = f"integer value of priority ({spec.priority})"
    elif spec.preemption_policy not in ("", computed.preemption_policy):
        field, instead = "preemptionPolicy", computed.preemption_policy
        what = f"string value of PreemptionPolicy ({spec.preemption_policy})"
    else:
        return None
    return PriorityRefusal(
        field,
        f"the {what} must not be provided in pod spec; "
        f"priority admission controller computed {instead} from the given PriorityClass name",
    )


@reader
def read_priority_class(fields: Fields) -> PriorityClass:
    """A `scheduling.k8s.io/v1 PriorityClass`."""
    return PriorityClass(
        name=read_meta(fields.down("metadata"), namespaced=False).name,
        value=fields.integer("value", 0),
        global_default=fields.boolean("globalDefault"),
        preemption_policy=fields.choice("preemptionPolicy", (PREEMPT, NEVER), PREEMPT),
        description=fields.text("description"),
    )
