"""What workloads that one quota counts have in common: together they ask for more than it allows."""

from __future__ import annotations

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck
from kubelint_gpu.evidence.node_lines import refusing_quota
from kubelint_gpu.findings.finding import ASKED, WHO, Shared
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.why_fewer import refused, why_fewer
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.simulation.search.verdict import Judgement


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
    told = (WHO, " ask for ", ASKED, f"{allows}: not all of their pods can run; {why_fewer((), refusal)}")
    return Shared(f"{one.key} of {cause}", told, wanted * one.requested // unit, has, resource=resource, who=who)


def refused_daemon_pods(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, refusal: QuotaRefusal
) -> Diagnostic:
    """The finding that a quota refuses pods of a DaemonSet, which are not made then."""
    missing, made = judgement.wanted - judgement.placed, counted(judgement.wanted, "node")
    are = "is" if missing == 1 else "are"
    return Diagnostic(
        "KLG109",
        subject.manifest.place(("spec",), "key"),
        f"of the pods that it makes for {made}, {missing} {are} refused {refused(refusal)}; {why_fewer((), refusal)}",
        subject.manifest,
        cause="daemon pods",
        certainty="certain" if is_certain(unit, subject, judgement) else "possible",
        severity="warning",
        related=tuple(refusing_quota(unit, subject, refusal)),
        shared=of_quota(subject, refusal, judgement.wanted),
    )
