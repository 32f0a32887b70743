"""Whether a rule about affinity, anti-affinity or spreading already explains why replicas do not run."""

from __future__ import annotations

from kubelint_gpu.analysis.affinity.crowding import crowding
from kubelint_gpu.analysis.affinity.out_of_reach import out_of_reach
from kubelint_gpu.analysis.affinity.pod_affinity import unmet_affinity
from kubelint_gpu.analysis.affinity.spread import unspreadable
from kubelint_gpu.scheduler.companions import attracts_itself
from kubelint_gpu.scheduler.plugins import inter_pod_affinity
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def is_kept_apart(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether affinity, anti-affinity or spreading keeps replicas out, which other rules report."""
    crowded = crowding(unit, subject) is not None or unspreadable(unit, subject) is not None
    return crowded or _left_alone(unit, subject, judgement)


def _left_alone(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether none of its pods runs, only because of affinity that other rules report."""
    if not subject.workload.spec.pod_affinity or judgement.room.placed or judgement.room.waiting is None:
        return False
    if not all(lack.plugin == inter_pod_affinity.NAME for lack in judgement.room.waiting.lacks):
        return False
    if any(lack.reason != inter_pod_affinity.AFFINITY_REASON for lack in judgement.room.waiting.lacks):
        # of what may be the first of its own group no rule for affinity speaks
        return not attracts_itself(subject.pod, unit.empty)
    return unmet_affinity(unit, subject) is not None or out_of_reach(unit, subject) is not None
