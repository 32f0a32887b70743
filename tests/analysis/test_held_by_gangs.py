"""Rollouts that wait for what Jobs hold whose pods wait for each other."""

from __future__ import annotations

from beside_gangs import found, gang


def named(finding):
    return [one.message for one in finding.related if "rollout" in one.message]


def test_a_job_that_is_never_whole_is_the_one_finding_and_names_the_rollout_that_waits_for_what_it_holds():
    (one,) = found(4, gang("train", 4))
    assert one.code == "KLG113"
    assert named(one) == ["the rollout of Deployment serving/chat may wait for what they hold, too"]
