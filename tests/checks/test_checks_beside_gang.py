"""Rollouts beside Jobs that hold a part of what they need: the Jobs are the cause, and the rollouts are named there."""

from __future__ import annotations

from beside_gangs import found, gang, nodes
from checks_units import findings

GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def named(finding):
    return [one.message for one in finding.related if "rollout" in one.message]


def test_jobs_that_hold_each_other_are_the_one_finding():
    (one,) = found(4, gang("a", 3), gang("b", 3))
    assert one.code == "KLG113"
    assert named(one) == ["the rollout of Deployment serving/chat may wait for what they hold, too"]


def test_jobs_that_hold_each_other_beside_a_service_are_the_one_finding():
    (one,) = found(5, gang("a", 3), gang("b", 3))
    assert one.code == "KLG113"
    assert named(one) == ["the rollout of Deployment serving/chat may wait for what they hold, too"]


def test_a_job_that_gets_all_its_pods_ends_and_leaves_its_place():
    assert found(5, gang("train", 4)) == []


def test_a_job_of_independent_pods_ends_pod_by_pod():
    assert found(4, gang("train", 4, "[python, train.py]")) == []


def test_a_rollout_that_gives_its_own_place_away_first_takes_it_back_or_loses_it_to_the_job():
    (one,) = found(4, gang("train", 4), spec=GIVES)
    assert one.code == "KLG113"


def test_jobs_hold_each_other_on_what_a_service_beside_them_leaves():
    (one,) = found(5, gang("a", 3), gang("b", 3), spec=GIVES)
    assert one.code == "KLG113"
    assert one.message.startswith("started together while Deployment serving/chat runs, Job serving/")
    assert "Deployment serving/chat asks for it, too" in [related.message for related in one.related]
    assert found(6, gang("a", 3), gang("b", 3), spec=GIVES) == []


def test_the_pods_of_a_daemon_set_take_their_places_before_those_of_jobs():
    daemons = (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: watch, namespace: serving}\nspec:\n"
        "  selector: {matchLabels: {app: watch}}\n  template:\n    metadata: {labels: {app: watch}}\n"
        "    spec:\n      priorityClassName: serving\n      containers:\n        - name: main\n"
        "          image: registry.example.com/t:1\n          resources: {limits: {nvidia.com/gpu: 1}}\n"
    )

    def codes(gpus):
        text = "---\n".join([daemons, gang("a", 2), gang("b", 2)])
        return [one.message.partition(",")[0] for one in findings(text, nodes(gpus)) if one.code == "KLG113"]

    assert codes(3) == ["started together while DaemonSet serving/watch runs"]
    assert codes(4) == []
