"""Attempts to schedule the pods of workloads, each made once."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.scheduler import Attempt, Snapshot, attempt, likeness
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


class Attempts:
    """Keeps attempts by workload and cluster; of pods that every filter treats alike one that fits tells of all."""

    def __init__(self) -> None:
        self._known: dict[tuple[WorkloadKey, str], Attempt] = {}
        self._fitting: dict[Hashable, Attempt] = {}

    def of(self, subject: WorkloadCheck, name: str, snapshot: Snapshot) -> Attempt:
        """Scheduling the pod of a workload in the cluster of a name."""
        key = (subject.key, name)
        if key not in self._known:
            # what else will run is not in these snapshots, nor what the pod must be near to
            pod = subject.pod if name == "running" else lone(subject.pod, snapshot)
            alike = (likeness(pod, snapshot), name)
            known = self._fitting.get(alike) or attempt(pod, snapshot)
            self._known[key] = known
            if known.fit is not None and known.fit.schedulable:
                # nothing names the pod then
                self._fitting[alike] = known
        return self._known[key]
