"""Reading claims, volumes, classes and CSI objects.

CSINodes, drivers and capacities as they are read.
"""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.storage import (
    ClaimReference,
    read_csi_driver,
    read_csi_node,
    read_csi_storage_capacity,
    read_persistent_volume,
    read_persistent_volume_claim,
    read_storage_class,
    read_volume_attachment,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

GI = 1024**3 * 1000


def claim(annotations=None, status=None, **spec):
    return read_persistent_volume_claim(
        {"metadata": {"name": "c", "namespace": "n", "annotations": annotations}, "spec": spec, "status": status}
    )


def test_a_claim_is_bound_by_name_and_annotation_together():
    done = {"pv.kubernetes.io/bind-completed": "yes"}
    assert claim(done, volumeName="pv").bound
    assert not claim(volumeName="pv").bound
    assert not claim(done).bound


def test_the_class_of_a_claim_comes_from_the_annotation_first_and_may_be_absent():
    beta = {"volume.beta.kubernetes.io/storage-class": "old"}
    assert claim(beta, storageClassName="new").storage_class == "old"
    assert claim(storageClassName="new").class_name == "new"
    assert (claim(storageClassName="").storage_class, claim().storage_class) == ("", None)
    assert claim().class_name == ""


def test_what_a_claim_says():
    found = claim(
        {"volume.kubernetes.io/selected-node": "n1"},
        {"phase": "Lost"},
        resources={"requests": {"storage": "1Gi"}},
        volumeMode="Block",
        accessModes=["ReadWriteOncePod"],
        selector={"matchLabels": {"a": "b"}},
        volumeAttributesClassName="gold",
    )
    assert (found.key, found.phase, found.request, found.volume_mode) == ("n/c", "Lost", GI, "Block")
    assert (found.selected_node, found.access_modes, found.attributes_class) == ("n1", ("ReadWriteOncePod",), "gold")
    assert found.selector.matches({"a": "b"})
    assert (claim().request, claim().phase, claim().volume_mode, claim().selector) == (
        None,
        "Pending",
        "Filesystem",
        None,
    )


def volume(status=None, **spec):
    return read_persistent_volume({"metadata": {"name": "v"}, "spec": spec, "status": status})


def test_what_a_volume_says():
    found = volume(
        {"phase": "Released"},
        capacity={"storage": "1Gi"},
        claimRef={"namespace": "n", "name": "c", "uid": "u"},
        csi={"driver": "d", "volumeHandle": "h"},
        storageClassName="fast",
        nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "Exists"}]}]}},
    )
    assert (found.phase, found.capacity, found.storage_class) == ("Released", GI, "fast")
    assert found.claim == ClaimReference("n", "c", "u")
    assert (found.kind, found.source["volumeHandle"]) == ("csi", "h")
    assert found.reachable_from(FrozenMap({"z": ""}))
    assert not found.reachable_from(FrozenMap())


def test_a_volume_without_status_is_what_the_controller_makes_of_it():
    assert volume().phase == "Available"
    assert volume(claimRef={"name": "c"}).phase == "Bound"
    assert (volume().kind, volume().capacity, volume().claim) == ("", 0, None)
    assert volume().reachable_from(FrozenMap())


def test_a_volume_is_reserved_by_name_and_by_uid_where_it_has_one():
    asked = claim()
    assert volume(claimRef={"namespace": "n", "name": "c"}).reserved_for(asked)
    assert not volume(claimRef={"namespace": "n", "name": "c", "uid": "x"}).reserved_for(asked)
    assert not volume(claimRef={"namespace": "m", "name": "c"}).reserved_for(asked)
    assert not volume().reserved_for(asked)


def storage_class(**fields):
    return read_storage_class({"metadata": {"name": "s", **fields.pop("meta", {})}, "provisioner": "p", **fields})


def test_a_class_binds_immediately_unless_it_says_otherwise():
    assert not storage_class().wait_for_first_consumer
    assert storage_class(volumeBindingMode="WaitForFirstConsumer").wait_for_first_consumer


def test_the_default_class_is_marked():
    marked = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    assert storage_class(meta=marked).default
    assert not storage_class().default


@pytest.mark.parametrize(
    ("terms", "labels", "allowed"),
    [
        ([], {}, True),
        ([{"matchLabelExpressions": [{"key": "z", "values": ["a", "b"]}]}], {"z": "b"}, True),
        ([{"matchLabelExpressions": [{"key": "z", "values": ["a"]}]}], {}, False),
        ([{"matchLabelExpressions": []}], {"z": "a"}, False),
        (
            [{"matchLabelExpressions": [{"key": "z", "values": ["a"]}, {"key": "y", "values": ["c"]}]}],
            {"z": "a"},
            False,
        ),
        ([{}, {"matchLabelExpressions": [{"key": "z", "values": ["a"]}]}], {"z": "a"}, True),
    ],
)
def test_allowed_topologies_are_any_of_all(terms, labels, allowed):
    assert storage_class(allowedTopologies=terms).allows(FrozenMap(labels)) == allowed


def test_a_volume_that_is_updated_keeps_its_phase_and_who_has_it():
    """Seen on a control plane 1.34: a volume that grows binds the claim that it was too small for."""

    def volume(size, claim=None):
        spec = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "csi": {"driver": "d"}}
        named = {"claimRef": {"namespace": "n", "name": claim}} if claim else {}
        return read_persistent_volume(
            {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {**spec, **named}}
        )

    had = replace(volume("1Gi", "a"), phase="Bound")
    grown = volume("2Gi", "b").after(had)
    assert (grown.capacity, grown.phase, grown.claim) == (volume("2Gi").capacity, "Bound", had.claim)
    assert volume("2Gi", "b").after(volume("1Gi")).claim == volume("2Gi", "b").claim
    assert volume("2Gi").after(None) == volume("2Gi")


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
