"""`drain` says where the pods of nodes would go."""

from __future__ import annotations

import json

import pytest
from command_line import ROOT, TRACKER, kubelint

HERE = ("--path", TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml")


def test_the_page_shows_the_real_output():
    page = (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")
    ran = kubelint("drain", "tracker-node", *HERE)
    assert ran.code == 1
    assert f"```text\n{ran.out}```" in page


@pytest.mark.parametrize("pattern", ["tracker-node", "tracker-*"])
def test_json_says_the_same(pattern):
    (found,) = json.loads(kubelint("drain", pattern, *HERE, "--output-format", "json").out)["drains"]
    assert (found["nodes"], found["pending"]) == (["tracker-node"], 1)
    (move,) = found["moves"]
    assert (move["workload"], move["pods"], move["to"]) == ("Deployment vision/object-tracker", 1, [])


def test_a_node_without_declared_pods_can_go():
    assert kubelint("drain", "gpu-1", *HERE).code == 0


def test_a_node_that_is_not_there_is_a_usage_error():
    ran = kubelint("drain", "trackr-node", *HERE)
    assert (ran.code, ran.out) == (2, "")
    assert 'no node is called "trackr-node"; the cluster has 10 nodes: gpu-[1-3], tracker-node, worker-[1-6]' in ran.err


def test_a_path_in_place_of_a_node_is_a_usage_error_that_names_the_option():
    ran = kubelint("drain", ".", *HERE)
    assert ran.code == 2
    assert 'no node is called "."; paths are given with --path' in ran.err
