"""Jobs and CronJobs: how many pods they make, when they have ended, and what a schedule does."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.simulation.controllers.job import (
    Progress,
    is_finished,
    on_schedule,
    piles_up,
    stops_for_ever,
    to_create,
    wanted_active,
)


@pytest.mark.parametrize(
    ("strategy", "now", "expected"),
    [
        (JobStrategy(3, 5), Progress(), 3),
        (JobStrategy(3, 5), Progress(succeeded=4), 1),
        (JobStrategy(3, 5), Progress(succeeded=5), 0),
        (JobStrategy(3, None), Progress(), 3),
        (JobStrategy(3, None), Progress(active=2, succeeded=1), 2),
        (JobStrategy(3, 5, suspend=True), Progress(), 0),
        (JobStrategy(8, 2), Progress(), 2),
    ],
)
def test_how_many_pods_a_job_wants(strategy, now, expected):
    assert wanted_active(strategy, now) == expected


def test_with_replacement_policy_failed_a_job_waits_for_terminating_pods():
    now = Progress(active=1, terminating=1)
    assert to_create(JobStrategy(3, 3), now) == 2
    assert to_create(JobStrategy(3, 3), now, replaces_terminating=False) == 1


def test_a_work_queue_is_finished_when_one_succeeded_and_none_is_active():
    assert is_finished(JobStrategy(2, None), Progress(succeeded=1))
    assert not is_finished(JobStrategy(2, None), Progress(active=1, succeeded=1))
    assert is_finished(JobStrategy(2, 2), Progress(succeeded=2))


@pytest.mark.parametrize(
    ("policy", "active", "expected"),
    [("Allow", 2, "start"), ("Forbid", 1, "skip"), ("Forbid", 0, "start"), ("Replace", 1, "replace")],
)
def test_what_a_cron_job_does_while_another_job_is_active(policy, active, expected):
    assert on_schedule(JobStrategy(concurrency=policy), active) == expected


def test_forbid_with_a_pod_that_cannot_be_scheduled_never_runs_again():
    assert stops_for_ever(JobStrategy(concurrency="Forbid"), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Forbid", active_deadline_seconds=60), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Replace"), schedulable=False)
    assert piles_up(JobStrategy(concurrency="Allow"), schedulable=False)
    assert not piles_up(JobStrategy(concurrency="Allow"), schedulable=True)
