"""Pods that admission refuses although their template was accepted."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests

RECREATE = "strategy: {type: Recreate}"
RANGE = (
    "apiVersion: v1\nkind: LimitRange\nmetadata: {name: bounds, namespace: serving}\n"
    "spec: {limits: [{type: Container, max: {cpu: 2, nvidia.com/gpu: 1}}]}\n"
)
BIG = deployment(spec=RECREATE, limits="{cpu: 3, nvidia.com/gpu: 1}")


def told(found, code="KLG003"):
    return [
        (one.message, one.place.line, one.severity) for one in check((found,), found.world).findings if one.code == code
    ]


REFUSED = (
    "LimitRange bounds of namespace serving refuses the pods: maximum cpu usage per Container is 2, but limit is 3"
)


def test_a_limit_range_of_the_unit_refuses_pods():
    ((message, line, severity),) = told(unit(f"{RANGE}---\n{BIG}"))
    assert (message, severity) == (REFUSED, "error")
    assert "resources" in f"{RANGE}---\n{BIG}".splitlines()[line - 1]


def test_a_limit_range_of_the_context_or_the_inventory_does():
    context = manifests([read("b.yaml", RANGE.encode())])
    assert told(ApplySet((read("a.yaml", BIG.encode()),), world(), neighbours=context))[0][0] == REFUSED
    ((message, _, _),) = told(unit(BIG, NODES + "---\n" + RANGE))
    assert message == REFUSED


@pytest.mark.parametrize(
    "text",
    [
        deployment(spec=RECREATE, limits="{cpu: 2, nvidia.com/gpu: 1}"),
        BIG.replace("namespace: serving", "namespace: other"),
    ],
)
def test_pods_within_the_bounds_or_elsewhere_are_not_refused(text):
    assert told(unit(f"{RANGE}---\n{text}")) == []


def test_what_the_range_fills_in_counts():
    filled = RANGE.replace("max:", "default: {cpu: 1}, max:")
    assert told(unit(f"{filled}---\n{deployment(spec=RECREATE)}")) == []


def test_a_limit_is_the_request_where_none_is_written():
    least = RANGE.replace("max: {cpu: 2, nvidia.com/gpu: 1}", "min: {cpu: 1}")
    assert told(unit(f"{least}---\n{BIG}")) == []


def test_bounds_for_all_containers_together_are_told_of_the_pod():
    whole = RANGE.replace("Container", "Pod")
    ((message, line, _),) = told(unit(f"{whole}---\n{BIG}"))
    assert message.endswith("maximum cpu usage per Pod is 2, but limit is 3")
    assert f"{whole}---\n{BIG}".splitlines()[line - 1].strip() == "spec:"


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        ("priority: 5", "integer value of priority (5)"),
        ("preemptionPolicy: Never", "string value of PreemptionPolicy (Never)"),
        ("priority: 1000", ""),
    ],
)
def test_a_priority_that_is_not_that_of_the_class_is_refused(pod, said):
    found = told(unit(deployment(spec=RECREATE, pod=pod)))
    assert [said in message for message, _, _ in found] == ([True] if said else [])


def test_a_priority_without_a_class_is_possible_where_no_inventory_tells_the_default():
    text = deployment(spec=RECREATE, pod="priority: 5").replace("priorityClassName: serving", "")
    assert [one.severity for one in findings(text, "", "KLG003")] == ["warning"]
    assert [one.severity for one in findings(text, code="KLG003")] == ["error"]


def test_what_runs_was_admitted():
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priority: 5, containers: [{name: a, image: a}]}\n"
    assert findings(pod, code="KLG003")
    assert findings(pod + "status: {phase: Running}\n", code="KLG003") == []


WHOLE = (
    "cpu request per Container is 2 by default, but that of the whole pod must be greater than or equal to aggregate "
)


@pytest.mark.parametrize(
    ("filled", "whole", "said"),
    [
        (
            "default: {cpu: 6}",
            "limits: {cpu: 4}",
            "cpu limit per Container is 6 by default, but it must be less than or",
        ),
        ("defaultRequest: {cpu: 2}", "requests: {cpu: 1}", f"{WHOLE}container requests of 2, not 1"),
        # its request is what the containers asked for before, of any resource as soon as it has some limit
        ("defaultRequest: {cpu: 2}", "limits: {cpu: 9}", f"{WHOLE}container requests of 3, not 1"),
        ("defaultRequest: {cpu: 2}", "limits: {memory: 1Gi}", f"{WHOLE}container requests of 3, not 1"),
        ("defaultRequest: {cpu: 2}", "requests: {memory: 1Gi}", ""),
        ("default: {cpu: 6}", "requests: {cpu: 9}", ""),
    ],
)
def test_what_the_range_fills_in_has_to_be_within_what_the_whole_pod_has(filled, whole, said):
    first = "        - {name: first, image: i, resources: {requests: {cpu: 1}}}\n" if "of 3" in said else ""
    text = deployment(spec=RECREATE, pod=f"resources: {{{whole}}}").replace("containers:\n", f"containers:\n{first}", 1)
    found = told(unit(f"{RANGE.replace('max: {cpu: 2, nvidia.com/gpu: 1}', filled)}---\n{text}"))
    assert [said in message for message, _, _ in found] == ([True] if said else [])
