"""What a captured inventory keeps of devices is what verdicts rest on."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.capture.capturing import captured
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.sources.kubectl import Answers

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
