"""RuntimeClasses: what running under another container runtime adds to a pod.

Behaviour: admission plugin RuntimeClass, 1.34.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.errors import InvalidObject
from kubelint_gpu.kube.fields import Fields
from kubelint_gpu.kube.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.meta import named, read_meta
from kubelint_gpu.kube.taints import Toleration, read_toleration
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class RuntimeClass:
    """A RuntimeClass; `overhead` is in thousandths, as containers' amounts are."""

    name: str
    handler: str = ""
    overhead: FrozenMap[str, int] = EMPTY
    node_selector: FrozenMap[str, str] = EMPTY
    tolerations: tuple[Toleration, ...] = ()


def read_runtime_class(value: Any, problems: list[InvalidObject] | None = None) -> RuntimeClass:
    """A `node.k8s.io/v1 RuntimeClass`.

    Raises:
        InvalidObject: a field has a value the API server would refuse (only without a list for `problems`).
    """
    fields = Fields(value, (), problems)
    try:
        scheduling = fields.down("scheduling")
        return RuntimeClass(
            name=read_meta(fields.down("metadata"), namespaced=False).name,
            handler=fields.text("handler"),
            overhead=fields.down("overhead").quantities("podFixed"),
            node_selector=scheduling.labels("nodeSelector"),
            tolerations=tuple(read_toleration(child) for child in scheduling.children("tolerations")),
        )
    except InvalidObject as error:
        raise named(error, value) from None
