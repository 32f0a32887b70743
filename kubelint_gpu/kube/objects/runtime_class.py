"""RuntimeClasses: what another container runtime adds to a pod.

Behaviour: admission plugin RuntimeClass (plugin/pkg/admission/runtimeclass, on by default), 1.34 and 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.taints import Toleration, merged_tolerations, read_toleration
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import Value, replace

FIELD = "runtimeClassName"


class RuntimeClass(Value):
    """A RuntimeClass; `overhead` is in thousandths, like the amounts of containers."""

    name: str
    handler: str = ""
    overhead: FrozenMap[str, int] = EMPTY
    node_selector: FrozenMap[str, str] = EMPTY
    tolerations: tuple[Toleration, ...] = ()


def runtime_class_of(spec: PodSpec, classes: Iterable[RuntimeClass]) -> RuntimeClass | None:
    """The class that a pod names; None if it names none, or an unknown one."""
    name = spec.runtime_class_name
    return next((found for found in classes if found.name == name), None) if name else None


def with_runtime_class(spec: PodSpec, classes: Iterable[RuntimeClass]) -> PodSpec:
    """The spec with the overhead, the node selector and the tolerations of its RuntimeClass.

    The pod's own fields are kept if the class contradicts them: admission refuses such a pod.
    """
    found = runtime_class_of(spec, classes)
    if found is None:
        return spec
    selector = spec.node_selector
    if found.node_selector:
        selector = FrozenMap({**found.node_selector, **(selector or {})})
    return replace(
        spec,
        overhead=spec.overhead or found.overhead,
        node_selector=selector,
        tolerations=merged_tolerations(spec.tolerations, found.tolerations) if found.tolerations else spec.tolerations,
    )


class RuntimeClassRefusal(Value):
    """The field of a pod that contradicts its RuntimeClass, and the text with which admission refuses the pod."""

    field: tuple[str, ...]
    text: str


def runtime_class_refusal(spec: PodSpec, classes: Iterable[RuntimeClass]) -> RuntimeClassRefusal | None:
    """Why a new pod is refused because of its RuntimeClass or its written overhead; None if it is not."""
    found = runtime_class_of(spec, classes)
    if found is None and spec.runtime_class_name:
        return RuntimeClassRefusal((FIELD,), f'pod rejected: RuntimeClass "{spec.runtime_class_name}" not found')
    if found is None or not found.overhead:
        if spec.overhead:
            told = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            return RuntimeClassRefusal(("overhead",), f"pod rejected: {told}")
    elif spec.overhead and spec.overhead != found.overhead:
        told = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        return RuntimeClassRefusal(("overhead",), f"pod rejected: {told}")
    for key, value in sorted(found.node_selector.items()) if found is not None else ():
        own = spec.node_selector.get(key, value) if spec.node_selector is not None else value
        if own != value:
            both = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own}"
            return RuntimeClassRefusal(("nodeSelector", key), f"conflict: {both}")
    return None


@reader
def read_runtime_class(fields: Fields) -> RuntimeClass:
    """A `node.k8s.io/v1 RuntimeClass`."""
    scheduling = fields.down("scheduling")
    return RuntimeClass(
        name=read_meta(fields.down("metadata"), namespaced=False).name,
        handler=fields.text("handler"),
        overhead=fields.down("overhead").quantities("podFixed"),
        node_selector=scheduling.labels("nodeSelector"),
        tolerations=tuple(read_toleration(child) for child in scheduling.children("tolerations")),
    )
