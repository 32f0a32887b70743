"""Which pods ResourceQuotas admit while pods come and go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import QuotaRefusal, ResourceQuota, quota_refusal, quota_usage
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.values import Value, replace


class QuotaUse(Value):
    """The quotas of the namespaces in play, with the usage of pods that stay.

    A pod counts until it is gone, terminating or not. `reached` are the same quotas with limits raised to the present
    usage: lowering a limit deletes no pod. `staying` are the pods that stay and are counted.
    """

    quotas: tuple[ResourceQuota, ...] = ()
    reached: tuple[ResourceQuota, ...] = ()
    staying: tuple[Pod, ...] = ()

    def covers(self, pod: Pod) -> bool:
        """Whether any quota counts the pod."""
        return any(quota.covers(pod) for quota in self.quotas)

    def refusal(self, pod: Pod, existing: Iterable[tuple[Pod, int]], *, before: bool = False) -> QuotaRefusal | None:
        """How a quota refuses one more pod beside others, given as (pod, count); None if all quotas admit it.

        With `before` the pod is one of those that run already.
        """
        covering = [quota for quota in (self.reached if before else self.quotas) if quota.covers(pod)]
        if not covering:
            return None
        beside = [(other, count) for other, count in existing if count]
        now = []
        for quota in covering:
            more = quota_usage(replace(quota, used=None), (), beside).items()
            used = {name: amount + (quota.used or EMPTY).get(name, 0) for name, amount in more}
            now.append(replace(quota, used=FrozenMap(used)))
        return quota_refusal(pod, now, self.staying, beside)


def named_pod(kind: PodType) -> Pod:
    """A pod of a kind with its owner and the name that the API server uses in a refusal: usually a generated one."""
    meta = kind.pod.meta.made_by(kind.owner)
    named = kind.name or kind.owner.startswith("Pod/")
    return replace(kind.pod, meta=meta if named else replace(meta, name=f"{meta.name}-…"))


def admission_of(quotas: Sequence[ResourceQuota], fixed: Sequence[Pod]) -> QuotaUse:
    """The quotas with the usage that stays: that of `fixed` pods, and of pods that are unknown or wait."""
    found, reached = [], []
    for quota in quotas:
        if not quota.counted:
            continue
        unknown, now = quota.unknown or EMPTY, quota.used or EMPTY
        known = quota_usage(replace(quota, used=None), fixed)
        stays = {name: amount + unknown.get(name, 0) for name, amount in known.items()}
        found.append(replace(quota, used=FrozenMap(stays)))
        former = quota.hard if quota.former is None else quota.former
        hard = {key: max(quota.hard[key], now.get(key, 0), limit) for key, limit in former.items() if key in quota.hard}
        reached.append(replace(found[-1], hard=FrozenMap(hard)))
    return QuotaUse(tuple(found), tuple(reached), tuple(pod for pod in fixed if any(one.covers(pod) for one in found)))
