"""A cluster out of plain objects."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.cluster import Cluster, read_cluster
from kubelint_gpu.kube.values.errors import InvalidObject

FIELDS = {
    "Node": "nodes",
    "Pod": "pods",
    "Namespace": "namespaces",
    "PriorityClass": "priority_classes",
    "PodDisruptionBudget": "disruption_budgets",
    "PersistentVolumeClaim": "claims",
    "PersistentVolume": "volumes",
    "StorageClass": "storage_classes",
    "CSINode": "csi_nodes",
    "CSIDriver": "csi_drivers",
    "CSIStorageCapacity": "storage_capacities",
    "VolumeAttachment": "volume_attachments",
    "ResourceQuota": "quotas",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
    "DeviceClass": "device_classes",
    "ResourceSlice": "resource_slices",
    "ResourceClaim": "resource_claims",
    "ResourceClaimTemplate": "claim_templates",
    "DeviceTaintRule": "device_taint_rules",
}


def thing(kind, name="x", **meta):
    return {"kind": kind, "metadata": {"name": name, **meta}}


@pytest.mark.parametrize(("kind", "field"), FIELDS.items())
def test_every_kind_goes_where_it_belongs(kind, field):
    found = read_cluster([thing(kind)], version="1.34", complete=True)
    assert len(getattr(found, field)) == 1
    assert found.version == "1.34"
    assert found == Cluster(version="1.34", devices_known=True, **{field: getattr(found, field)})
    assert hash(found)


def test_devices_of_nodes_are_not_known_where_nothing_of_their_group_is_read():
    assert not read_cluster([thing("Node")]).devices_known
    assert read_cluster([thing("Node"), thing("DeviceClass")]).devices_known
    assert read_cluster([thing("Node")], complete=True).devices_known


def test_what_scheduling_does_not_look_at_is_left_out():
    assert read_cluster([thing("Service"), {"kind": ["Node"]}, {}, None, "text", 3]) == Cluster()


def test_an_object_given_twice_is_an_error():
    with pytest.raises(InvalidObject) as caught:
        read_cluster([thing("Pod"), thing("Pod", namespace="default")])
    assert str(caught.value) == "Pod default/x: metadata.name: is given twice"
    assert len(read_cluster([thing("Pod"), thing("Pod", namespace="n"), thing("Node")]).pods) == 2


@pytest.mark.parametrize("meta", [None, "x", {}, {"name": ""}, {"name": 3}])
def test_an_object_without_a_name_is_an_error(meta):
    with pytest.raises(InvalidObject) as caught:
        read_cluster([{"kind": "Node", "metadata": meta}])
    assert caught.value.pointer == ("metadata", "name")
    assert caught.value.kind == "Node"


def test_an_error_inside_an_object_names_object_and_field():
    value = {**thing("Node", "n1"), "spec": {"taints": [{"effect": "Never"}]}}
    with pytest.raises(InvalidObject) as caught:
        read_cluster([value])
    assert str(caught.value).startswith("Node n1: spec.taints[0].effect: ")
