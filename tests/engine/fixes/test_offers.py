"""Findings about rollouts come with a fix that is proven, or with advice, or say why the fix that was tried is none."""

from __future__ import annotations

import pytest
from autoscaler_objects import hpa
from checks_units import GPU_NODE, deployment, findings

RECREATE = "replicas: 3\nstrategy: {type: Recreate}"
FULL = "running:\n  - {name: other, namespace: lab, node: gpu-1, gpus: 2, priority: 2000}\n"


def told(text, gpus, code, more=""):
    (found,) = findings(text, GPU_NODE % gpus + more, code)
    return found


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (deployment(spec=RECREATE), ["set replicas: 2, as many as find room"]),
        (
            deployment(spec="replicas: 3"),
            [
                "set replicas: 2, and maxSurge: 0 and maxUnavailable: 1, which costs a brief downtime of 1 of 2 replicas at each step"
            ],
        ),
        (
            hpa(3, 4) + deployment(spec="strategy: {type: Recreate}"),
            ["set minReplicas and maxReplicas: 2, as many as find room"],
        ),
    ],
    ids=["recreate", "surge", "autoscaler"],
)
def test_as_many_replicas_as_find_room_are_offered_if_their_rollout_ends(text, titles):
    found = told(text, 2, "KLG109")
    assert [(fix.title, fix.safety, fix.verified) for fix in found.fixes] == [
        (title, "unsafe", True) for title in titles
    ]
    assert found.help[0].startswith("add nodes with room for ")


def test_where_nothing_finds_room_there_is_advice():
    found = told(deployment(spec="strategy: {type: Recreate}"), 2, "KLG109", FULL)
    assert found.fixes == ()
    assert found.help == ("add nodes with room for 1 more pod with 1 nvidia.com/gpu, or let Pod lab/other take less",)


def test_a_fix_that_was_tried_and_is_none_is_told_with_its_reason():
    """The pod has no room beside the other at any number of replicas, and with nodeName it goes nowhere else."""
    text = deployment(pod="nodeName: gpu-1", limits="{nvidia.com/gpu: 4}", spec="strategy: {type: Recreate}")
    found = told(text, 2, "KLG207")
    assert found.fixes == ()
    assert any(
        one.startswith('no fix is offered. One would be "let the scheduler choose') and "it would bring KLG" in one
        for one in found.help
    )


def test_a_stateful_set_whose_place_another_takes_is_told_what_keeps_it():
    text = (
        deployment(spec="serviceName: chat").replace("kind: Deployment", "kind: StatefulSet")
        + "---\n"
        + deployment(name="talk", spec="replicas: 1\nstrategy: {type: Recreate}")
    )
    found = [one for one in findings(text, GPU_NODE % 1) if one.code in ("KLG107", "KLG109", "KLG111")]
    assert found
    assert all(one.fixes or one.help for one in found)
