"""Named ResourceClaims that a captured cluster deletes, or does not have."""

from __future__ import annotations

import pytest
from change_cases import findings_of

NODE = (
    "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: '1.34'\n"
    "nodes: [{name: n1, allocatable: {cpu: 16, memory: 64Gi}}]\n"
    "running: [{name: other, namespace: serving, node: n1, requests: {cpu: 1}}]\n"
    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}\n"
)
LEAVING = (
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
    "metadata: {name: shared, namespace: serving, uid: c, deletionTimestamp: '2026-01-01T00:00:00Z'}\n"
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n"
)
NONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"


def made(kind, image):
    more = "  serviceName: s\n" if kind == "StatefulSet" else ""
    return (
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: s, namespace: serving}}\nspec:\n  replicas: 2\n{more}"
        "  selector: {matchLabels: {app: s}}\n  template:\n    metadata: {labels: {app: s}}\n    spec:\n"
        f"      containers: [{{name: c, image: {image}, resources: {{claims: [{{name: g}}]}}}}]\n"
        "      resourceClaims: [{name: g, resourceClaimName: shared}]\n"
    )


def running(kind):
    owner, label = ("StatefulSet/s", "controller-revision-hash")
    if kind == "Deployment":
        owner, label = "ReplicaSet/s-7d", "pod-template-hash"
    kind, name = owner.split("/")
    return "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: s-{number}\n  namespace: serving\n"
        f"  labels: {{app: s, {label}: 7d}}\n  ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {name}, "
        "uid: u, controller: true}]\nspec:\n  nodeName: n1\n  containers: [{name: c, image: old}]\n"
        "  resourceClaims: [{name: g, resourceClaimName: shared}]\nstatus: {phase: Running}\n"
        for number in range(2)
    )


def told(before, after, cluster):
    return [
        (one.severity, one.certainty, one.moment) for one in findings_of(before, after, cluster) if one.code == "KLG701"
    ]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_rollout_waits_for_a_claim_that_is_being_deleted_as_long_as_old_pods_share_it(kind):
    cluster = NODE + LEAVING + running(kind)
    assert told(made(kind, "old"), made(kind, "new"), cluster) == [("error", "certain", "now")]
    assert told(made(kind, "old"), made(kind, "old"), cluster) == [("warning", "possible", "next")]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_whole_capture_without_a_claim_shows_that_it_is_not_there(kind):
    assert told(NONE, made(kind, "new"), NODE) == [("error", "certain", "now")]
    part = NODE.replace("kube-system", "serving")
    assert told(NONE, made(kind, "new"), part) == [("warning", "possible", "now")]
