"""Jobs, and what is kept of them, against a quota of objects."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit
from counted_objects import NODE, cron, job, made, quota


def told(text, code="KLG105"):
    return [(one.object, one.certainty, one.message) for one in findings(text, NODE, code)]


@pytest.mark.parametrize(
    ("most", "used", "certainty", "begin"),
    [(0, None, "certain", "the API server"), (1, 1, "possible", "unless it is there already, the API server")],
)
def test_a_job_for_which_no_room_is_left_is_refused(most, used, certainty, begin):
    (found,) = told(job() + quota("count/jobs.batch", most, used))
    assert found == (
        "Job/serving/train",
        certainty,
        f"{begin} refuses to create this Job: quota q allows {most} count/jobs.batch and has {used or 0} in use",
    )


def test_a_job_that_is_known_to_be_new_is_refused_for_certain():
    ((_, message),) = made(job() + quota("count/jobs.batch", 1, used=1))
    assert message.startswith("the API server refuses to create this Job")


def test_of_several_jobs_the_last_are_refused():
    text = job("a") + job("b") + job("c") + quota("count/jobs.batch", 3, used=1)
    assert [name for name, *_ in told(text)] == ["Job/serving/c"]
    assert told(text.replace("metadata: {name: c,", "metadata: {name: c2,").replace('"3"', '"4"')) == []


def test_a_cron_job_without_room_for_a_job_starts_nothing():
    ((name, certainty, message),) = told(cron() + quota("count/jobs.batch", 0))
    assert (name, certainty) == ("CronJob/serving/nightly", "certain")
    assert message == "no run ever starts: its Job is refused by quota q, which allows 0 count/jobs.batch"


@pytest.mark.parametrize(
    ("spec", "most", "certainty"),
    [
        ("", 3, "certain"),
        ("", 4, "possible"),
        ("", 5, None),
        ("  successfulJobsHistoryLimit: 0\n  failedJobsHistoryLimit: 0\n", 1, None),
        ("  successfulJobsHistoryLimit: 0\n", 1, "possible"),
        ("  successfulJobsHistoryLimit: 1\n  failedJobsHistoryLimit: 0\n", 1, "certain"),
        ("  suspend: true\n", 3, None),
    ],
)
def test_finished_jobs_that_are_kept_use_a_quota_up(spec, most, certainty):
    found = told(cron(spec=spec) + quota("count/jobs.batch", most))
    assert [one[1] for one in found] == ([certainty] if certainty else [])


def test_the_fix_keeps_as_many_jobs_as_leave_room_for_a_run():
    text = cron() + quota("count/jobs.batch", 3)
    (found,) = findings(text, NODE, "KLG105")
    assert found.message == (
        "once enough runs have ended, no further one starts: the CronJob would keep 3 Jobs that have ended, and quota q "
        "allows 3 count/jobs.batch"
    )
    (fix,) = found.fixes
    assert fix.verified
    assert fix.title.startswith("keep 1 Job that succeeded and 1 that failed")
    assert [edit.text.strip() for edit in fix.edits] == ["successfulJobsHistoryLimit: 1"]


def test_jobs_that_are_deleted_some_time_after_they_ended_use_nothing_up():
    assert told(cron(more="      ttlSecondsAfterFinished: 60\n") + quota("count/jobs.batch", 1)) == []


def test_cron_jobs_and_jobs_of_one_namespace_share_a_quota():
    limits = "  successfulJobsHistoryLimit: 1\n  failedJobsHistoryLimit: 0\n"
    text = cron("a", spec=limits) + cron("b", spec=limits) + job()
    assert told(text + quota("count/jobs.batch", 4)) == []
    ((name, certainty, message),) = told(text + quota("count/jobs.batch", 3))
    assert (name, certainty) == ("CronJob/serving/a", "certain")
    assert "the CronJob and 1 other CronJob would keep 2 Jobs" in message
    assert message.endswith("allows 3 count/jobs.batch, of which Jobs beside it take 1")


def test_pods_of_kept_jobs_count_too():
    limits = "  successfulJobsHistoryLimit: 2\n  failedJobsHistoryLimit: 0\n"
    text = cron(spec=limits, completions=3)
    assert told(text + quota("count/pods", 9)) == []
    ((*_, message),) = told(text + quota("count/pods", 8))
    assert message.startswith("once enough runs have ended, no further one finds room for its pods: the CronJob would ")
    assert "keep 6 pods of Jobs that have ended" in message


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (job(limits="{nvidia.com/gpu: 4}", more="  activeDeadlineSeconds: 9\n"), "the Job fails after 9 seconds"),
        (cron(limits="{nvidia.com/gpu: 4}"), "each run adds a Job that never ends"),
        (cron(limits="{nvidia.com/gpu: 4}", spec="  concurrencyPolicy: Forbid\n"), "no other is started"),
        (
            cron(limits="{nvidia.com/gpu: 4}", spec="  concurrencyPolicy: Replace\n"),
            "takes the place of the one before",
        ),
    ],
)
def test_what_becomes_of_a_job_whose_pods_are_refused(text, outcome):
    ((*_, message),) = told(text + quota("requests.nvidia.com/gpu", 3), "KLG109")
    assert outcome in message


def test_pods_that_have_ended_count_until_the_job_is_deleted():
    text = job(pods=1, completions=5)
    ((*_, message),) = told(text + quota("count/pods", 3), "KLG109")
    assert message.startswith("only 3 of the 5 pods that it needs are ever made: quota q allows 3 count/pods")
    assert told(text + quota("count/pods", 5), "KLG109") == []
    assert told(text + quota("pods", 3), "KLG109") == []


def test_a_job_behind_a_quota_that_others_use_up_is_told_of_the_quota():
    text = deployment(spec="strategy: {type: Recreate}") + job() + quota("requests.nvidia.com/gpu", 1)
    ((*_, message),) = told(text, "KLG109")
    assert message == (
        "not one of its pods is made while Deployment serving/chat runs: each is refused by quota q, which allows 1 "
        "requests.nvidia.com/gpu and has 1 in use by Deployment serving/chat; the Job never ends"
    )


ENDED = "once Job serving/train has ended, the rollout never ends: the new pod is refused by quota q"


def beside_job(most, key="count/pods", **more):
    keeps = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    return [message for _, _, message in told(deployment(spec=keeps) + job(**more) + quota(key, most))]


def replicas_of_deployment():
    return next(iter(unit(deployment()).subjects)).workload.replicas


def test_the_pod_of_a_job_that_has_ended_leaves_no_room_for_a_surge():
    full = replicas_of_deployment() + 1
    (message,) = beside_job(full)
    assert message.startswith(ENDED)
    assert beside_job(full + 1) == []
    (message,) = beside_job(full + 1, completions=2)
    assert message.startswith(ENDED)


def test_pods_of_jobs_that_are_deleted_or_never_made_leave_room():
    full = replicas_of_deployment() + 1
    assert beside_job(full, more="  ttlSecondsAfterFinished: 60\n") == []
    assert beside_job(full, more="  suspend: true\n") == []
    assert beside_job(full, key="pods") == []


@pytest.mark.parametrize(("most", "told"), [(2, ["only 1 of the 2 pods that it needs is ever made"]), (3, [])])
def test_pods_that_others_keep_leave_less_room_for_ended_ones(most, told):
    web = deployment(name="web")
    text = web + job(pods=1, completions=2) + quota("count/pods", most)
    found = findings(text, NODE, "KLG109", before=web + quota("count/pods", most))
    assert [one.message.partition(":")[0] for one in found] == told
