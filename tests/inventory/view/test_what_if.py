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
