"""Updates that the API server refuses, field by field, and what only looks like one."""

from __future__ import annotations

import pytest
from update_objects import STATEFUL_SET, changed, parsed

from kubelint_gpu.kube.updates.object_updates import refused_changes
from kubelint_gpu.kube.values.errors import field_path


def refused(old, new, minor=34):
    return [(field_path(change.at[0]), change.answer) for change in refused_changes(old, new, minor)]


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("spec", "replicas"), 3),
        (("spec", "minReadySeconds"), 3),
        (("spec", "updateStrategy"), {"rollingUpdate": {"partition": 1}}),
        (("spec", "updateStrategy"), {"type": "OnDelete", "rollingUpdate": None}),
        (("spec", "persistentVolumeClaimRetentionPolicy"), {"whenDeleted": "Delete"}),
        (("spec", "template", "spec", "containers", 0, "image"), "b:2"),
        (("spec", "podManagementPolicy"), "OrderedReady"),
        (("spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"), "1024Mi"),
        (("spec", "volumeClaimTemplates", 0, "spec", "volumeMode"), "Filesystem"),
        (("spec", "volumeClaimTemplates", 0, "kind"), "PersistentVolumeClaim"),
        (("metadata", "labels"), {"a": "b"}),
    ],
)
def test_what_a_stateful_set_may_change(path, to):
    assert refused(STATEFUL_SET, changed(STATEFUL_SET, path, to)) == []


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("spec", "serviceName"), "other"),
        (("spec", "podManagementPolicy"), "Parallel"),
        (("spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"), "2Gi"),
        (("spec", "volumeClaimTemplates", 0, "spec", "storageClassName"), "fast"),
        (("spec", "selector", "matchLabels", "app"), "other"),
        (("spec", "volumeClaimTemplates"), None),
    ],
)
def test_what_a_stateful_set_may_not_change(path, to):
    ((where, answer),) = refused(STATEFUL_SET, changed(STATEFUL_SET, path, to))
    assert where.startswith(field_path(path[:2]))
    assert answer == (
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
        "forbidden"
    )


@pytest.mark.parametrize(("field", "to", "since"), [("ordinals", {"start": 1}, 27), ("revisionHistoryLimit", 3, 33)])
def test_a_newer_control_plane_allows_more_of_a_stateful_set(field, to, since):
    new = changed(STATEFUL_SET, ("spec", field), to)
    assert refused(STATEFUL_SET, new, since) == refused(STATEFUL_SET, new, None) == []
    ((where, answer),) = refused(STATEFUL_SET, new, since - 1)
    assert where == f"spec.{field}"
    assert repr(field) not in answer


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("{clusterIP: None}", "{clusterIP: None}", 0),
        ("{}", "{clusterIP: None}", 1),
        ("{clusterIP: None}", "{clusterIP: 10.0.0.1}", 1),
        ("{clusterIP: None}", "{}", 0),
        ("{}", "{clusterIP: 10.0.0.1}", 0),
        ("{type: ExternalName, externalName: a}", "{clusterIP: None}", 0),
    ],
)
def test_the_address_of_a_service_stays(old, new, count):
    versions = [
        parsed(f"{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {spec}}}") for spec in (old, new)
    ]
    assert len(refused(*versions)) == count


@pytest.mark.parametrize(
    ("group", "kind", "old", "new", "answers"),
    [
        ("scheduling.k8s.io/v1", "PriorityClass", "value: 1", "value: 2", ["value: Forbidden: may not be changed"]),
        (
            "scheduling.k8s.io/v1",
            "PriorityClass",
            "value: 1",
            "{value: 1, preemptionPolicy: PreemptLowerPriority, globalDefault: true}",
            [],
        ),
        (
            "scheduling.k8s.io/v1",
            "PriorityClass",
            "value: 1",
            "{value: 1, preemptionPolicy: Never}",
            ["preemptionPolicy: Invalid value: field is immutable"],
        ),
        ("node.k8s.io/v1", "RuntimeClass", "handler: a", "handler: b", ["handler: Invalid value: field is immutable"]),
        (
            "storage.k8s.io/v1",
            "StorageClass",
            "provisioner: a",
            "{provisioner: b, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer, parameters: {a: b}}",
            ["parameters: Forb", "provisioner: Forb", "reclaimPolicy: Forb", "volumeBindingMode: Invalid"],
        ),
        (
            "storage.k8s.io/v1",
            "StorageClass",
            "provisioner: a",
            "{provisioner: a, reclaimPolicy: Delete, volumeBindingMode: Immediate, allowVolumeExpansion: true}",
            [],
        ),
        ("v1", "ConfigMap", "data: {a: b}", "data: {a: c}", []),
        (
            "v1",
            "ConfigMap",
            "{immutable: true, data: {a: b}}",
            "data: {a: c}",
            ["immutable: Forbidden", "data: Forbidden: field is immutable when"],
        ),
        ("v1", "Secret", "type: Opaque", "stringData: {a: b}", []),
        ("v1", "Secret", "type: Opaque", "type: kubernetes.io/tls", ["type: Invalid value: field is immutable"]),
        ("v1", "ResourceQuota", "spec: {scopes: [A]}", "spec: {hard: {pods: 1}}", ["spec.scopes: Invalid value"]),
        (
            "v1",
            "PersistentVolume",
            "spec: {accessModes: [ReadWriteOnce], hostPath: {path: /a}, nodeAffinity: {required: 1}}",
            "spec: {accessModes: [ReadWriteMany], hostPath: {path: /b}, nodeAffinity: {required: 2}}",
            ["spec.persistentvolumesource: Forbidden", "nodeAffinity: Invalid value"],
        ),
        (
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "roleRef: {name: a}",
            "roleRef: {name: b}",
            ["roleRef: Invalid value: cannot change roleRef"],
        ),
        (
            "resource.k8s.io/v1",
            "ResourceClaim",
            "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}",
            "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: 1}}]}}",
            [],
        ),
        (
            "resource.k8s.io/v1",
            "ResourceClaim",
            "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}",
            "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: 2}}]}}",
            ["spec: Invalid value: field is immutable"],
        ),
    ],
)
def test_other_kinds(group, kind, old, new, answers):
    versions = [{"apiVersion": group, "kind": kind, "metadata": {"name": "a"}, **parsed(text)} for text in (old, new)]
    found = [answer for _, answer in refused(*versions)]
    assert len(found) == len(answers)
    assert all(one.startswith(start) for one, start in zip(found, answers, strict=True)), found


def test_a_custom_resource_is_left_alone():
    old = {"apiVersion": "example.com/v1", "kind": "Deployment", "spec": {"selector": {"matchLabels": {"a": "b"}}}}
    assert refused(old, changed(old, ("spec", "selector", "matchLabels", "a"), "c")) == []


def test_the_numbers_of_a_rolling_update_do_not_go_by_themselves():
    on_delete = changed(STATEFUL_SET, ("spec", "updateStrategy"), {"type": "OnDelete"})
    ((where, answer),) = refused(STATEFUL_SET, on_delete)
    assert where == "spec.updateStrategy.type"
    assert answer.startswith("spec.updateStrategy.rollingUpdate: Invalid value: only allowed for")
    written = changed(STATEFUL_SET, ("spec", "updateStrategy"), {"rollingUpdate": {"partition": 1}})
    assert refused(written, on_delete) == []
    assert refused(on_delete, on_delete) == []


def deployment(**strategy):
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": {}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {**spec, **strategy}}


RECREATE = {"strategy": {"type": "Recreate"}}


@pytest.mark.parametrize("old", [{}, {"strategy": {}}, {"strategy": {"type": "RollingUpdate"}}])
def test_numbers_that_the_api_server_wrote_stay_beside_recreate_with_server_side_apply(old):
    (found,) = refused_changes(deployment(**old), deployment(**RECREATE))
    assert found.where == "with server-side apply"
    assert "rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'" in found.answer
    assert found.answer.endswith("; kubectl apply takes the defaults away"), "null helps nothing there, seen on 1.34"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RECREATE, RECREATE),
        ({"strategy": {"rollingUpdate": {"maxSurge": 1}}}, RECREATE),
        ({}, {"strategy": {"type": "Recreate", "rollingUpdate": None}}),
        ({}, {"strategy": {"type": "RollingUpdate"}}),
    ],
)
def test_a_strategy_that_takes_its_numbers_along_is_not_refused(old, new):
    assert refused(deployment(**old), deployment(**new)) == []


FLAT = {"name": "gpu", "deviceClassName": "gpu.example.com"}
NESTED = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1}}


def device_claim(kind, version, request):
    spec = {"devices": {"requests": [request]}}
    spec = {"spec": spec} if kind == "ResourceClaimTemplate" else spec
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": kind, "metadata": {"name": "one"}, "spec": spec}


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        (("v1beta1", FLAT), ("v1", NESTED), []),
        (("v1", NESTED), ("v1beta1", FLAT), []),
        (("v1beta2", NESTED), ("v1", NESTED), []),
        (("v1", NESTED), ("v1beta1", {**FLAT, "count": 2}), ["spec"]),
    ],
)
def test_another_version_of_the_api_writes_the_same_claim_in_another_way(kind, old, new, fields):
    found = refused(device_claim(kind, *old), device_claim(kind, *new))
    assert [field for field, _ in found] == fields
