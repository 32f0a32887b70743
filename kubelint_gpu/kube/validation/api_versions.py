"""Which release serves an apiVersion and kind, and what took its place.

Source: the deprecated API migration guide of Kubernetes for what went before 1.25, the published schemas since then.
"""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.kube.validation.api_table import table
from kubelint_gpu.values import Value

_APPS = ("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")
_RBAC = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
_STORAGE = ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment")
_HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# apiVersion, kinds, the release without it, what replaces it, whether its fields are the same
_GONE: tuple[tuple[str, tuple[str, ...], int, str, bool], ...] = (
    ("extensions/v1beta1", ("Deployment", "DaemonSet", "ReplicaSet"), 16, "apps/v1", True),
    ("extensions/v1beta1", ("NetworkPolicy",), 16, "networking.k8s.io/v1", True),
    ("extensions/v1beta1", ("PodSecurityPolicy",), 16, "", False),
    ("extensions/v1beta1", ("Ingress",), 22, "networking.k8s.io/v1", False),
    ("apps/v1beta1", _APPS, 16, "apps/v1", True),
    ("apps/v1beta2", _APPS, 16, "apps/v1", True),
    ("admissionregistration.k8s.io/v1beta1", _HOOKS, 22, "admissionregistration.k8s.io/v1", False),
    ("apiextensions.k8s.io/v1beta1", ("CustomResourceDefinition",), 22, "apiextensions.k8s.io/v1", False),
    ("apiregistration.k8s.io/v1beta1", ("APIService",), 22, "apiregistration.k8s.io/v1", True),
    ("certificates.k8s.io/v1beta1", ("CertificateSigningRequest",), 22, "certificates.k8s.io/v1", False),
    ("coordination.k8s.io/v1beta1", ("Lease",), 22, "coordination.k8s.io/v1", True),
    ("networking.k8s.io/v1beta1", ("Ingress",), 22, "networking.k8s.io/v1", False),
    ("networking.k8s.io/v1beta1", ("IngressClass",), 22, "networking.k8s.io/v1", True),
    ("rbac.authorization.k8s.io/v1alpha1", _RBAC, 22, "rbac.authorization.k8s.io/v1", True),
    ("rbac.authorization.k8s.io/v1beta1", _RBAC, 22, "rbac.authorization.k8s.io/v1", True),
    ("scheduling.k8s.io/v1alpha1", ("PriorityClass",), 22, "scheduling.k8s.io/v1", True),
    ("scheduling.k8s.io/v1beta1", ("PriorityClass",), 22, "scheduling.k8s.io/v1", True),
    ("storage.k8s.io/v1beta1", _STORAGE, 22, "storage.k8s.io/v1", True),
    ("autoscaling/v2beta1", ("HorizontalPodAutoscaler",), 25, "autoscaling/v2", False),
    ("batch/v2alpha1", ("CronJob",), 21, "batch/v1", True),
    ("batch/v1beta1", ("CronJob",), 25, "batch/v1", True),
    ("discovery.k8s.io/v1beta1", ("EndpointSlice",), 25, "discovery.k8s.io/v1", False),
    ("events.k8s.io/v1beta1", ("Event",), 25, "events.k8s.io/v1", False),
    ("node.k8s.io/v1alpha1", ("RuntimeClass",), 22, "node.k8s.io/v1", False),
    ("node.k8s.io/v1beta1", ("RuntimeClass",), 25, "node.k8s.io/v1", True),
    ("policy/v1beta1", ("PodDisruptionBudget",), 25, "policy/v1", True),
    ("policy/v1beta1", ("PodSecurityPolicy",), 25, "", False),
)
# apiVersions whose successor in the same group has the same fields
_CARRIED = frozenset(
    (("autoscaling/v2beta2", "HorizontalPodAutoscaler"), ("storage.k8s.io/v1beta1", "CSIStorageCapacity"))
)


class Service(Value):
    """From when to when an apiVersion and kind is served.

    Attributes:
        since: the first minor release that has it, as far as is known.
        gone: the first minor release without it; 0 where the newest known one still has it.
        successor: the apiVersion to write instead in the release that was asked about; empty where there is none.
        same: whether the fields carry over as they are.
    """

    since: int
    gone: int
    successor: str = ""
    same: bool = False


def service(value: Any, minor: int | None) -> Service | None:
    """What is known of an object's apiVersion and kind; None for kinds that are not Kubernetes' own."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return None
    for known, kinds, gone, successor, same in _GONE:
        if known == version and kind in kinds:
            return Service(0, gone, successor, same)
    found = table()
    entry = found.kind(version, kind)
    if not entry:
        return None
    since, until = entry[0].first, entry[-1].last
    asked = found.last if minor is None else min(minor, found.last)
    others = [
        other
        for other, spans in found.versions(version.rpartition("/")[0], kind).items()
        if other != version and spans[0].first <= asked <= spans[-1].last
    ]
    successor = min(others, key=_rank) if others else ""
    return Service(
        0 if since == found.first else since,
        0 if until >= found.last else until + 1,
        successor,
        (version, kind) in _CARRIED,
    )


def _rank(version: str) -> tuple[bool, bool, list[int]]:
    """Stable before beta before alpha, then the newer."""
    name = version.rpartition("/")[2]
    digits = [-int(found) for found in re.findall(r"[0-9]+", name)]
    return "alpha" in name, "beta" in name, digits
