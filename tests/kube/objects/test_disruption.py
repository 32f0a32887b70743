"""PodDisruptionBudgets: what they cover and what they allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.objects.disruption import Share, allowed_disruptions, read_disruption_budget
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.values.errors import InvalidObject


def budget(status=None, **spec):
    spec = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    return read_disruption_budget({"metadata": {"name": "b", "namespace": "n"}, "spec": spec, "status": status})


def pod(name="p", namespace="n", labels=None, phase="Running", **meta):
    labels = {"app": "web"} if labels is None else labels
    return read_pod(
        {"metadata": {"name": name, "namespace": namespace, "labels": labels, **meta}, "status": {"phase": phase}}
    )


def test_a_budget_covers_pods_of_its_namespace_that_its_selector_matches():
    for found in (budget().selects, budget().restrains_preemption):
        assert found(pod())
        assert not found(pod(namespace="m"))
        assert not found(pod(labels={"app": "db"}))


def test_an_empty_selector_covers_the_namespace_but_does_not_restrain_preemption():
    everything = budget(selector={})
    assert everything.selects(pod())
    assert not everything.restrains_preemption(pod())
    nothing = budget(selector=None)
    assert not nothing.selects(pod())
    assert not nothing.restrains_preemption(pod())


def test_preemption_passes_over_pods_without_labels_and_pods_that_are_gone_already():
    negative = budget(selector={"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]})
    assert negative.selects(pod(labels={}))
    assert not negative.restrains_preemption(pod(labels={}))
    disrupted = budget({"disruptedPods": {"p": "2026-01-01T00:00:00Z"}})
    assert not disrupted.restrains_preemption(pod())
    assert disrupted.restrains_preemption(pod("q"))


def test_the_status_stands():
    assert allowed_disruptions(budget({"disruptionsAllowed": 3}, minAvailable=100), []) == 3
    assert allowed_disruptions(budget({"disruptionsAllowed": 0}), [pod()]) == 0


PODS = [pod(f"p{number}") for number in range(5)]


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"minAvailable": 3}, 2),
        ({"minAvailable": 7}, 0),
        ({"minAvailable": "50%"}, 2),
        ({"minAvailable": "100%"}, 0),
        ({"maxUnavailable": 1}, 1),
        ({"maxUnavailable": "50%"}, 3),
        ({"maxUnavailable": 9}, 5),
        ({"maxUnavailable": 0}, 0),
        ({}, 4),
    ],
)
def test_without_a_status_the_budget_is_estimated_from_the_pods(spec, allowed):
    assert allowed_disruptions(budget(**spec), PODS) == allowed


def test_only_healthy_pods_can_be_spared_and_finished_ones_do_not_count():
    late = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert allowed_disruptions(budget(maxUnavailable=1), [*PODS, pod("late", **late)]) == 0
    assert allowed_disruptions(budget(maxUnavailable=1), [*PODS, pod("waiting", phase="Pending")]) == 0
    assert allowed_disruptions(budget(maxUnavailable=1), [*PODS, pod("done", phase="Succeeded")]) == 1


@given(st.integers(0, 100), st.integers(0, 60))
def test_a_share_rounds_up(percent, total):
    found = Share(percent, percent=True).of(total)
    assert (found - 1) * 100 < percent * total <= found * 100


def test_a_share_is_written_as_it_was():
    assert (str(Share(3)), str(Share(3, percent=True))) == ("3", "3%")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"minAvailable": "3"},
            'spec.minAvailable: must be a number of pods or a percentage of at most 100%, not the string "3"',
        ),
        ({"minAvailable": "101%"}, "spec.minAvailable: must be a number"),
        ({"maxUnavailable": True}, "not the boolean true"),
        ({"maxUnavailable": -1}, "spec.maxUnavailable: must be greater than or equal to 0"),
        ({"minAvailable": 1, "maxUnavailable": 1}, "spec: minAvailable and maxUnavailable cannot be both set"),
    ],
)
def test_what_the_api_server_would_refuse_names_object_and_field(spec, text):
    with pytest.raises(InvalidObject) as caught:
        budget(**spec)
    assert text in str(caught.value)
    assert caught.value.name == "n/b"


def test_all_problems_of_a_budget_are_collected():
    problems = []
    value = {"metadata": {"name": "b"}, "spec": {"minAvailable": "x", "maxUnavailable": -1, "selector": 3}}
    assert read_disruption_budget(value, problems).min_available is None
    assert [problem.pointer[-1] for problem in problems] == ["minAvailable", "maxUnavailable", "selector"]
