"""Findings about rollouts come with a fix that is proven, or with advice, or say why the fix that was tried is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from autoscaler_objects import hpa
from checks_units import GPU_NODE, deployment, findings

RECREATE = "replicas: 3\nstrategy: {type: Recreate}"
FULL = "running:\n  - {name: other, namespace: lab, node: gpu-1, gpus: 2, priority: 2000}\n"

COMMAND = Path(sys.executable).parent / "kubelint-gpu"


REMOVALS = {
    "null": ("patches: [{path: patch.yaml}]\n", "  strategy: null\n", 5),
    "delete": ("patches: [{path: patch.yaml}]\n", "  strategy:\n    $patch: delete\n", 6),
    "remove": (
        "patches: [{path: patch.yaml, target: {kind: Deployment}}]\n",
        "- op: test\n  path: /spec/replicas\n  value: 1\n- op: remove\n  path: /spec/strategy\n",
        4,
    ),
}


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


@pytest.mark.parametrize("form", REMOVALS)
def test_a_field_that_was_taken_away_and_would_help_is_named(check, tree, form):
    field, body, line = REMOVALS[form]
    head = "" if form == "remove" else "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n"
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat, labels: {a: b}}\nspec:\n  replicas: 1\n"
        "  strategy: {type: Recreate}\n  selector: {matchLabels: {app: chat}}\n  template:\n"
        "    metadata: {labels: {app: chat}}\n    spec:\n      containers:\n      - name: a\n        image: a:1\n"
        "        resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    folder = tree(
        **{
            "i.yaml": "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n- name: only\n"
            "  allocatable: {cpu: 8, memory: 32Gi, pods: 110, nvidia.com/gpu: 1}\n",
            "base/kustomization.yaml": "resources: [deployment.yaml]\n",
            "base/deployment.yaml": deployment,
            "top/kustomization.yaml": f"resources: [../base]\ncommonAnnotations: {{x: z}}\n{field}",
            "top/patch.yaml": head + body,
        }
    )
    ran = check(folder, ".", "--inventory", "i.yaml")
    finding = next(one for one in ran.findings if one["code"] == "KLG101")
    told = {(one["path"], one["line"]): one["message"] for one in finding["related"]}
    assert told["top/patch.yaml", line] == (
        'spec.strategy: {"type": "Recreate"} is taken away here; with it this would not be found'
    )
    # another thing that is taken away has nothing to do with it
    (folder / "top/patch.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat, labels: {a: null}}\n"
        if form != "remove"
        else "- op: remove\n  path: /metadata/labels/a\n"
    )
    (folder / "base/deployment.yaml").write_text(deployment.replace("  strategy: {type: Recreate}\n", ""))
    ran = check(folder, ".", "--inventory", "i.yaml")
    finding = next(one for one in ran.findings if one["code"] == "KLG101")
    assert not [one for one in finding["related"] if "taken away" in one["message"]]
