"""Why the API server refuses every pod that a controller makes of a template which it has accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.values import Value

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LONGEST = 54
"""With a dash and the hash of its revision, a name of more characters is no value of a label."""


class PodRefusal(Value):
    """What is wrong with the pods, and where: in their spec, or at the object's name where `pointer` is empty."""

    text: str
    pointer: Pointer = ()


def pod_refusal(workload: Workload, namespace: Mapping[str, str], spec: dict[str, Any]) -> PodRefusal | None:
    """Why no pod of a workload is ever made in a namespace with these labels; None where nothing is known.

    Source: `newVersionedStatefulSetPod` of pkg/controller/statefulset/stateful_set_utils.go gives pods the label
    `controller-revision-hash`, with the name and up to ten digits (1.34).
    """
    if workload.kind == "StatefulSet" and len(workload.meta.name) > _LONGEST:
        more = len(workload.meta.name) - _LONGEST + 2
        told = "their label controller-revision-hash, this name with a hash, has more than 63 characters"
        return PodRefusal(f"{told}: leave out {more}")
    if _ENFORCE not in namespace:
        return None
    from kubelint_gpu.kube.admission.pod_security import violations

    found = violations(namespace[_ENFORCE], spec)
    if not found:
        return None
    level, first = f"{namespace[_ENFORCE]}:{namespace.get(f'{_ENFORCE}-version', 'latest')}", found[0]
    others = list(dict.fromkeys(one.check for one in found if one.check != first.check))
    also = f", and {len(others)} more ({', '.join(others[:3])})" if others else ""
    return PodRefusal(f'they violate PodSecurity "{level}": {first.check} ({first.detail}){also}', first.pointer)
