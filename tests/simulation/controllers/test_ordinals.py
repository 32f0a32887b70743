"""What a StatefulSet's controller writes into the pod of an ordinal."""

from __future__ import annotations

from rollout_objects import workload

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.controllers.ordinals import claim_names, ordinal_pod, with_claims, with_revision

POD = read_pod({"metadata": {"name": "db", "namespace": "d", "labels": {"app": "db"}}, "spec": {"containers": []}})
CLAIMS = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}, {"metadata": {"name": "log"}}]}


def claim(name, namespace="d"):
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": {}}


def claims_of(pod):
    return [volume.source["claimName"] for volume in pod.spec.volumes]


def test_the_pod_of_an_ordinal_has_its_name_and_labels():
    found = ordinal_pod(POD, "db-3", 3)
    assert found.meta.name == "db-3"
    assert dict(found.meta.labels) == {
        "app": "db",
        "statefulset.kubernetes.io/pod-name": "db-3",
        "apps.kubernetes.io/pod-index": "3",
    }


def test_claims_are_named_after_template_set_and_ordinal():
    assert claim_names(workload("StatefulSet", "db", more=CLAIMS), 2) == ("data-db-2", "log-db-2")
    assert claim_names(workload("StatefulSet", "db"), 2) == ()


def test_only_claims_that_the_namespace_has_are_mounted():
    cluster = read_cluster([claim("data-db-0"), claim("log-db-0", "other"), claim("data-db-1")], version="1.34")
    found = workload("StatefulSet", "db", more=CLAIMS)
    assert claims_of(with_claims(POD, found, 0, cluster)) == ["data-db-0"]
    once = with_claims(POD, found, 1, cluster)
    assert claims_of(with_claims(once, found, 1, cluster)) == ["data-db-1"]
    assert with_claims(POD, found, 7, cluster) is POD


def test_revisions_are_told_apart_by_a_label():
    assert with_revision(POD, "new").meta.labels["controller-revision-hash"] == "new"
    assert with_revision(POD, "new").meta.labels["app"] == "db"
