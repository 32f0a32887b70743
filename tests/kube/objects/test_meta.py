"""The metadata of objects."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.meta import read_meta, read_namespace
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields, is_label_value, is_qualified_name, is_subdomain


def test_names():
    assert is_label_value("")
    assert not is_label_value("a" * 64)
    assert is_qualified_name("example.com/name")
    assert not is_qualified_name("Example.com/name")
    assert not is_qualified_name("/name")
    assert not is_qualified_name("a" * 64)
    assert is_subdomain("a.b-c")
    assert not is_subdomain("A")


def test_the_controller_among_the_owners_is_the_owner():
    owners = [{"kind": "A", "name": "a"}, {"kind": "B", "name": "b", "controller": True}, {"kind": "C", "name": "c"}]
    assert read_meta(Fields({"name": "x", "ownerReferences": owners})).owner.kind == "B"


@pytest.mark.parametrize(
    ("kind", "labels", "maker"),
    [
        ("ReplicaSet", {"pod-template-hash": "5c9"}, "Deployment/ml/web"),
        ("ReplicaSet", {"rollouts-pod-template-hash": "5c9"}, "Rollout/ml/web"),
        ("ReplicaSet", {}, "ReplicaSet/ml/web-5c9"),
        ("ReplicaSet", {"pod-template-hash": "other"}, "ReplicaSet/ml/web-5c9"),
        ("Job", {"pod-template-hash": "5c9"}, "Job/ml/web-5c9"),
        ("", {}, "Pod/ml/web-5c9-x"),
    ],
)
def test_a_pod_comes_from_the_deployment_that_made_its_replica_set(kind, labels, maker):
    owners = [{"kind": kind, "name": "web-5c9", "controller": True}] if kind else []
    value = {"name": "web-5c9-x", "namespace": "ml", "labels": labels, "ownerReferences": owners}
    assert read_meta(Fields(value, (), None)).maker.key == maker


def namespace(labels):
    return {"kind": "Namespace", "metadata": {"name": "a", "labels": labels}}


def test_a_namespace_has_its_name_as_a_label():
    found = read_namespace(namespace({"team": "ml", "kubernetes.io/metadata.name": "b"}))
    assert found.labels == {"team": "ml", "kubernetes.io/metadata.name": "a"}
    with pytest.raises(InvalidObject):
        read_namespace(namespace({"team": 3}))
