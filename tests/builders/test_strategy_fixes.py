"""The ways to roll out that are offered where old pods hold what new ones need."""

from __future__ import annotations

from checks_units import deployment, unit

from kubelint_gpu.builders.deadlocks import strategy_fixes


def titles(text, code="KLG101"):
    found = unit(text)
    return [one.title for one in strategy_fixes(found, found.subjects[0], code)]


def test_a_deployment_may_go_without_a_surge_or_be_recreated():
    assert titles(deployment()) == ["set maxSurge: 0 and maxUnavailable: 1", "set strategy type: Recreate"]


def test_a_stateful_set_has_no_other_way():
    assert titles(deployment().replace("kind: Deployment", "kind: StatefulSet")) == []


def test_a_daemon_set_that_surges_may_replace_its_pods_in_place():
    text = deployment(spec="updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}")
    assert len(titles(text.replace("kind: Deployment", "kind: DaemonSet"))) == 1
