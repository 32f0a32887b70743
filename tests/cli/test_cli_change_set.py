"""--against with many workloads that one apply changes: what is certain, what is possible, and what is undecided."""

from __future__ import annotations

import pytest
from command_line import check_json

KEEPS = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
GIVES = "{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def workload(name, replicas=3, image=1, strategy=KEEPS, selector="", gpus=1):
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n"
        f"  strategy: {strategy}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n"
        f"    metadata: {{labels: {{app: {name}}}}}\n    spec:\n{selector}"
        f"      containers:\n        - name: main\n          image: registry.example.com/main:{image}\n"
        f"          resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}\n---\n"
    )


@pytest.fixture
def change(tmp_path):
    """What is found where one text becomes another on so many nodes with so many GPUs each."""

    def found(before, after, nodes=24, gpus=1):
        (tmp_path / "cluster.yaml").write_text(
            'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\npools:\n  - name: gpu\n'
            f"    count: {nodes}\n    template:\n      allocatable: {{cpu: 16, memory: 64Gi}}\n"
            f"      gpus: {{model: L4, count: {gpus}}}\n"
        )
        (tmp_path / "old.yaml").write_text(before)
        (tmp_path / "new.yaml").write_text(after)
        ran = check_json("new.yaml", "-i", "cluster.yaml", "--select", "KLG1", "--against", "old.yaml", cwd=tmp_path)
        return ran.json["findings"]

    return found


def told(findings):
    """What is said of each object, of one cause or not."""
    return [
        (one["code"], one["severity"], one["certainty"], name.rpartition("/")[2])
        for one in findings
        for name in one["objects"]
    ]


def fleet(shrinking, image, *more, others=7):
    return (
        workload("s", shrinking)
        + "".join([workload(f"o{number}", 3, image) for number in range(others)])
        + "".join(more)
    )


def test_eight_rollouts_end_where_one_of_them_gives_two_places_back(change):
    assert told(change(fleet(3, 1), fleet(1, 2))) == []
    stuck = told(change(fleet(3, 1), fleet(3, 2)))
    assert stuck == [("KLG101", "error", "certain", f"o{number}") for number in range(7)]


def test_a_rollout_that_ends_only_in_luck_among_many_is_possible_and_tells_the_run_behind_the_others(change):
    before = fleet(3, 1, workload("g", 3, 1, GIVES))
    after = fleet(3, 2, workload("g", 3, 2, GIVES))
    found = change(before, after, 27)
    assert told(found) == [("KLG107", "warning", "possible", f"o{number}") for number in range(7)]
    assert found[0]["message"].startswith(
        "the rollouts of 7 Deployments (o0, o1, ...) may never end: their new pods wait for nvidia.com/gpu on "
    )
    assert found[0]["trace"][0]["message"].count("of Deployment default/g run") == 1


def test_replicas_that_find_room_where_another_is_scaled_down_at_the_same_moment_are_no_finding(change):
    def short(shrinks_to):
        after = fleet(shrinks_to, 1, others=4).replace("replicas: 3", "replicas: 5", 1)
        found = change(fleet(3, 1, others=4), after, 15)
        return [one for one in told(found) if one[0] == "KLG109"]

    assert short(1) == []
    assert short(2) == [("KLG109", "error", "certain", "o0")]


def test_a_new_workload_that_may_take_the_place_of_a_pod_that_is_replaced_makes_the_rollout_possible_to_stick(change):
    pinned = "      nodeSelector: {kubernetes.io/hostname: gpu-1}\n"
    before = workload("x", 1, 1, GIVES, pinned)
    after = workload("x", 1, 2, GIVES, pinned)
    (found,) = change(before, after + workload("new", 1, 1, GIVES), 2)
    assert told([found]) == [("KLG107", "warning", "possible", "x")]
    assert "held by Deployment default/new" in found["message"]
    assert told(change(before, after, 2)) == []
