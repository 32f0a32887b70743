"""Which claims are bound before their pods are scheduled."""

from __future__ import annotations

import pytest
from rollout_objects import deployment, workload

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.storage import (
    read_persistent_volume,
    read_persistent_volume_claim,
    read_storage_class,
)
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.values import replace

CLAIM = {"metadata": {"name": "data", "namespace": "db"}, "spec": {"storageClassName": "local"}}
AMOUNT = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]}


def cluster(mode, *, reserved):
    claim = {**CLAIM, "spec": {**CLAIM["spec"], **AMOUNT}}
    spec = {"storageClassName": "local", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    if reserved:
        spec["claimRef"] = {"name": "data", "namespace": "db"}
    found = {"metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": mode}
    return Cluster(
        claims=(read_persistent_volume_claim(claim),),
        volumes=(read_persistent_volume({"metadata": {"name": "pv"}, "spec": spec, "status": {"phase": "Available"}}),),
        storage_classes=(read_storage_class(found),),
    )


@pytest.mark.parametrize("reserved", [False, True])
def test_the_volume_controller_binds_at_once(reserved):
    (claim,) = with_bound_claims(cluster("Immediate", reserved=reserved), ()).claims
    assert claim.volume_name == "pv"


@pytest.mark.parametrize("reserved", [False, True])
def test_whether_a_claim_that_waits_for_its_pod_is_bound_first_is_open(reserved):
    (claim,) = with_bound_claims(cluster("WaitForFirstConsumer", reserved=reserved), ()).claims
    assert claim.volume_name == ""


@pytest.mark.parametrize(
    ("allowed", "zone", "reached"), [([], "a", True), (["a", "b"], "b", True), (["b"], "a", False)]
)
def test_a_volume_that_is_provisioned_at_once_lies_where_its_class_allows(allowed, zone, reached):
    terms = [{"matchLabelExpressions": [{"key": "zone", "values": allowed}]}] if allowed else []
    found = {"metadata": {"name": "local"}, "provisioner": "disk.example.com/csi", "allowedTopologies": terms}
    before = Cluster(claims=(read_persistent_volume_claim(CLAIM),), storage_classes=(read_storage_class(found),))
    after = with_bound_claims(before, ())
    (claim,), (volume,) = after.claims, after.volumes
    assert claim.volume_name == volume.meta.name
    assert (volume.node_affinity is None or volume.node_affinity.matches({"zone": zone}, None)) == reached


@pytest.mark.parametrize(("volumes", "bound"), [(("gone", "here"), {"pv0", "pv1"}), (("gone", "here", "here"), set())])
def test_as_many_claims_of_one_workload_as_there_are_volumes_take_all_of_them(volumes, bound):
    there = []
    for number, zone in enumerate(volumes):
        where = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}]
        spec = {"storageClassName": "local", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": where}}
        there.append(read_persistent_volume({"metadata": {"name": f"pv{number}"}, "spec": spec}))
    mine = [
        read_persistent_volume_claim(
            {"metadata": {"name": name, "namespace": "d"}, "spec": {**CLAIM["spec"], **AMOUNT}}
        )
        for name in ("a", "b")
    ]
    user = deployment(volumes=[{"name": one, "persistentVolumeClaim": {"claimName": one}} for one in ("a", "b")])
    template = replace(mine[0], meta=replace(mine[0].meta, name="data"))
    stateful = workload("StatefulSet", "w", more={"serviceName": "w"})
    for claims, users in (
        (mine, [user]),
        (
            [replace(one, meta=replace(one.meta, name=f"data-w-{one.meta.name}")) for one in mine],
            [replace(stateful, claims=(template,))],
        ),
    ):
        before = Cluster(
            claims=claims, volumes=there, storage_classes=cluster("Immediate", reserved=False).storage_classes
        )
        found = {one.volume_name for one in with_bound_claims(before, users).claims}
        assert found & {"pv0", "pv1", "pv2"} == bound
        of_several = with_bound_claims(before, [deployment("x")]).claims
        assert {one.volume_name for one in of_several}.isdisjoint({"pv0", "pv1", "pv2"})
