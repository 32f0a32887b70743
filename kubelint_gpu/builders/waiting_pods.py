"""Pods that the scheduler finds no room for."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.diagnosis import Diagnosis
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.findings.finding import Severity
from kubelint_gpu.scheduler import Attempt
from kubelint_gpu.simulation.prepare.workload_change import own_pods


def scheduler_message(unit: ApplySet, subject: WorkloadCheck) -> str | None:
    """What the scheduler says of a pod beside those that run, else of one alone in the cluster.

    None of a DaemonSet's: its controller makes no pod for a node that it does not choose.
    """
    if subject.controller.node_bound:
        return None
    return unit.beside_running(subject).message or unit.alone(subject).message


def severity_without_pods(subject: WorkloadCheck, found: Diagnosis) -> Severity | None:
    """A warning where no pod is made at all: the rollout of a DaemonSet for no node is complete at once.

    Not where there are nodes that it is meant for.
    """
    return "warning" if subject.controller.node_bound and not found.missed else None


def no_pods(subject: WorkloadCheck) -> tuple[str, ...]:
    """What is seen of a workload whose controller chooses no node."""
    if not subject.controller.node_bound:
        return ()
    return ("its controller makes no pod at all: DESIRED is 0, and no event says why",)


def waiting_for_room(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Attempt]]:
    """The workloads with a class of their own whose pod fits in the empty cluster and not beside what others run."""
    if not unit.has_nodes or not unit.cluster.pods:
        return
    for subject in unit.subjects:
        spec = subject.workload.spec
        if not subject.places_pods or not subject.known_class or not subject.workload.replicas:
            continue
        if not spec.priority_class_name or (spec.priority or 0) <= 0 or not unit.fits_somewhere(subject):
            continue
        if own_pods(subject.workload, unit.cluster.pods):
            # it runs already: what its next pods do is a matter of the rollout
            continue
        found = unit.beside_running(subject)
        if found.fit is not None and not found.fit.schedulable and found.fit.prefilter is None:
            yield subject, found
