"""What is left out of a captured inventory."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from kubelint_gpu.cli.commands.inventory_capture import captured
from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.capture.pruning import pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.sources.kubectl import RESOURCES, Answers

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


VERSION = "resource.k8s.io/v1"
OBJECTS = (
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {
            "containers": [{"name": "c", "resources": {"claims": [{"name": "g", "request": "one"}]}}],
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
        },
        "status": {"phase": "Running", "resourceClaimStatuses": [{"name": "g", "resourceClaimName": "p-g-x7k2p"}]},
    },
    {
        "apiVersion": VERSION,
        "kind": "ResourceClaim",
        "metadata": {
            "name": "p-g-x7k2p",
            "namespace": "ns",
            "deletionTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "controller": True, "uid": "u"}],
        },
        "spec": {"devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}},
        "status": {
            "allocation": {
                "devices": {
                    "results": [
                        {
                            "request": "one",
                            "driver": "gpu.nvidia.com",
                            "pool": "n",
                            "device": "gpu-0",
                            "shareID": "s-1",
                            "consumedCapacity": {"memory": "10Gi"},
                            "bindingConditions": ["example.com/ready"],
                        },
                        {
                            "request": "one",
                            "driver": "gpu.nvidia.com",
                            "pool": "n",
                            "device": "gpu-1",
                            "adminAccess": True,
                        },
                    ]
                }
            },
            "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
        },
    },
    {
        "apiVersion": VERSION,
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"extendedResourceName": "nvidia.com/gpu"},
    },
)


@pytest.mark.parametrize("anonymous", [False, True])
def test_claims_and_classes_come_back_as_they_were(anonymous):
    text = captured(Answers(OBJECTS, "v1.36.3", "", ()), anonymize=anonymous)
    inventory, errors = load((read("x.yaml", text.encode()),))
    assert not errors
    before, after = (read_cluster(values) for values in (OBJECTS, [one.value for one in inventory.objects]))
    (old,), (new,) = before.resource_claims, after.resource_claims
    assert old.meta.annotations == new.meta.annotations
    assert new.meta.terminating
    assert [(one.admin, bool(one.share), one.consumed, one.binding_conditions) for one in old.allocation.devices] == [
        (one.admin, bool(one.share), one.consumed, one.binding_conditions) for one in new.allocation.devices
    ]
    assert before.device_classes == after.device_classes
    (pod,) = after.pods
    assert list(pod.claim_statuses.values()) == [new.meta.name]
    assert (new.meta.owner.kind, new.meta.owner.name) == ("Pod", pod.meta.name)


TESTS = Path(__file__).parents[2]


def test_the_cluster_role_of_the_docs_allows_exactly_what_is_asked_for():
    page = (TESTS.parent / "docs" / "inventory.md").read_text()
    (text,) = (one for one in page.split("```") if "\nkind: ClusterRole\n" in one)
    text = text.removeprefix("yaml\n")
    (role,) = (document.value for document in read("role.yaml", text.encode()).documents)
    allowed = {f"{name}.{rule['apiGroups'][0]}".rstrip(".") for rule in role["rules"] for name in rule["resources"]}
    assert allowed == set(RESOURCES)
    assert all(rule["verbs"] == ["list"] for rule in role["rules"])
