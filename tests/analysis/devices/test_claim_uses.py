"""Pods that name their claims wrongly."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.analysis.devices.claim_uses import faults_of_pods

ENTRY = "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]\n"


def told(pod, used):
    found = unit(deployment(pod=pod, limits=f"{{}}, claims: [{{name: {used}}}]"))
    return [(one.pointer[-1], one.near) for one in faults_of_pods(found)]


@pytest.mark.parametrize("used", ["gpu", "gpus", "other"])
def test_a_container_uses_a_claim_of_its_pod_and_each_claim_is_used(used):
    assert told(ENTRY, used) == ([] if used == "gpu" else [("name", "gpu"), ("name", "")])
