"""What workloads that one quota counts have in common: together they ask for more than it allows."""

from __future__ import annotations

from kubelint_gpu.engine.api import ASKED, WHO, Shared, WorkloadCheck
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.why_fewer import why_fewer


def of_quota(subject: WorkloadCheck, refusal: QuotaRefusal, wanted: int) -> Shared:
    """That a quota refuses some of their pods: what they ask for of it, where it is one thing."""
    quota, who = f"quota {refusal.quota}", subject.workload.key
    cause = f"{quota} of {subject.workload.meta.namespace}"
    if len(refusal.exceeded) != 1:
        return Shared(cause, ("not all pods of ", WHO, f" can run: {quota} refuses them"), who=who)
    (one,) = refusal.exceeded
    resource = one.key.removeprefix("requests.").removeprefix("limits.")
    unit = 1 if resource == "cpu" else 1000
    # what is over a limit was there before the limit, and stays
    has = one.limit // unit if one.used <= one.limit else None
    allows = f" {one.key} under {quota}, which allows {canonical(one.limit)}"
    told = (WHO, " cannot all run: they ask for ", ASKED, f"{allows}; {why_fewer((), refusal)}")
    return Shared(f"{one.key} of {cause}", told, wanted * one.requested // unit, has, resource=resource, who=who)
