"""What the pods of a namespace ask for of a quota that allows less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kubelint_gpu.capacity.full_cluster import FullCluster
from kubelint_gpu.kube.objects.quota import ResourceQuota, pod_charge
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.wording import foremost, verb
from kubelint_gpu.values import Value


class QuotaDemand(Value):
    """A key of a quota that allows less than the pods of its namespace ask for at rest; amounts are thousandths.

    Attributes:
        quota: its name, `namespace/name`.
        key: such as `requests.nvidia.com/gpu`.
        hard: how much it allows.
        declared: how much all declared pods ask for.
        others: how much is held by running pods that no manifest declares.
        workloads: the declared workloads that ask for it.
    """

    quota: str
    key: str
    hard: int
    declared: int
    others: int
    workloads: tuple[str, ...]

    @property
    def missing(self) -> int:
        """How much more it would have to allow."""
        return self.declared + self.others - self.hard

    @property
    def amounts(self) -> dict[str, int]:
        """All amounts by name."""
        return {"hard": self.hard, "declared": self.declared, "others": self.others, "missing": self.missing}

    @property
    def sentence(self) -> str:
        """The amounts in words."""
        hard, declared, others, missing = map(canonical, self.amounts.values())
        held = f", and others hold {others}" if self.others else ""
        asked = f"{foremost(self.workloads)} {verb('ask', len(self.workloads))} for {declared}"
        return f"{self.quota}: allows {hard} {self.key}; {asked}{held}: {missing} too few"


def quota_demands(cluster: FullCluster) -> tuple[QuotaDemand, ...]:
    """Return the keys of quotas that allow too little, by namespace and name."""
    quotas = {
        (one.meta.namespace, one.meta.name): one
        for base in (cluster.world.base, *(group.cluster for group in cluster.groups))
        for one in base.quotas
    }
    return tuple(found for _, quota in sorted(quotas.items()) for found in _exceeded(cluster, quota))


def _exceeded(cluster: FullCluster, quota: ResourceQuota) -> Iterator[QuotaDemand]:
    declared, others = Counter[str](), Counter[str]()
    workloads: dict[str, list[str]] = {}
    for group in cluster.groups:
        for key, amount in pod_charge(group.pod.spec).items() if quota.covers(group.pod) else ():
            if amount * group.total:
                declared[key] += amount * group.total
                workloads.setdefault(key, []).append(group.name)
    for pod in cluster.others:
        if quota.covers(pod):
            others.update(pod_charge(pod.spec))
    name = f"{quota.meta.namespace}/{quota.meta.name}"
    for key in quota.counted:
        found = QuotaDemand(name, key, quota.hard[key], declared[key], others[key], tuple(workloads.get(key, ())))
        if found.declared and found.missing > 0:
            yield found
