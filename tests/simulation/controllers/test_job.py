"""Jobs and CronJobs: how many pods they make, when they have ended, and what a schedule does."""

from __future__ import annotations

from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.simulation.controllers.job import (
    piles_up,
    stops_for_ever,
)


def test_forbid_with_a_pod_that_cannot_be_scheduled_never_runs_again():
    assert stops_for_ever(JobStrategy(concurrency="Forbid"), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Forbid", active_deadline_seconds=60), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Replace"), schedulable=False)
    assert piles_up(JobStrategy(concurrency="Allow"), schedulable=False)
    assert not piles_up(JobStrategy(concurrency="Allow"), schedulable=True)
