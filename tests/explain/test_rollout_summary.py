"""What an explanation says of the rollout."""

from __future__ import annotations

import json

import pytest
from command_line import ROOT, TRACKER, kubelint
from explaining import explained, workload


def test_a_rollout_that_rests_on_a_pool_says_so_in_text_and_in_json():
    folder = f"{ROOT}/examples/growing-pool"
    arguments = (
        "explain",
        "deployment/diffusion",
        f"{folder}/manifest.yaml",
        "--inventory",
        f"{folder}/inventory.yaml",
    )
    assert "comes to its end only if pool g5 adds a node meanwhile" in kubelint(*arguments).out
    found = kubelint(*arguments, "--output-format", "json").json["rollout"]
    assert (found["verdict"], found["growingPools"], found["waitsForGrowth"]) == ("completes", ["g5"], True)


def test_a_rollout_that_never_ends_by_itself_names_whose_rollout_may_let_it_end(tmp_path):
    keeps = (TRACKER / "tracker.yaml").read_text()
    gives = keeps.replace("object-tracker", "other").replace("spec:", "spec:\n  strategy: {type: Recreate}", 1)
    (tmp_path / "both.yaml").write_text(f"{keeps}\n---\n{gives}")
    (tmp_path / "cluster.yaml").write_text(
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n'
        "  - {name: tracker-node, allocatable: {cpu: 32, memory: 128Gi}, gpus: {model: L4, count: 2}}\n"
    )
    arguments = ("explain", "deployment/object-tracker", "both.yaml", "-i", "cluster.yaml")
    assert (
        "never ends by itself beside Deployment vision/other; kubelint-gpu check says why"
        in kubelint(*arguments, cwd=tmp_path).out
    )
    found = kubelint(*arguments, "--output-format", "json", cwd=tmp_path).json["rollout"]
    assert (found["verdict"], found["mayEndTogetherWith"]) == ("stuck", ["Deployment/vision/other"])


ONE_AWAY = "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"


def test_a_rollout_that_ends_by_itself_and_not_together_with_another_is_not_told_to_end(tmp_path):
    both = workload("Deployment", "a", 1, 2, spec=ONE_AWAY) + workload("Deployment", "b", 2, 1, spec=ONE_AWAY)
    text = explained(tmp_path, "deployment/a", both, ("l", 2), ("s", 2))
    assert text.endswith(
        "rollout comes to its end by itself; rolled out together with Deployment d/b, they may not all end; "
        "kubelint-gpu check says why"
    )
    assert explained(tmp_path, "deployment/a", both, ("l", 4), ("s", 2)).endswith("rollout comes to its end")


def test_the_rollout_after_this_one_is_told_too(tmp_path):
    running = "running:\n  - {name: a-1, namespace: d, node: l, gpus: 1, owner: ReplicaSet/a-1, labels: {app: a}}\n"
    text = explained(tmp_path, "deployment/a", workload("Deployment", "a", 1, 2), ("l", 3), more=running)
    assert text.endswith("rollout comes to its end; the next one never ends; kubelint-gpu check says why")


def replica_set_quota(number):
    return (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: d}\n"
        f"spec: {{hard: {{count/replicasets.apps: {number}}}}}\n"
    )


@pytest.mark.parametrize(
    ("spec", "number", "told"),
    [
        (ONE_AWAY, 1, "never begins; kubelint-gpu check says why"),
        ("  strategy: {type: Recreate}\n", 1, "never ends once the old pods are gone; kubelint-gpu check says why"),
        (ONE_AWAY, 2, "comes to its end"),
    ],
)
def test_a_rollout_whose_new_replica_set_a_quota_refuses_does_not_come_to_its_end(tmp_path, spec, number, told):
    manifest = workload("Deployment", "a", 1, 1, spec=spec) + replica_set_quota(number)
    assert explained(tmp_path, "deployment/a", manifest, ("l", 2)).endswith(f"rollout {told}")
    out = kubelint("explain", "deployment/a", "m.yaml", "-i", "i.yaml", "--output-format", "json", cwd=tmp_path).out
    assert json.loads(out)["rollout"]["verdict"] == ("completes" if number > 1 else "stuck")


def test_what_finds_no_room_only_where_others_come_first_may_not_end(tmp_path):
    recreate = "  strategy: {type: Recreate}\n"
    both = workload("Deployment", "a", 1, 1, spec=recreate) + workload("Deployment", "b", 1, 1, spec=recreate)
    text = explained(tmp_path, "deployment/a", both, ("l", 1))
    assert text.endswith("rollout may not end: as few as 0 of 1 replica can run; kubelint-gpu check says why")
