"""Volumes and claims that the API server refuses."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.volume_validation import claim_problems, volume_problems
from kubelint_gpu.kube.values.errors import field_path


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


@pytest.mark.parametrize(
    ("spec", "whole", "path"),
    [
        ({}, False, None),
        ({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, True, None),
        ({"accessModes": ["ReadWriteOnce"]}, True, "spec"),
        ({"accessModes": []}, False, "spec.accessModes"),
        ({"accessModes": ["RWO"]}, False, "spec.accessModes[0]"),
        ({"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]}, False, "spec.accessModes"),
        ({"resources": {"requests": {"storage": 0}}}, False, "spec.resources.requests.storage"),
        ({"storageClassName": "Bad_Name"}, False, "spec.storageClassName"),
        ({"volumeMode": "raw"}, False, "spec.volumeMode"),
        ({"storageClassName": "${CLASS}", "volumeMode": "${MODE}", "accessModes": ["${MODE}"]}, False, None),
    ],
)
def test_a_claim_is_refused_at_its_field(spec, whole, path):
    assert list(told(claim_problems(spec, ("spec",), whole=whole))) == ([path] if path else [])


@pytest.mark.parametrize(
    ("volume", "path"),
    [
        ({"name": "a", "emptyDir": {}, "hostPath": {"path": "/x"}}, "volumes[0].hostPath"),
        ({"name": "a", "emptyDir": None, "hostPath": {"path": "/x"}}, None),
        ({"emptyDir": {}}, "volumes[0]"),
        ({"name": "A"}, "volumes[0].name"),
        ({"name": "a", "emptyDir": {"sizeLimit": -1}}, "volumes[0].emptyDir.sizeLimit"),
        ({"name": "a", "persistentVolumeClaim": {}}, "volumes[0].persistentVolumeClaim"),
        (
            {"name": "a", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
            "volumes[0].ephemeral.volumeClaimTemplate.spec",
        ),
    ],
)
def test_a_volume_is_refused_at_its_field(volume, path):
    assert list(told(volume_problems({"volumes": [volume]}, ()))) == ([path] if path else [])
