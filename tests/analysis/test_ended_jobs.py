"""The pods that Jobs leave behind, where a quota counts them: at once, beside a change, and in what it leaves alone."""

from __future__ import annotations

import pytest
from change_cases import KEEPS, found, inventory, made


def job(pods=2, more=""):
    return (
        f"---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, namespace: serving}}\n"
        f"spec:\n  parallelism: {pods}\n  completions: {pods}\n{more}  template:\n    spec:\n"
        "      restartPolicy: Never\n      priorityClassName: serving\n"
        "      containers: [{name: main, image: j:1, resources: {requests: {cpu: 1}}}]\n"
    )


QUOTA = (
    "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\nspec: {hard: {count/pods: 3}}\n"
)
OTHER = made("a", KEEPS, more="args: [x]")


def told(before, after):
    found_now = found(before + QUOTA, after + QUOTA, inventory(4))
    return [(code, name, text.partition(" the new pod")[0]) for code, name, text in found_now if code == "KLG105"]


@pytest.mark.parametrize("pods", [2, 3])
def test_a_rollout_may_come_after_the_pods_of_a_new_job(pods):
    expected = "where the pods of Job serving/j come first, the rollout may never end:"
    assert told(made("a"), OTHER + job(pods)) == [("KLG105", "a", expected)]


@pytest.mark.parametrize(("more", "pods"), [("  ttlSecondsAfterFinished: 9\n", 2), ("  suspend: true\n", 2), ("", 1)])
def test_a_job_that_leaves_room_stops_nobody(more, pods):
    assert told(made("a"), OTHER + job(pods, more)) == told(made("a"), made("a") + job(pods, more)) == []


@pytest.mark.parametrize(("pods", "ends"), [(2, "has ended"), (3, "makes no more pods")])
def test_a_new_job_stops_the_next_rollout_of_what_stays_as_it_is(pods, ends):
    expected = f"with this change, once Job serving/j {ends}, the next rollout of Deployment serving/a never ends:"
    assert told(made("a"), made("a") + job(pods)) == [("KLG105", "j", expected)]
    assert told(made("a") + job(pods), made("a") + job(pods)) == []


def test_of_a_job_that_was_there_it_is_told_later():
    expected = "this change rolls out, and once Job serving/j has ended, the rollout never ends:"
    assert told(made("a") + job(), OTHER + job()) == [("KLG105", "a", expected)]
