"""Objects in the form in which the API server compares an update with the stored object.

Fields with their default value, empty lists and maps, and different spellings of one quantity are no difference.
Source: the defaulting functions of pkg/apis/*/v1 and `apiequality.Semantic` of Kubernetes 1.34.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.values import Value

IMMUTABLE = "Invalid value: field is immutable"
_DEFAULTS: dict[str, Any] = {
    "allocationMode": "ExactCount", "apiVersion": "v1", "completionMode": "NonIndexed", "count": 1,
    "defaultMode": 420, "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "expirationSeconds": 3600,
    "failureThreshold": 3, "hostIPC": False, "hostNetwork": False, "hostPID": False, "path": "/",
    "periodSeconds": 10, "podManagementPolicy": "OrderedReady", "preemptionPolicy": "PreemptLowerPriority",
    "procMount": "Default", "protocol": "TCP", "readOnly": False, "reclaimPolicy": "Delete",
    "revisionHistoryLimit": 10, "schedulerName": "default-scheduler", "scheme": "HTTP", "status": "True",
    "stdin": False, "stdinOnce": False, "successThreshold": 1, "terminationGracePeriodSeconds": 30,
    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "timeoutSeconds": 1,
    "tty": False, "volumeBindingMode": "Immediate", "volumeMode": "Filesystem",
}  # fmt: skip
_AMOUNTS = ("capacity", "hard", "limits", "requests")
# an empty text of these is not the same as none
_POINTERS = ("storageClassName", "volumeAttributesClassName")
# an empty map of these is not the same as none
_STRUCTS = (
    "affinity", "capabilities", "dnsConfig", "labelSelector", "lifecycle", "namespaceSelector", "nodeAffinity",
    "podAffinity", "podAntiAffinity", "seLinuxOptions", "seccompProfile", "securityContext", "windowsOptions",
)  # fmt: skip


class RefusedChange(Value):
    """A change of an immutable field.

    Attributes:
        at: its smallest parts that differ; never empty.
        answer: the API server's message, without the value and the full stop.
        where: the way of applying that is refused; empty if every way is.
    """

    at: tuple[Pointer, ...]
    answer: str
    where: str = ""


def normal(value: Any) -> Any:
    """A part of an object without values that make no difference; the rest keeps its place."""
    if isinstance(value, list):
        return [normal(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: normal(one) for key, one in value.items() if isinstance(key, str)}
    for key in _AMOUNTS:
        if isinstance(found.get(key), dict):
            found[key] = {name: _amount(one) for name, one in found[key].items()}
    return {key: one for key, one in found.items() if not _idle(key, one)}


def normal_pod_spec(spec: Any, *, template: bool = True) -> Any:
    """The normal form of a pod's spec, whose containers have defaults that depend on their other fields.

    Requests default to limits in a pod, but not in a `template`: writing them there makes another template (1.34).
    """
    if not isinstance(spec, dict):
        return spec
    filled = dict(spec)
    for key in ("containers", "initContainers"):
        if isinstance(filled.get(key), list):
            filled[key] = [_container(one, template=template) for one in filled[key]]
    if filled.get("restartPolicy") == "Always":
        del filled["restartPolicy"]
    if filled.get("serviceAccount") == filled.get("serviceAccountName"):
        filled.pop("serviceAccount", None)
    found = normal(filled)
    if filled.get("preemptionPolicy"):
        # a PriorityClass has a default, a pod none
        found["preemptionPolicy"] = filled["preemptionPolicy"]
    if found.get("securityContext") == {}:
        # a pod has one in any case, a container has not
        del found["securityContext"]
    return found


def _container(value: Any, *, template: bool) -> Any:
    if not isinstance(value, dict):
        return value
    container = dict(value)
    image = container.get("image")
    if isinstance(image, str):
        latest = ":" not in image.rpartition("/")[2] or image.endswith(":latest")
        if container.get("imagePullPolicy") == ("Always" if latest and "@" not in image else "IfNotPresent"):
            del container["imagePullPolicy"]
    resources = container.get("resources")
    if not template and isinstance(resources, dict) and isinstance(resources.get("limits"), dict):
        requests = resources.get("requests")
        asked = {**resources["limits"], **(requests if isinstance(requests, dict) else {})}
        container["resources"] = {**resources, "requests": asked}
    return container


def _amount(value: Any) -> Any:
    try:
        return parse_quantity(value)
    except QuantityError:
        return value


def _idle(key: str, value: Any) -> bool:
    """Whether a field means the same as its absence."""
    if value is None or value == [] or (value == {} and key not in _STRUCTS):
        return True
    if value == "" and key not in _POINTERS:
        return True
    return key in _DEFAULTS and type(value) is type(_DEFAULTS[key]) and value == _DEFAULTS[key]
