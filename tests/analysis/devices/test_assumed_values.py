"""What rests on values of devices that the inventory does not tell."""

from __future__ import annotations

import pytest
from claim_findings import H100, claim, findings, found, gpu, objects, pod

MODEL = "device.attributes['gpu.nvidia.com'].productName"
ATTRIBUTE = "device.attributes['gpu.nvidia.com']"
NEWER = f"{ATTRIBUTE}.driverVersion.isGreaterThan(semver('580.70.0'))"
SAME_ROOT = "[{matchAttribute: resource.kubernetes.io/pcieRoot}]"
DRIVER = "attributes: {driverVersion: {version: 570.1.0}}, "


@pytest.mark.parametrize(
    ("requests", "constraints", "declared", "severity"),
    [
        (gpu(f"{ATTRIBUTE}.uuid == 'GPU-1'"), "", "", "warning"),
        (gpu(NEWER), "", "", "warning"),
        (gpu(NEWER), "", DRIVER, "error"),
        (gpu(f"{NEWER} && {MODEL} == 'x'"), "", "", "warning"),
        (gpu(f"{MODEL} == 'x' && {NEWER}"), "", "", "error"),
        (gpu(NEWER, count=5), "", "", "error"),
        (gpu(count=2), SAME_ROOT, "", "warning"),
        (gpu(count=2), SAME_ROOT, "attributes: {resource.kubernetes.io/pcieRoot: [a, b, c, d]}, ", "error"),
        (gpu(count=5), SAME_ROOT, "", "error"),
        (gpu(of="mig.nvidia.com"), "", "", "error"),
        (gpu(of="compute-domain-default-channel.nvidia.com"), "", "", "warning"),
        (gpu(of="vfio.gpu.nvidia.com"), "", "", "warning"),
    ],
)
def test_what_rests_on_values_that_follow_from_no_model_is_possible(requests, constraints, declared, severity):
    nodes = H100.replace("{model", f"{{{declared}model")
    (one,) = found(claim(f"[{requests}]", constraints=constraints), nodes)
    assert one[:2] == ("KLG703", severity)


def test_the_help_names_the_attributes_that_are_assumed():
    (one,) = findings(claim(f"[{gpu(NEWER)}]"))
    assert [text for text in one.help if "driverVersion" in text and "`attributes`" in text]


@pytest.mark.parametrize(
    ("expression", "severity"),
    [
        (f"{ATTRIBUTE}.uuid != 'GPU-00000000-0000-0000-0000-000000000000'", "warning"),
        (f"{ATTRIBUTE}.driverVersion.isGreaterThan(semver('535.0.0'))", "error"),
    ],
)
def test_pods_that_lack_devices_for_an_assumed_value_lack_them_possibly(expression, severity):
    template = claim(f"[{gpu(expression)}]", kind="ResourceClaimTemplate")
    deployment = pod("resourceClaimTemplateName: c", replicas=5)
    for old, new in (
        ("batch/v1\nkind: Job", "apps/v1\nkind: Deployment"),
        ("parallelism: 5, completions: 5, template: {", "replicas: 5, selector: {matchLabels: {a: b}}, template: {"),
        ("template: {spec", "template: {metadata: {labels: {a: b}}, spec"),
        ("restartPolicy: Never, ", ""),
    ):
        deployment = deployment.replace(old, new)
    told = {one.code: one.severity for one in findings(objects(template, deployment))}
    assert told["KLG109"] == severity
