"""Pods that cannot all run at once, whatever is rolled out."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import outgrown
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.custom_rollouts import custom_pods_pending
from kubelint_gpu.builders.job_quota import refused_job_pods
from kubelint_gpu.builders.on_delete import replaced_by_hand
from kubelint_gpu.builders.pending_daemon_pods import daemon_pods_pending
from kubelint_gpu.builders.pending_replicas import pending_replicas
from kubelint_gpu.builders.removed_objects import waiting_for_gone
from kubelint_gpu.builders.starving_jobs import starving
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy
from kubelint_gpu.workspace.apply_set import ApplySet


@rule("KLG109")
def scale_up_pending(unit: ApplySet) -> Iterator[Diagnostic]:
    """Not all replicas can run at once, whatever is rolled out."""
    yield from custom_pods_pending(unit)
    yield from waiting_for_gone(unit)
    for subject in unit.subjects:
        refused_pods = tuple(refused_job_pods(unit, subject))
        yield from refused_pods or starving(unit, subject)
        judgement = judgements_in(unit).get(id(subject))
        if judgement is None or judgement.placed >= judgement.wanted or outgrown(unit, subject, judgement):
            continue
        if isinstance(subject.workload.strategy, DaemonSetStrategy):
            yield from daemon_pods_pending(unit, subject, judgement)
        elif judgement.eligible and judgement.verdict is None:
            yield from pending_replicas(unit, subject, judgement)
    yield from replaced_by_hand(unit)
