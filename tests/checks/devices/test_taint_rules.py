"""DeviceTaintRules among the manifests."""

from __future__ import annotations

import pytest
from claim_findings import H100, findings

RULE = """\
apiVersion: resource.k8s.io/{version}
kind: DeviceTaintRule
metadata: {{name: t}}
spec: {{deviceSelector: {{driver: gpu.nvidia.com}}, taint: {{key: a, effect: {effect}}}}}
"""


def told(version="v1beta2", release="1.36", effect="NoSchedule", nodes=H100):
    text = RULE.format(version=version, effect=effect)
    return [(one.code, one.message) for one in findings(text, nodes, release)]


@pytest.mark.parametrize(
    ("version", "release", "gate"),
    [("v1beta2", "1.36", "DRADeviceTaintRules"), ("v1alpha3", "1.35", "DRADeviceTaintRules"),
     ("v1alpha3", "1.34", "DRADeviceTaints")],
)  # fmt: skip
def test_an_api_that_is_off_by_default_is_told_with_its_gate(version, release, gate):
    ((code, message),) = told(version, release)
    assert code == "KLG004"
    assert message == (
        f"{release} serves resource.k8s.io/{version} only with --runtime-config of the API server; "
        f"the object has an effect only with the feature gate {gate}, which is off by default"
    )


def test_a_cluster_that_has_rules_serves_them():
    assert told(nodes=f"{H100}---\n{RULE.format(version='v1beta2', effect='None').replace('name: t', 'name: u')}") == []


def test_a_field_that_there_is_not_is_told_once():
    text = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: z, generation: 1, resourceSliceCount: 1}
  nodeName: h-1
  devices: [{name: d, basic: {}}]
"""
    assert [one.code for one in findings(text)] == ["KLG002"]
