"""Jobs whose pods a quota refuses, and Jobs whose finished pods exhaust a quota before they are complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.ended_jobs import PODS, EndedJobs, ended_jobs, standing_pods
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.kubelet_refusal import aftermath
from kubelint_gpu.engine.api import ASKED, WHO, ApplySet, Diagnostic, Shared, WorkloadCheck
from kubelint_gpu.evidence.declared_lines import quota_limits
from kubelint_gpu.evidence.stakes import stakes
from kubelint_gpu.kube.objects.quota import QuotaRefusal, quota_refusal
from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.messages.why_fewer import KEPT_APART, refused, what_a_quota_needs, what_helps, why_fewer
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.simulation.controllers.job import job_of, objects_of_pods, piles_up, stops_for_ever
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, owned_pod, pods_of_others
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.values import replace

_LIMIT_PODS = "limit pods instead of count/pods: a pod that has ended is no longer counted there"


def refused_job_pods(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Findings about a Job that can never have all its pods because of a quota alone."""
    job, workload, manifest = job_of(subject.workload), subject.workload, subject.manifest
    if not unit.has_nodes or job is None or not workload.replicas or workload.custom:
        return
    strategy = job.strategy
    pod = created_pod(workload, "new")
    alone = [replace(quota, used=None) for quota in unit.cluster.quotas]
    text = quota_refusal(pod, alone, ())
    if text is not None:
        yield Diagnostic(
            "KLG109",
            manifest.place(("spec",), "key"),
            f"not one of its pods is ever made: each is refused {refused(text)}; {outcome(strategy, made=False)}",
            manifest,
            cause="refused",
            related=stakes(unit, subject, Waiting(workload.key, new=True, count=1, refusal=text)),
            help=(what_a_quota_needs(text),),
        )
        return
    wanted = objects_of_pods(strategy)
    for quota in sorted(alone, key=lambda one: one.meta.name):
        if not quota.covers(pod) or PODS not in quota.hard or strategy.completions is None:
            continue
        limit, taken = quota.hard[PODS] // ONE, standing_pods(unit, quota)
        room = max(0, limit - taken)
        if room >= wanted or (taken and not room):
            # of one that waits behind others another finding tells
            continue
        few = f"only {room}" if room else "none"
        others = f", of which others have {taken}" if taken else ""
        yield Diagnostic(
            "KLG109",
            manifest.place(("spec",), "key"),
            f"{few} of the {counted(wanted, 'pod')} that it needs {'is' if room < 2 else 'are'} ever made: "
            f"quota {quota.meta.name} allows {limit} {PODS}{others}, and pods that have ended count until the Job is "
            f"deleted; {outcome(strategy, made=False)}",
            manifest,
            cause="finished pods",
            related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (PODS,))),
            help=(_LIMIT_PODS,),
        )
        return
    left = ended_jobs(unit).get(workload.meta.namespace)
    if left is not None and not left.whole and subject in left.jobs:
        yield _crowded_out(unit, subject, left, wanted)


def _crowded_out(unit: ApplySet, subject: WorkloadCheck, left: EndedJobs, wanted: int) -> Diagnostic:
    """The finding that not all Jobs of a quota get all their pods, because finished pods of other Jobs stay."""
    room, quota = len(left.pods), f"quota {left.quota}"
    stay = f"which has room for {room} {PODS}, and pods that have ended count until their Job is deleted"
    told = (WHO, " need ", ASKED, f" pods under {quota}, {stay}: not all of these Jobs end")
    return Diagnostic(
        "KLG109",
        subject.manifest.place(("spec",), "key"),
        f"not all of its pods may be made: it shares {quota} with other Jobs, {stay}",
        subject.manifest,
        cause="finished pods",
        certainty="possible",
        related=tuple(quota_limits(unit, subject.workload.meta.namespace, left.quota, (PODS,))),
        help=(_LIMIT_PODS,),
        shared=Shared(f"{PODS} of {left.quota}", told, wanted, room, who=subject.workload.key),
    )


def refusal_beside(unit: ApplySet, subject: WorkloadCheck, others: Sequence[Workload]) -> QuotaRefusal | None:
    """Return how a quota refuses a pod of a Job beside permanent workloads; None if it admits the pod."""
    running = pods_of_others((subject.workload, *others), without_leaving(unit, unit.cluster).pods)
    stay = [pod for pod in running if pod.spec.node_name and not is_temporary(pod)]
    more = [(owned_pod(one, "old"), one.replicas) for one in others]
    pod = owned_pod(subject.workload, "new")
    counted_here = [replace(quota, used=None) for quota in unit.cluster.quotas]
    return quota_refusal(pod, counted_here, stay, more) or quota_refusal(pod, unit.cluster.quotas, stay, more)


def outcome(strategy: JobStrategy, *, made: bool) -> str:
    """A clause about the end of a Job whose pods stay Pending or, unless `made`, are refused."""
    deadline = strategy.active_deadline_seconds
    if deadline is not None:
        each = "each run" if strategy.concurrency else "the Job"
        without = " without having started" if made else ""
        return f"{each} fails after {counted(deadline, 'second')} (activeDeadlineSeconds){without}"
    if stops_for_ever(strategy):
        lasts = "waits for ever" if made else "never ends"
        return f"its first run {lasts}, and with concurrencyPolicy Forbid no other is started"
    if piles_up(strategy):
        return f"each run adds a {'pod that waits for ever' if made else 'Job that never ends'}"
    if strategy.concurrency:
        still = ", which still waits" if made else ""
        return f"with concurrencyPolicy Replace each run only takes the place of the one before it{still}"
    return "its pods wait for ever" if made else "the Job never ends"


def prospect(
    subject: WorkloadCheck, strategy: JobStrategy, waiting: Waiting | None, refusal: QuotaRefusal | None
) -> tuple[str, str, tuple[str, ...]]:
    """Return what the pods of a Job meet, how it ends, and what helps."""
    lasts, node = stops_for_ever(strategy) or piles_up(strategy), subject.workload.spec.node_name
    ends = ("set activeDeadlineSeconds, which ends a run that waits",) if lasts else ()
    found = "not one of its pods finds room"
    if waiting is not None:
        ends = (*filter(None, (what_helps(waiting.lacks),)), *ends)
        if why_fewer(waiting.lacks, None) == KEPT_APART:
            found = "each of its pods is kept away from all nodes"
    if refusal is not None:
        told = f"each is refused {refused(refusal)}; {outcome(strategy, made=False)}"
        return "not one of its pods is made", told, (what_a_quota_needs(refusal), *ends)
    if node:
        return found, f"the kubelet of {node} fails each of them", (aftermath(subject.manifest),)
    return found, outcome(strategy, made=True), ends
