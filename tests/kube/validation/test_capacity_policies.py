"""What the API server refuses of the parts of a capacity that a request may consume."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.capacity_policies import capacity_problems


def problems(policy, *, shared=True, value="10"):
    found = capacity_problems({"value": value, "requestPolicy": policy}, (), shared=shared)
    return ["/".join(map(str, one.pointer[1:])) for one in found]


def test_a_device_that_is_not_shared_has_no_policy():
    assert problems({"default": "1"}, shared=False) == [""]
    assert problems({"default": "1"}) == []
    assert problems(None, shared=False) == []


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        ({"default": "1", "validValues": ["1"], "validRange": {"min": "1"}}, ""),
        ({"validValues": ["1"]}, "default"),
        ({"validRange": {"min": "1"}}, "default"),
        ({"default": "3", "validValues": ["1", "2"]}, "validValues"),
        ({"default": "1", "validValues": ["1", "11"]}, "validValues/1"),
        ({"default": "1", "validValues": ["2", "1"]}, "validValues/1"),
        ({"default": "1", "validValues": ["1", "1000m"]}, "validValues/1"),
        ({"default": "1", "validValues": list(map(str, range(11)))}, "validValues"),
        ({"default": "1", "validRange": {}}, "validRange/min"),
        ({"default": "11", "validRange": {"min": "11"}}, "validRange/min"),
        ({"default": "1", "validRange": {"min": "2"}}, "validRange/min"),
        ({"default": "4", "validRange": {"min": "1", "max": "3"}}, "validRange/max"),
        ({"default": "1", "validRange": {"min": "1", "max": "11"}}, "validRange/max"),
        ({"default": "1", "validRange": {"min": "1", "step": "10"}}, "validRange/step"),
        ({"default": "2", "validRange": {"min": "1", "step": "2"}}, "validRange/step"),
        ({"default": "1", "validRange": {"min": "1", "max": "4", "step": "2"}}, "validRange/step"),
        ({"default": "1", "validRange": {"min": "1", "step": "0"}}, "validRange/step"),
    ],
)
def test_a_policy_that_allows_nothing_sensible_is_refused(policy, field):
    assert problems(policy) == [field]


@pytest.mark.parametrize(
    "policy",
    [
        {"default": "2", "validValues": ["1", "2", "10"]},
        {"default": "1", "validRange": {"min": "1", "max": "9", "step": "2"}},
        {"default": "1", "validRange": {"min": "1"}},
        {"default": "11"},
        {"default": "much", "validRange": {"min": "1"}},
    ],
)
def test_a_sensible_policy_is_left_alone(policy):
    assert problems(policy) == []
