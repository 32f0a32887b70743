"""What is left out of a captured inventory."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from kubelint_gpu.inventory.capture.capturing import captured
from kubelint_gpu.inventory.capture.pruning import pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.sources.kubectl import Answers

RECORDED = Path(__file__).parents[1] / "recorded"


@pytest.fixture(scope="module")
def answers():
    with lzma.open(RECORDED / "get.json.xz") as stream:
        return Answers(tuple(json.load(stream)["items"]), "v1.34.1", "prod", ())


def test_a_pod_that_has_ended_is_left_out(answers):
    ended = [
        {**value, "status": {"phase": "Succeeded"}} if value["kind"] == "Pod" else value for value in answers.objects
    ]
    assert "kind: Pod\n" not in captured(Answers(tuple(ended), "", "", ()))


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "Pod", "apiVersion": "v1", "metadata": "no", "spec": [1], "status": {"conditions": [1, {"type": []}]}},
        {
            "kind": "Node",
            "apiVersion": "v1",
            "metadata": {"labels": [], "annotations": {1: 2}},
            "spec": {"taints": "x"},
        },
        {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": "v"}, "spec": {"nfs": {"server": "s"}}},
    ],
)
def test_broken_objects_are_pruned_without_a_crash(value):
    assert "server" not in json.dumps(pruned(value))
    Pseudonyms([pruned(value)])


def test_an_empty_selector_stays_one():
    """It matches everything; without it nothing is matched."""
    term = {"labelSelector": {}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    kept = pruned({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"affinity": affinity}})
    assert kept["spec"]["affinity"] == affinity
