"""Values of devices that the inventory does not declare: what looks at one is not known."""

from __future__ import annotations

import pytest
from claim_findings import H100, claim, findings, gpu, objects, pod

ATTRIBUTE = "device.attributes['gpu.nvidia.com']"
MEMORY = "device.capacity['gpu.nvidia.com'].memory"
NEWER = f"{ATTRIBUTE}.driverVersion.isGreaterThan(semver('580.70.0'))"
LARGE = f"{MEMORY}.compareTo(quantity('60Gi')) >= 0"
SAME_ROOT = "[{matchAttribute: resource.kubernetes.io/pcieRoot}]"
DECLARED = "attributes: {driverVersion: {version: 570.1.0}}, "
ROOTS = "attributes: {resource.kubernetes.io/pcieRoot: [a, b, c, d]}, "


@pytest.mark.parametrize(
    ("requests", "constraints", "model", "severity"),
    [
        (gpu(f"{ATTRIBUTE}.uuid == 'GPU-1'"), "", "model: H100", None),
        (gpu(NEWER), "", "model: H100", None),
        (gpu(NEWER), "", f"{DECLARED}model: H100", "error"),
        (gpu(count=2), SAME_ROOT, "model: H100", None),
        (gpu(count=2), SAME_ROOT, f"{ROOTS}model: H100", "error"),
        (gpu(f"{ATTRIBUTE}.profile == '1g.10gb'"), "", "model: H10O", "error"),
        (gpu(LARGE), "", "model: L40", None),
        (gpu(LARGE), "", "model: L40, memory: 46068", "error"),
        (gpu(LARGE), "", "model: T4", "error"),
        (gpu(more=", capacity: {requests: {memory: 60Gi}}"), "", "model: L40", None),
        (gpu(more=", capacity: {requests: {memory: 60Gi}}"), "", "model: L40, memory: 46068", "error"),
        (gpu(of="compute-domain-default-channel.nvidia.com"), "", "model: H100", "warning"),
        (gpu(of="mig.nvidia.com"), "", "model: H100", "error"),
    ],
)
def test_only_what_the_inventory_declares_makes_a_claim_unsatisfiable(requests, constraints, model, severity):
    told = findings(claim(f"[{requests}]", constraints=constraints), H100.replace("model: H100-80GB-HBM3", model))
    assert [one.severity for one in told if one.code in ("KLG703", "KLG704")] == [severity] * bool(severity)


def test_pods_that_ask_for_an_undeclared_value_are_undecided():
    template = claim(f"[{gpu(NEWER)}]", kind="ResourceClaimTemplate")
    told = findings(objects(template, pod("resourceClaimTemplateName: c", replicas=1)))
    assert [one for one in told if one.code not in ("KLG000", "KLG107")] == []
