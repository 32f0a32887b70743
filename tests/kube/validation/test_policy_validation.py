"""Budgets, quotas and limit ranges that the API server refuses; the recordings hold many more."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.policy_validation import budget_problems, limit_range_problems, quota_problems
from kubelint_gpu.kube.values.errors import field_path


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"minAvailable": 1, "maxUnavailable": 1}, "spec.maxUnavailable"),
        ({"minAvailable": "50"}, "spec.minAvailable"),
        ({"minAvailable": "101%"}, "spec.minAvailable"),
        ({"maxUnavailable": -1}, "spec.maxUnavailable"),
        ({"unhealthyPodEvictionPolicy": ""}, "spec.unhealthyPodEvictionPolicy"),
        ({"selector": {"matchLabels": {"a b": "x"}}}, "spec.selector.matchLabels.a b"),
        ({"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "spec.selector.matchExpressions[0]"),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            "spec.selector.matchExpressions[0].values",
        ),
    ],
)
def test_a_budget_is_refused_at_its_field(spec, path):
    assert list(told(budget_problems({"spec": spec}))) == [path]


@pytest.mark.parametrize(
    "spec",
    [
        {"minAvailable": "${MIN}"},
        {"minAvailable": "100%", "maxUnavailable": None},
        {"selector": {"matchExpressions": [{"key": "${KEY}", "operator": "${OPERATOR}", "values": ["${VALUE}"]}]}},
        {"selector": "nonsense", "minAvailable": []},
    ],
)
def test_placeholders_nulls_and_other_types_are_no_business_of_a_budget(spec):
    assert told(budget_problems({"spec": spec})) == {}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hard": {"gpu": 1}}, "spec.hard.gpu"),
        ({"hard": {"nvidia.com/gpu": "500m", "requests.nvidia.com/gpu": "500m"}}, "spec.hard[nvidia.com/gpu]"),
        ({"hard": {"services": 1}, "scopes": ["NotTerminating"]}, "spec.scopes[0]"),
        ({"scopes": ["Terminating", "NotTerminating"]}, "spec.scopes"),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "BestEffort", "operator": "In", "values": ["x"]}]}},
            "spec.scopeSelector.matchExpressions[0].operator",
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            "spec.scopeSelector.matchExpressions[0]",
        ),
    ],
)
def test_a_quota_is_refused_at_its_field(spec, path):
    assert list(told(quota_problems({"metadata": {"name": "q"}, "spec": spec}))) == [path]


def test_placeholders_in_a_quota_are_not_judged():
    assert told(quota_problems({"metadata": {"name": "q"}, "spec": {"hard": {"${RESOURCE}": "${AMOUNT}"}}})) == {}


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"type": "Container", "min": {"cpu": 2}, "max": {"cpu": 1}}, "spec.limits[0].min.cpu"),
        ({"type": "Container", "default": {"cpu": 2}, "max": {"cpu": 1}}, "spec.limits[0].default.cpu"),
        (
            {"type": "Container", "min": {"nvidia.com/gpu": 1}, "default": {"nvidia.com/gpu": 2}, "defaultRequest": {"nvidia.com/gpu": 1}},
            "spec.limits[0].defaultRequest[nvidia.com/gpu]",
        ),
        ({"type": "Pod", "default": {"cpu": 1}}, "spec.limits[0].default"),
        ({"type": "PersistentVolumeClaim"}, "spec.limits[0]"),
        ({"type": "pod", "max": {"cpu": 1}}, "spec.limits[0].type"),
        ({"type": "Container", "max": {"gpu": 1}}, "spec.limits[0].max.gpu"),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "500m"}}, "spec.limits[0].maxLimitRequestRatio.cpu"),
    ],
)  # fmt: skip
def test_a_limit_range_is_refused_at_its_field(entry, path):
    value = {"metadata": {"name": "l"}, "spec": {"limits": [entry]}}
    assert list(told(limit_range_problems(value))) == [path]


def test_two_entries_of_one_type_are_refused_and_amounts_below_zero_are_not():
    entries = [{"type": "Container", "default": {"cpu": -1}}]
    assert told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": entries}})) == {}
    entries = [{"type": "Container", "default": {"cpu": -1}, "min": {"cpu": 2}, "max": {"cpu": 1}}]
    found = told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": entries}}))
    assert list(found) == ["spec.limits[0].min.cpu"]
    twice = [{"type": "Container"}, {"type": "Container"}]
    found = told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": twice}}))
    assert list(found) == ["spec.limits[1].type"]
