"""What it is that fewer pods run than are wanted."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.messages.why_fewer import in_use, what_helps, why_fewer
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, node_ports, pod_topology_spread, volume_restrictions
from kubelint_gpu.simulation.search.blocked import ATTACH, MULTI_ATTACH
from kubelint_gpu.simulation.search.trace import Blocker

GPU = Blocker("n", "", "Insufficient nvidia.com/gpu", resource="nvidia.com/gpu")
APART = Blocker("n", inter_pod_affinity.NAME, inter_pod_affinity.EXISTING_REASON)
NEAR = Blocker("n", inter_pod_affinity.NAME, inter_pod_affinity.AFFINITY_REASON)
SPREAD = Blocker("n", pod_topology_spread.NAME, pod_topology_spread.REASON)
PORT = Blocker("n", node_ports.NAME, node_ports.REASON)
CLAIM = Blocker("n", volume_restrictions.NAME, "node has pod using PersistentVolumeClaim with the same name")
DISK = Blocker("n", volume_restrictions.NAME, volume_restrictions.DISK_REASON)
VOLUME = Blocker("n", ATTACH, MULTI_ATTACH)


@pytest.mark.parametrize(
    ("lacks", "helps"),
    [
        ((), ""),
        ((GPU, APART), ""),
        ((VOLUME,), ""),
        ((APART, NEAR), "make the anti-affinity a preference"),
        ((NEAR,), "make the affinity a preference"),
        ((SPREAD, APART), "whenUnsatisfiable: ScheduleAnyway"),
        ((PORT,), "use another host port"),
    ],
)
def test_what_helps_pods_that_others_keep_away_is_told_with_a_verb(lacks, helps):
    assert helps in what_helps(lacks)
    assert bool(what_helps(lacks)) is bool(helps)


@pytest.mark.parametrize(
    ("lacks", "says"),
    [
        ((), "this is missing capacity, not a rollout deadlock"),
        ((GPU, PORT), "this is missing capacity, not a rollout deadlock"),
        ((DISK,), "this is missing capacity, not a rollout deadlock"),
        ((APART, PORT), "pods are kept apart, whatever the strategy: this is no rollout deadlock"),
        ((GPU, SPREAD), "capacity is missing on some nodes, and others keep pods apart: this is no rollout deadlock"),
        (
            (GPU, NEAR),
            "capacity is missing on some nodes, and others have no pod that these must be near: this is no rollout deadlock",
        ),
        ((CLAIM,), "one pod at a time can use the claim, whatever the strategy: this is no rollout deadlock"),
        ((VOLUME,), "one node at a time can attach the volume, whatever the strategy: this is no rollout deadlock"),
        (
            (Blocker("n", "DynamicResources", ALLOCATED_ELSEWHERE, "device"),),
            "a claim keeps its pods where its devices are, whatever the strategy: this is no rollout deadlock",
        ),
        (
            (Blocker("n", "DynamicResources", "running it", "device", failed=True),),
            "the attempt fails on all nodes then, whatever room they have: this is no rollout deadlock",
        ),
        ((PORT,), "a node has each host port once, whatever the strategy: this is no rollout deadlock"),
    ],
)
def test_what_the_first_pod_that_waits_lacks_says_what_it_is(lacks, says):
    assert why_fewer(lacks, None) == says


def test_a_quota_is_no_matter_of_nodes():
    assert why_fewer((GPU,), QuotaRefusal("q", "n")) == "this is what the quota allows, not a rollout deadlock"
    unnamed = QuotaRefusal("q", "n", unspecified="cpu for: main")
    assert why_fewer((), unnamed).startswith("the quota takes only pods that name these")


@pytest.mark.parametrize(
    ("used", "holders", "told"),
    [
        ("2", (), "2 in use"),
        ("2", (("", 2000),), "2 in use by its own pods"),
        ("8", (("", 2000), ("Deployment/ml/a", 6000)), "8 in use, 6 of them by Deployment ml/a"),
        ("8", (("Deployment/ml/a", 2000), ("Deployment/ml/b", 6000)), "8 in use by Deployments ml/b and ml/a"),
        (
            "9",
            (("Job/ml/a", 1000), ("Pod/ml/b", 1000), ("Pod/ml/c", 6000)),
            "9 in use, 8 of them by Pod ml/c, Job ml/a and Pod ml/b",
        ),
    ],
)
def test_what_is_in_use_names_who_uses_it(used, holders, told):
    assert in_use(used, "requests.nvidia.com/gpu", holders) == told
