"""Pods that name their claims wrongly."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.analysis.devices.claim_shapes import faults_of_pods

ENTRY = "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]\n"


def told(pod, used):
    found = unit(deployment(pod=pod, limits=f"{{}}, claims: [{{name: {used}}}]"))
    return [(one.pointer[-1], one.near) for one in faults_of_pods(found)]


@pytest.mark.parametrize("used", ["gpu", "gpus", "other"])
def test_a_container_uses_a_claim_of_its_pod_and_each_claim_is_used(used):
    assert told(ENTRY, used) == ([] if used == "gpu" else [("name", "gpu"), ("name", "")])


@pytest.mark.parametrize(
    ("version", "kind", "certainty"),
    [
        ("resource.k8s.io/v1", "DeviceClass", "certain"),
        ("resource.k8s.io/v1beta1", "DeviceClass", "certain"),
        ("v1", "ConfigMap", "possible"),
        ("example.com/v1", "Thing", "possible"),
    ],
)
def test_an_object_that_is_applied_beside_shows_which_release_there_is_at_least(version, kind, certainty):
    pod = "resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: t}}]\n"
    beside = f"---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n"
    found = unit(deployment(pod=pod, limits="{}, claims: [{name: gpu}]") + beside, "")
    assert [(one.pointer[-1], one.certainty) for one in faults_of_pods(found)] == [("source", certainty)]
