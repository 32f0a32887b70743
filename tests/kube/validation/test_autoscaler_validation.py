"""HorizontalPodAutoscalers that the API server refuses, by release; what it said itself is in the recorded objects."""

from __future__ import annotations

import copy

import pytest

from kubelint_gpu.kube.validation.autoscaler_validation import autoscaler_problems

QUEUE = [{"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "5"}}}]
AUTOSCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "chat"},
    "spec": {
        "maxReplicas": 4,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"},
    },
}


def told(minor=34, **spec):
    value = copy.deepcopy(AUTOSCALER)
    value["spec"] = {key: one for key, one in {**value["spec"], **spec}.items() if one is not None}
    return [(one.pointer[1:], one.detail) for one in autoscaler_problems(value, minor)]


def test_an_ordinary_one_is_accepted():
    assert told() == told(minReplicas=4) == told(metrics=QUEUE, minReplicas=1) == []


def test_fewer_at_most_than_at_least():
    assert told(minReplicas=5) == [(("maxReplicas",), "must be greater than or equal to minReplicas (5), not 4")]


@pytest.mark.parametrize(("minor", "refused"), [(34, True), (36, True), (37, False), (None, False)])
def test_scaling_to_zero_is_on_by_default_since_1_37(minor, refused):
    assert bool(told(minor, minReplicas=0, metrics=QUEUE)) is refused


@pytest.mark.parametrize("minor", [34, 37, None])
def test_zero_needs_a_metric_that_has_a_value_without_pods(minor):
    ((pointer, detail),) = told(minor, minReplicas=0)
    assert pointer == ("minReplicas",)
    assert "Object or External" in detail


@pytest.mark.parametrize(("minor", "refused"), [(33, False), (34, True), (None, False)])
def test_the_group_of_what_is_scaled_is_required_since_1_34(minor, refused):
    target = {"kind": "Deployment", "name": "chat"}
    assert bool(told(minor, scaleTargetRef=target)) is refused


def test_a_patch_lacks_nothing():
    assert told(scaleTargetRef=None) == told(scaleTargetRef=None, maxReplicas=None, minReplicas=2) == []
    assert told(37, scaleTargetRef=None, minReplicas=0) == []
    assert told(maxReplicas=None) == [((), "maxReplicas is required")]


def test_placeholders_are_not_wrong():
    metric = {"type": "${KIND}", "resource": {"name": "cpu", "target": {"type": "${HOW}", "averageUtilization": 5}}}
    assert told(metrics=[metric]) == []
    assert told(37, metrics=[metric], minReplicas=0) == []
