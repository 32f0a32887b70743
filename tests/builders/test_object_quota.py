"""Quotas that count objects, and what they refuse of Jobs, CronJobs, Deployments and of their pods."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings
from counted_objects import NODE, cron, job, made, quota


def told(text, code="KLG105"):
    return [(one.object, one.certainty, one.message) for one in findings(text, NODE, code)]


@pytest.mark.parametrize(
    "text",
    [
        job() + quota("count/jobs.batch", 1, used=0),
        job() + quota("count/jobs.batch", 1, used=1, scopes=", scopes: [NotTerminating]"),
        job() + quota("count/jobs.batch", 0).replace("serving", "elsewhere"),
        job().replace("batch/v1", "batch.volcano.sh/v1alpha1") + quota("count/jobs.batch", 0),
        cron() + quota("count/cronjobs.batch", 1, used=1),
        deployment() + quota("count/deployments.apps", 1, used=1),
    ],
    ids=["room", "scoped", "elsewhere", "custom", "cron-there", "deployment-there"],
)
def test_what_is_there_or_is_not_counted_is_not_refused(text):
    assert [found for found in told(text) if "refuses to create" in found[2]] == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (deployment() + "---\n" + deployment(name="other"), "count/deployments.apps"),
        (cron("other") + cron(), "count/cronjobs.batch"),
    ],
)
def test_more_objects_than_a_quota_allows_were_never_all_made(text, key):
    ((name, certainty, message),) = told(text + quota(key, 1))
    assert certainty == "certain"
    assert name.endswith(("/other", "/nightly"))
    other = name.replace("/other", "/chat") if name.endswith("/other") else name.replace("nightly", "other")
    assert message.endswith(f"quota q allows 1 {key} and has 1 in use by {other.replace('/', ' ', 1)}")


def test_a_deployment_that_is_made_anew_is_refused_by_what_others_use():
    ((name, message),) = made(deployment() + quota("count/deployments.apps", 3, used=3))
    assert name == "Deployment/serving/chat"
    assert message == (
        "the API server refuses to create this Deployment: quota q allows 3 count/deployments.apps and has 3 in use"
    )
    assert made(deployment() + quota("count/deployments.apps", 3, used=2)) == []


def test_a_deployment_that_is_made_anew_does_not_get_its_first_replica_set():
    ((_, message),) = made(deployment() + quota("count/replicasets.apps", 4, used=4))
    assert message == (
        "no pod of it ever runs: its first ReplicaSet is refused by quota q, which allows 4 count/replicasets.apps and "
        "has 4 in use"
    )
    both = deployment() + "---\n" + deployment(name="other")
    found = made(both + quota("count/replicasets.apps", 1, used=0))
    assert [one.endswith("where the ReplicaSets of others are made first") for _, one in found] == [True, True]
    ((_, message),) = made(deployment() + quota("count/replicasets.apps", 1, used=0))
    assert message.startswith("this change starts it, and the next rollout never begins")


def test_a_quota_without_any_replica_set_lets_no_deployment_run():
    ((*_, message),) = told(deployment() + quota("count/replicasets.apps", 0))
    assert message.startswith("no pod of it ever runs: its first ReplicaSet is refused by quota q, which allows 0 ")


@pytest.mark.parametrize(("each", "code"), [(4, "KLG109"), (2, "")])
def test_a_pod_that_is_more_than_the_quota_is_never_made(each, code):
    limits = f"{{nvidia.com/gpu: {each}}}"
    found = told(job(limits=limits, pods=3) + quota("requests.nvidia.com/gpu", 3), "KLG109")
    assert [one[:2] for one in found] == ([("Job/serving/train", "certain")] if code else [])
    assert not found or found[0][2] == (
        "not one of its pods is ever made: each is refused by quota q, which allows 3 requests.nvidia.com/gpu, and one "
        "pod takes 4; the Job never ends"
    )


def test_pods_that_specify_nothing_are_refused_where_a_quota_counts_cpu():
    ((*_, message),) = told(job() + quota("requests.cpu", 3), "KLG109")
    assert "by quota q, which demands requests.cpu" in message
