"""CSINodes, drivers and capacities as they are read."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.csi import (
    read_csi_driver,
    read_csi_node,
    read_csi_storage_capacity,
    read_volume_attachment,
)
from kubelint_gpu.kube.objects.storage import (
    read_persistent_volume,
    read_persistent_volume_claim,
    read_storage_class,
)
from kubelint_gpu.kube.values.errors import InvalidObject

GI = 1024**3 * 1000


def test_a_csi_node_limits_only_the_drivers_that_say_so():
    drivers = [{"name": "a", "allocatable": {"count": 0}}, {"name": "b"}, {"name": "c", "allocatable": {}}]
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": "x,y"}
    found = read_csi_node({"metadata": {"name": "n", "annotations": annotations}, "spec": {"drivers": drivers}})
    assert found.limits == {"a": 0}
    assert found.migrated == ("x", "y")


def test_the_largest_volume_counts_before_the_capacity():
    found = read_csi_storage_capacity({"storageClassName": "s", "capacity": "2Gi", "maximumVolumeSize": "1Gi"})
    assert found.largest == GI
    assert found.topology is None
    assert read_csi_storage_capacity({"capacity": "1Gi"}).largest == GI
    assert read_csi_storage_capacity({}).largest is None


def test_drivers_and_attachments():
    assert read_csi_driver({"metadata": {"name": "d"}, "spec": {"storageCapacity": True}}).storage_capacity
    spec = {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    found = read_volume_attachment({"metadata": {"name": "a"}, "spec": spec})
    assert (found.attacher, found.node_name, found.volume_name) == ("d", "n", "v")


META = {"name": "x", "namespace": "n"}


@pytest.mark.parametrize(
    ("read", "value", "text"),
    [
        (read_persistent_volume_claim, {"spec": {"accessModes": ["RWO"]}}, "Claim n/x: spec.accessModes[0]: "),
        (read_persistent_volume_claim, {"spec": {"volumeMode": "Raw"}}, "Claim n/x: spec.volumeMode: "),
        (read_persistent_volume, {"spec": {"capacity": {"storage": "-1"}}}, "spec.capacity.storage: must be greater"),
        (read_storage_class, {"volumeBindingMode": "Later"}, "volumeBindingMode: "),
        (read_csi_node, {"spec": {"drivers": [{"allocatable": {"count": -1}}]}}, "allocatable.count: must be greater"),
        (read_csi_driver, {"spec": {"storageCapacity": "yes"}}, "spec.storageCapacity: must be true or false"),
        (read_csi_storage_capacity, {"capacity": "much"}, "capacity: "),
        (read_volume_attachment, {"spec": {"attacher": 3}}, "spec.attacher: must be a string"),
    ],
)
def test_what_the_api_server_would_refuse_names_object_and_field(read, value, text):
    with pytest.raises(InvalidObject) as caught:
        read({"kind": "Claim", "metadata": META, **value})
    assert text in str(caught.value)
    assert str(caught.value).startswith("Claim n/x")
    problems = []
    read({"metadata": META, **value}, problems)
    assert len(problems) == 1
