"""A cluster with other nodes than are declared."""

from __future__ import annotations

import pytest
from command_line import check_json, kubelint
from two_clusters import laid_out, write


@pytest.fixture
def repository(tmp_path):
    return laid_out(tmp_path)


def test_without_a_node_and_with_another(repository):
    base = ("deploy/prod", "-i", "clusters/small.yaml", "--select", "KLG1,KLG2,KLG4")
    assert "KLG101" in check_json(*base, cwd=repository).codes
    gone = check_json(*base, "--without-node", "tracker-*", cwd=repository)
    assert "KLG101" not in gone.codes
    assert "KLG402" in gone.codes
    assert "what if: without 1 of 3 nodes" in gone.err
    write(
        repository,
        {
            "more.yaml": "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n  - {name: second, labels: "
            "{kubernetes.io/hostname: tracker-node}, allocatable: {cpu: 32, memory: 125Gi}, "
            "gpus: {model: A100-PCIE-40GB, count: 1}, taints: []}\n"
        },
    )
    assert "KLG101" not in check_json(*base, "--add-node", "more.yaml", cwd=repository).codes


def test_a_node_that_is_not_there_cannot_be_taken_away(repository):
    ran = kubelint("check", "deploy", "-i", "clusters/small.yaml", "--without-node", "traker-node", cwd=repository)
    assert ran.code == 2
    assert 'no node is called "traker-node"; did you mean tracker-node?' in ran.err
    ran = kubelint("check", "deploy", "-i", "clusters/small.yaml", "--without-node", "*", cwd=repository)
    assert (ran.code, "leaves no node" in ran.err) == (2, True)
    assert kubelint("check", "deploy", "--without-node", "x", cwd=repository).code == 2


def test_explain_takes_what_if_too(repository):
    ran = kubelint(
        "explain",
        "deploy/object-tracker",
        "deploy/prod",
        "-i",
        "clusters/small.yaml",
        "--without-node",
        "gpu-*",
        cwd=repository,
    )
    assert ran.code == 0
    assert "2 nodes" in ran.out


RUNNING = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: gpu-1, allocatable: {cpu: 8}, gpus: {model: A100-PCIE-40GB, count: 4}}
  - {name: gpu-2, allocatable: {cpu: 8}, gpus: {model: A100-PCIE-40GB, count: 2}}
  - {name: gpu-3, allocatable: {cpu: 8}, gpus: {model: A100-PCIE-40GB, count: 4}}
running:
  - {name: chat-a, namespace: lab, node: gpu-1, gpus: 1, owner: ReplicaSet/lab/chat-1, priority: 5}
  - {name: big-a, namespace: lab, node: gpu-1, gpus: 3, owner: Job/lab/big}
  - {name: exporter-a, namespace: lab, node: gpu-1, owner: DaemonSet/lab/exporter}
  - {name: shell, namespace: lab, node: gpu-2, gpus: 1}
  - {name: chat-b, namespace: lab, node: gpu-3, gpus: 2, owner: ReplicaSet/lab/chat-1}
"""
WANTS = """
apiVersion: v1
kind: Pod
metadata: {name: wants, namespace: lab}
spec: {containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 2}}}]}
"""


def test_pods_of_a_node_that_is_gone_move_to_the_others(tmp_path):
    """On gpu-2 and gpu-3 are 1 and 2 GPUs free: chat-a takes the one of gpu-2, and 3 for big-a are nowhere."""
    write(tmp_path, {"i.yaml": RUNNING, "wants.yaml": WANTS, "more.yaml": WANTS.replace("gpu: 2", "gpu: 3")})
    for name, codes in (("wants.yaml", []), ("more.yaml", ["KLG109"])):
        base = (name, "-i", "i.yaml", "--select", "KLG1")
        ran = check_json(*base, "--without-node", "gpu-1", cwd=tmp_path)
        assert ran.codes == codes
        assert "without 1 of 3 nodes; of the pods there 1 moves, 1 finds no node, 1 is gone" in ran.err
