"""Zones that the labels of a bound volume name."""

from __future__ import annotations

import pytest
from plugin_objects import ZONE, claim, node, pod, snapshot, storage_class, uses, verdicts, volume

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.plugins.volume_zone import NO_CLAIM_NAME, NO_NAMES, NO_VOLUME_NAME, PLUGIN, REASON

REGION = "topology.kubernetes.io/region"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
REJECTED = ("UnschedulableAndUnresolvable", REASON)


@pytest.mark.parametrize(
    ("labels", "there", "fits"),
    [
        ({ZONE: "a"}, {ZONE: "b"}, False),
        ({ZONE: "a"}, {ZONE: "a"}, True),
        ({ZONE: "a__b"}, {ZONE: "b"}, True),
        ({ZONE: "a"}, {}, True),
        ({ZONE: "a"}, {REGION: "r"}, False),
        ({BETA_ZONE: "a"}, {ZONE: "a"}, True),
        ({BETA_ZONE: "a"}, {ZONE: "b"}, False),
        ({BETA_ZONE: "a"}, {BETA_ZONE: "a", ZONE: "b"}, True),
        ({ZONE: "a"}, {BETA_ZONE: "a"}, False),
        ({BETA_REGION: "r", ZONE: "a"}, {REGION: "r", ZONE: "a"}, True),
        ({BETA_REGION: "r", ZONE: "a"}, {REGION: "q", ZONE: "a"}, False),
        ({ZONE: "a__"}, {ZONE: "b"}, True),
        ({}, {ZONE: "b"}, True),
    ],
)
def test_the_zones_of_a_volume_against_those_of_a_node(labels, there, fits):
    objects = (claim("data", bound="pv"), volume("pv", labels=labels, phase="Bound"))
    nodes = (node("n", labels=there), node("m", labels=there))
    found = verdicts(pod(volumes=uses("data")), *nodes, *objects)
    assert found == dict.fromkeys(("m", "n"), None if fits else REJECTED)


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        ((claim("data", bound="pv"),), 'persistentvolume "pv" not found'),
        ((), 'persistentvolumeclaim "data" not found'),
        ((claim("data"),), NO_NAMES),
        ((claim("data", storageClassName="gone"),), 'storageclass.storage.k8s.io "gone" not found'),
        ((claim("data", storageClassName="now"), storage_class("now", wait=False)), NO_VOLUME_NAME),
    ],
)
def test_what_cannot_be_looked_up_ends_the_attempt(objects, text):
    found = PLUGIN.pre_filter(read_pod(pod(volumes=uses("data"))), snapshot(node("n"), *objects))
    assert found.status.reasons == (text,)


def test_a_claim_without_a_name_ends_the_attempt():
    incoming = read_pod(pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": 3}}]))
    assert PLUGIN.pre_filter(incoming, snapshot(node("n"))).status.reasons == (NO_CLAIM_NAME,)


def test_a_missing_volume_of_a_bound_claim_ends_the_attempt_here():
    """VolumeBinding would say it per node, but its PreFilter passes."""
    assert verdicts(pod(volumes=uses("data")), node("n"), claim("data", bound="pv")) == (
        'persistentvolume "pv" not found'
    )


def test_claims_that_wait_and_pods_without_claims_are_not_looked_at():
    waiting = (claim("data", storageClassName="fast"), storage_class("fast"))
    for volumes in ([], uses("data"), [{"name": "v", "ephemeral": {}}]):
        assert PLUGIN.pre_filter(read_pod(pod(volumes=volumes)), snapshot(node("n"), *waiting)).skip
