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


MEMORY = "device.capacity['gpu.nvidia.com'].memory"
LARGE = f"{MEMORY}.compareTo(quantity('60Gi')) >= 0"


@pytest.mark.parametrize(
    ("model", "request_", "severity"),
    [
        # NVML tells 81559Mi, whatever the name says
        ("model: H100-80GB-HBM3", gpu(f"{MEMORY}.compareTo(quantity('80Gi')) >= 0"), "error"),
        ("model: H100-80GB-HBM3", gpu(f"{MEMORY}.compareTo(quantity('80Gi')) < 0"), None),
        ("model: T4", gpu(f"{MEMORY}.compareTo(quantity('16Gi')) >= 0"), "error"),
        # with ECC it is another one than without
        ("model: L40", gpu(LARGE), "warning"),
        ("model: L40, memory: 46068", gpu(LARGE), "error"),
        ("model: L40, capacity: {memory: 46068Mi}", gpu(LARGE), "error"),
        ("model: L40", gpu(LARGE, count=9), "error"),
        ("model: L40", gpu(more=", capacity: {requests: {memory: 60Gi}}"), "warning"),
        ("model: L40, memory: 46068", gpu(more=", capacity: {requests: {memory: 60Gi}}"), "error"),
        # a model that is not known
        ("model: H10O", gpu(f"{MEMORY}.compareTo(quantity('8Gi')) >= 0"), "warning"),
        ("model: H10O", gpu(f"{ATTRIBUTE}.architecture == 'Ampere'"), "warning"),
        ("model: H10O", gpu(f"{ATTRIBUTE}.cudaComputeCapability.isGreaterThan(semver('8.0.0'))"), "warning"),
        ("model: H10O", gpu(f"{ATTRIBUTE}.profile == '1g.10gb'"), "error"),
        # of MIG devices some profiles are known
        ("model: A100-SXM4-40GB, mig: {1g.5gb: 7}", gpu(f"{MEMORY} == quantity('4864Mi')", of="mig.nvidia.com"), None),
        ("model: A100-SXM4-40GB, mig: {1g.5gb: 7}", gpu(f"{MEMORY} == quantity('5Gi')", of="mig.nvidia.com"), "error"),
        ("model: H200, mig: {1g.18gb: 7}", gpu(f"{MEMORY} == quantity('1Gi')", of="mig.nvidia.com"), "warning"),
        ("model: H200, mig: dynamic", gpu(f"{MEMORY}.compareTo(quantity('141Gi')) >= 0"), "error"),
    ],
)
def test_memory_is_what_the_driver_publishes_or_assumed(model, request_, severity):
    told = findings(claim(f"[{request_}]"), H100.replace("model: H100-80GB-HBM3", model))
    assert [one.severity for one in told if one.code in ("KLG703", "KLG704")] == [severity] * bool(severity)


@pytest.mark.parametrize("of_alternatives", [False, True])
def test_what_is_assumed_is_not_told_as_a_fact_and_the_help_says_where_memory_is_declared(of_alternatives):
    cel = f"{{cel: {{expression: \"{MEMORY}.compareTo(quantity('8Gi')) >= 0\"}}}}"
    query = f"deviceClassName: gpu.nvidia.com, selectors: [{cel}]"
    ways = f"firstAvailable: [{{name: a, {query}}}]" if of_alternatives else f"exactly: {{{query}}}"
    told = findings(claim(f"[{{name: g, {ways}}}]"), H100.replace("H100-80GB-HBM3", "H10O"))
    (one,) = [one for one in told if one.code == "KLG703"]
    assert one.message.endswith("has memory at least 8Gi")
    assert [text for text in one.help if "tell memory" in text and "as `memory`" in text]


CLASS = """apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: large}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}, {cel: {expression: "LARGE"}}]}
""".replace("LARGE", LARGE)


@pytest.mark.parametrize(("model", "severity"), [("L40", "warning"), ("L40S", "error")])
def test_a_class_may_rest_on_assumed_values_too(model, severity):
    nodes = H100.replace("H100-80GB-HBM3", model)
    template = claim(f"[{gpu(of='large')}]", kind="ResourceClaimTemplate")
    told = findings(objects(CLASS, template, pod("resourceClaimTemplateName: c", replicas=1)), nodes)
    assert {one.code: one.severity for one in told if one.code in ("KLG109", "KLG703")} == {"KLG703": severity}


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


def test_memory_that_a_label_of_the_node_tells_is_known():
    nodes = H100.replace("H100-80GB-HBM3", "L40").replace("all", "labels: {nvidia.com/gpu.memory: '49140'}\n    all", 1)
    told = findings(claim(f"[{gpu(LARGE)}]"), nodes)
    assert [(one.code, one.severity) for one in told] == [("KLG703", "error")]
    assert told[0].message.endswith("4 have 49140Mi")
