"""Jobs and CronJobs: how many pods they make, when they have ended, and what a schedule does."""

from __future__ import annotations

from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.controllers.job import job_of, piles_up, stops_for_ever

POD = {"metadata": {"labels": {"app": "t"}}, "spec": {"containers": [{"name": "c", "image": "x:1"}]}}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": {"template": POD}}


def test_forbid_with_a_pod_that_cannot_be_scheduled_never_runs_again():
    assert stops_for_ever(JobStrategy(concurrency="Forbid"))
    assert not stops_for_ever(JobStrategy(concurrency="Forbid", active_deadline_seconds=60))
    assert not stops_for_ever(JobStrategy(concurrency="Replace"))
    assert piles_up(JobStrategy(concurrency="Allow"))
    assert not piles_up(JobStrategy(concurrency="Allow", active_deadline_seconds=60))


def test_the_pods_of_a_job_bear_its_name_and_those_of_a_cron_job_no_known_one():
    named = job_of(read_workload(JOB)).pod("", "train-x").meta
    assert named.name == "train-x"
    assert {named.labels["job-name"], named.labels["batch.kubernetes.io/job-name"]} == {"train"}
    cron = {"kind": "CronJob", "metadata": {"name": "train"}, "spec": {"schedule": "0 3 * * *", "jobTemplate": JOB}}
    assert "job-name" not in job_of(read_workload({**cron, "apiVersion": "batch/v1"})).pod("").meta.labels
