"""By how much quotas would have to grow so that none refuses a pod."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge, quota_refusal, quota_usage
from kubelint_gpu.scheduler.explain.cluster_changes import ChangedCluster, QuotaGrows, after
from kubelint_gpu.scheduler.framework.snapshot import Snapshot


def growing_quotas(pod: Pod, snapshot: Snapshot) -> tuple[QuotaGrows, ...]:
    """What would make room in every quota that is used up; nothing where that is not why the pod is refused."""
    found: list[QuotaGrows] = []
    charge = pod_charge(pod.spec)
    for quota in sorted(snapshot.cluster.quotas, key=lambda quota: quota.meta.name):
        if quota.covers(pod):
            used = quota_usage(quota, snapshot.pods)
            name = f"{quota.meta.namespace}/{quota.meta.name}"
            for key in quota.counted:
                needed = used[key] + charge.get(key, 0)
                if charge.get(key) and needed > quota.hard[key]:
                    found.append(QuotaGrows(name, key, needed, quota.hard[key]))
    changed = ChangedCluster(snapshot, "")
    for change in found:
        changed = after(changed, change)
    return () if quota_refusal(pod, changed.snapshot.cluster.quotas, snapshot.pods) else tuple(found)
