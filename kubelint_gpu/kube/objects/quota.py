"""ResourceQuotas: limits of a namespace, and the pods that admission refuses because of them.

Behaviour: quota evaluator for pods (pkg/quota/v1/evaluator/core/pods.go) and admission plugin ResourceQuota, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.requests import ephemeral_claims, is_extended, is_pod_level, pod_amounts, pod_limits
from kubelint_gpu.kube.objects.storage import VOLUME_CLAIMS, claim_charge, of_claims
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.values import Value, replace

_SCOPES = (
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
)
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_COUNTED = frozenset(
    ("pods", "count/pods", *(prefix + name for prefix in ("", "requests.", "limits.") for name in _COMPUTE))
)
# keys of an own kind: claims of a class, devices of a class
_BY_CLASS = (".storageclass.storage.k8s.io/requests.storage", "deviceclass.resource.k8s.io/devices")
_REQUESTS_OF_CLASS = "requests.deviceclass.resource.kubernetes.io/"
_ENFORCED = frozenset(prefix + name for prefix in ("", "requests.", "limits.") for name in ("cpu", "memory"))

OBJECT_KEYS = {
    "CronJob": ("count/cronjobs.batch",),
    "DaemonSet": ("count/daemonsets.apps",),
    "Deployment": ("count/deployments.apps",),
    "Job": ("count/jobs.batch",),
    "ReplicationController": ("count/replicationcontrollers", "replicationcontrollers"),
    "StatefulSet": ("count/statefulsets.apps",),
}
"""Under which keys the API server counts the objects of a kind; a quota with scopes counts none of them."""

PODS, CLAIMS = "pods", "resourceclaims"
"""What a quota may refuse."""


class Scope(Value):
    """A restriction of a quota to some pods."""

    name: str
    operator: str = "Exists"
    values: tuple[str, ...] = ()

    def covers(self, spec: PodSpec) -> bool:
        """Whether pods with this spec are counted."""
        if self.name == "PriorityClass" and self.operator in ("Exists", "DoesNotExist"):
            return bool(spec.priority_class_name) == (self.operator == "Exists")
        if self.name == "PriorityClass":
            return (spec.priority_class_name in {*self.values} - {""}) == (self.operator == "In")
        if self.name in ("Terminating", "NotTerminating"):
            return (spec.active_deadline_seconds is not None) == (self.name == "Terminating")
        if self.name in ("BestEffort", "NotBestEffort"):
            return is_best_effort(spec) == (self.name == "BestEffort")
        return self.name == "CrossNamespacePodAffinity" and _crosses_namespaces(spec)


class ResourceQuota(Value):
    """A ResourceQuota; amounts are thousandths, `used` is None if the object has no status.

    `unknown` is the part of `used` that no known pod has; None if it was not computed.
    `former` are the limits under which running pods were created, without new keys; None if they are `hard`.
    """

    meta: Meta
    hard: FrozenMap[str, int] = EMPTY
    used: FrozenMap[str, int] | None = None
    scopes: tuple[Scope, ...] = ()
    unknown: FrozenMap[str, int] | None = None
    former: FrozenMap[str, int] | None = None

    @property
    def counted(self) -> tuple[str, ...]:
        """The keys of `hard` that pods are charged for, sorted; other keys (`nvidia.com/gpu`) do not affect pods."""
        return tuple(sorted(name for name in self.hard if is_counted(name)))

    @property
    def scope(self) -> str:
        """Which pods it counts, as in `PriorityClass top`; empty if it counts all."""
        told = ((one.name, *{one.operator} - {"In", "Exists"}, *one.values) for one in self.scopes)
        return " and ".join(map(" ".join, told))

    def instead_of(self, before: ResourceQuota | None) -> ResourceQuota:
        """The quota after it is applied, with its former limits; the usage stays that of its status."""
        used = before.used if self.used is None and before is not None else self.used
        return replace(self, former=EMPTY if before is None else before.hard, used=used)

    def covers(self, pod: Pod) -> bool:
        """Whether the pod, or a claim that is created with it, is charged to this quota."""
        return (
            pod.meta.namespace == self.meta.namespace
            and any(not of_claims(key) or ephemeral_claims(pod.spec.volumes) for key in self.counted)
            and all(scope.covers(pod.spec) for scope in self.scopes)
        )


def is_counted(key: str) -> bool:
    """Whether a key of `spec.hard` counts something of pods, or of claims that are created with them."""
    if key in _COUNTED or of_claims(key) or key.startswith(("hugepages-", "requests.hugepages-")):
        return True
    return key.startswith("requests.") and "/" in key and "kubernetes.io/" not in key.removeprefix(_REQUESTS_OF_CLASS)


def counted_as(key: str) -> str | None:
    """The key that counts an extended resource, if this key is accepted but counts nothing."""
    name = key.removeprefix("limits.")
    if key.startswith("requests.") or not is_extended(name) or name.startswith("count/"):
        return None
    return None if name.endswith(_BY_CLASS) else f"requests.{name}"


def is_best_effort(spec: PodSpec) -> bool:
    """Whether a pod has quality of service BestEffort: no request and no limit for cpu or memory anywhere."""
    parts = [*spec.containers, *spec.init_containers]
    if spec.resources is not None:
        parts.append(spec.resources)
    return not any(
        amounts.get(name) for part in parts for amounts in (part.requests, part.limits) for name in ("cpu", "memory")
    )


def pod_charge(spec: PodSpec, *, finished: bool = False, pod_level: bool = True) -> FrozenMap[str, int]:
    """The charge of a pod, per quota key, in thousandths; a finished pod only counts as an object."""
    charge = {"count/pods": 1000}
    if finished:
        return FrozenMap(charge)
    charge["pods"] = 1000
    requests = pod_amounts(spec, pod_level=pod_level)
    for name, amount in requests.items():
        if name in _COMPUTE or name.startswith("hugepages-"):
            charge[name] = amount
            charge["requests." + name] = amount
        elif is_extended(name) or f"requests.{name}".startswith(_REQUESTS_OF_CLASS):
            charge["requests." + name] = amount
    for name, amount in pod_limits(spec, pod_level=pod_level).items():
        if name in _COMPUTE:
            charge["limits." + name] = amount
    for claim in ephemeral_claims(spec.volumes):
        for name, amount in claim_charge(claim).items():
            charge[name] = charge.get(name, 0) + amount
    return FrozenMap(charge)


def quota_usage(
    quota: ResourceQuota, pods: Iterable[Pod], alike: Iterable[tuple[Pod, int]] = ()
) -> FrozenMap[str, int]:
    """The usage of each counted key of the quota: by its status, or else the sum over the pods that it covers.

    `alike` are further pods, as (pod, number of such pods).
    """
    total = dict.fromkeys(quota.counted, 0)
    if quota.used is not None:
        return FrozenMap({name: quota.used.get(name, 0) for name in total})
    for pod, count in (*((pod, 1) for pod in pods), *alike):
        if quota.covers(pod) and not pod.is_claim:
            charge = pod_charge(pod.spec, finished=pod.finished)
            for name in total:
                total[name] += charge.get(name, 0) * count
    return FrozenMap(total)


class Excess(Value):
    """One key of a quota that a pod would exceed, in thousandths.

    `holders` are the owners of known pods that use it, each with its amount; the owner of the refused pod is "".
    """

    key: str
    requested: int
    used: int
    limit: int
    holders: tuple[tuple[str, int], ...] = ()


class QuotaRefusal(Value):
    """Why admission refuses to create a pod, or one of its claims.

    Attributes:
        pod: the name of the object.
        quota: the name of the ResourceQuota.
        exceeded: the keys that it would exceed.
        unspecified: what the pod must specify but does not; empty if it exceeds a key.
        kind: the resource of the object: `pods`, `resourceclaims` or `persistentvolumeclaims`.
        scope: which pods the quota counts, empty for all; `others` are further quotas that would refuse it.
    """

    pod: str
    quota: str
    exceeded: tuple[Excess, ...] = ()
    unspecified: str = ""
    kind: str = PODS
    scope: str = ""
    others: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The API server's text after `is forbidden: `."""
        if self.unspecified:
            return f"failed quota: {self.quota}: must specify {self.unspecified}"
        told = ", ".join(
            f"{word}: {','.join(f'{one.key}={canonical(getattr(one, field))}' for one in self.exceeded)}"
            for word, field in (("requested", "requested"), ("used", "used"), ("limited", "limit"))
        )
        return f"exceeded quota: {self.quota}, {told}"

    @property
    def text(self) -> str:
        """The API server's message."""
        return f'{self.kind} "{self.pod}" is forbidden: {self.reason}'


def quota_refusal(
    pod: Pod, quotas: Iterable[ResourceQuota], pods: Iterable[Pod], alike: Sequence[tuple[Pod, int]] = ()
) -> QuotaRefusal | None:
    """Why admission refuses to create a pod beside `pods`; None if the quotas admit it.

    `alike` are further pods, as (pod, number of such pods).
    Quotas are checked in the order of their names; the API server checks them in no particular order.
    """
    covering = sorted((quota for quota in quotas if quota.covers(pod)), key=lambda quota: quota.meta.name)
    for quota in covering:
        missing = _missing(pod.spec, _ENFORCED.intersection(quota.hard))
        if missing:
            return QuotaRefusal(pod.meta.name, quota.meta.name, unspecified=missing)
    existing = tuple(pods)
    charge = pod_charge(pod.spec, finished=pod.finished)
    found: list[QuotaRefusal] = []
    for quota in covering:
        used = quota_usage(quota, existing, alike)
        exceeded = [name for name in quota.counted if charge.get(name) and used[name] + charge[name] > quota.hard[name]]
        if exceeded:
            over = tuple(
                Excess(name, charge[name], used[name], quota.hard[name], _holders(quota, name, pod, existing, alike))
                for name in exceeded
            )
            kind = VOLUME_CLAIMS if all(map(of_claims, exceeded)) else PODS
            found.append(QuotaRefusal(pod.meta.name, quota.meta.name, over, kind=kind, scope=quota.scope))
    return replace(found[0], others=tuple(one.quota for one in found[1:])) if found else None


def _holders(
    quota: ResourceQuota, key: str, pod: Pod, pods: Iterable[Pod], alike: Iterable[tuple[Pod, int]]
) -> tuple[tuple[str, int], ...]:
    """Return who uses a key of the quota and how much, in the order of the pods; the owner of `pod` is ""."""
    held, own = dict[str, int](), pod.meta.maker
    for other, count in (*((one, 1) for one in pods), *alike):
        if count and quota.covers(other):
            owner = "" if other.meta.maker == own else other.meta.maker.key
            held[owner] = held.get(owner, 0) + pod_charge(other.spec, finished=other.finished).get(key, 0) * count
    return tuple((owner, number) for owner, number in held.items() if number)


@reader
def read_resource_quota(fields: Fields) -> ResourceQuota:
    """A `v1.ResourceQuota`."""
    spec, status = fields.down("spec"), fields.down("status")
    scopes = []
    for index, name in enumerate(spec.texts("scopes")):
        if name in _SCOPES:
            scopes.append(Scope(name))
        else:
            spec.report(("scopes", index), f'unsupported scope "{name}"; use one of {", ".join(_SCOPES)}', name)
    for child in spec.down("scopeSelector").children("matchExpressions"):
        name = child.choice("scopeName", _SCOPES, "")
        operator = child.choice("operator", _OPERATORS, "Exists")
        values = child.texts("values")
        if (operator in ("In", "NotIn")) != bool(values):
            child.report(("values",), f"must {'' if not values else 'not '}be given with operator {operator}")
        scopes.append(Scope(name, operator, values))
    return ResourceQuota(
        meta=read_meta(fields.down("metadata")),
        hard=spec.quantities("hard"),
        used=status.quantities("used") if "used" in status else None,
        scopes=tuple(scopes),
    )


def _missing(spec: PodSpec, enforced: frozenset[str]) -> str:
    whole = spec.resources
    if whole is not None and any(map(is_pod_level, (*whole.requests, *whole.limits))):
        return ""
    lacking, parts = [], (*spec.containers, *spec.init_containers)
    for key in sorted(enforced):
        name, limits = key.rpartition(".")[2], key.startswith("limits.")
        without = sorted({one.name for one in parts if name not in (one.limits if limits else one.requests)})
        if without:
            lacking.append(f"{key} for: {','.join(without)}")
    return "; ".join(lacking)


def _crosses_namespaces(spec: PodSpec) -> bool:
    terms = (*spec.pod_affinity, *spec.pod_anti_affinity, *(preferred.term for preferred in spec.preferred_pods))
    return any(term.namespaces or term.namespace_selector is not None for term in terms)
