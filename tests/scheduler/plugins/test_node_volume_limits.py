"""Limits of CSI volumes per node."""

from __future__ import annotations

import pytest
from plugin_objects import claim, node, pod, snapshot, storage_class, uses, verdicts, volume

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.plugins.node_volume_limits import PLUGIN, REASON
from kubelint_gpu.values import replace

DRIVER = "csi.example"
NODES = (node("a"), node("b"))
FULL = {"a": ("Unschedulable", REASON), "b": None}
FREE = {"a": None, "b": None}


def csi_node(name="a", count=2, driver=DRIVER, migrated=""):
    allocatable = {} if count is None else {"allocatable": {"count": count}}
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    drivers = [{"name": driver, **allocatable}]
    return {"kind": "CSINode", "metadata": {"name": name, "annotations": annotations}, "spec": {"drivers": drivers}}


def csi_volume(name, driver=DRIVER, handle=None):
    return volume(name, phase="Bound", csi={"driver": driver, "volumeHandle": handle or name})


def stored(*names):
    return [one for name in names for one in (claim(name, bound=f"pv-{name}"), csi_volume(f"pv-{name}"))]


USED = (*stored("x", "y", "z"), pod("user", "a", volumes=uses("x", "y")))


def test_a_new_volume_above_the_limit_is_refused():
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(), *USED) == FULL
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(count=3), *USED) == FREE


def test_those_that_have_volumes_of_the_driver_are_in_the_way():
    there = snapshot(*NODES, csi_node(), *USED, *stored("w"), csi_volume("other", "csi.other"))
    keeps = PLUGIN.facts.blockers(read_pod(pod(volumes=uses("z"))), there, REASON)
    one, other = (node.node for node in there.nodes)
    user = next(iter(there.pods))
    assert keeps(user)(one, one)
    assert not keeps(user)(one, other)
    assert not keeps(read_pod(pod("none", "a")))(one, one)


def test_a_volume_that_is_on_the_node_already_is_free():
    assert verdicts(pod(volumes=uses("x")), *NODES, csi_node(), *USED) == FREE
    assert verdicts(pod(volumes=uses("x", "z")), *NODES, csi_node(), *USED) == FULL


@pytest.mark.parametrize("csi", [csi_node(count=None), csi_node(driver="other"), csi_node("elsewhere")])
def test_without_a_limit_for_the_driver_nothing_is_refused(csi):
    assert verdicts(pod(volumes=uses("z")), *NODES, csi, *USED) == FREE


def test_an_unbound_claim_counts_for_the_provisioner_of_its_class():
    objects = (storage_class("fast", DRIVER), claim("new", storageClassName="fast"), *USED)
    assert verdicts(pod(volumes=uses("new")), *NODES, csi_node(), *objects) == FULL
    assert verdicts(pod(volumes=uses("new")), *NODES, csi_node(driver="other", count=0), *objects) == FREE


def test_claims_that_lead_to_no_csi_volume_are_not_counted():
    odd = [
        claim("local", bound="pv-local"),
        volume("pv-local", phase="Bound", local={"path": "/d"}),
        claim("odd", bound="pv-odd"),
        volume("pv-odd", phase="Bound", csi={"driver": DRIVER}),
        claim("bare", bound="pv-bare"),
        volume("pv-bare", phase="Bound"),
    ]
    found = verdicts(pod(volumes=uses("local", "odd", "bare")), *NODES, csi_node(count=0), *odd)
    assert found == FREE


def test_the_users_of_claims_that_are_gone_are_not_counted():
    ghost = pod("ghost", "a", volumes=uses("gone", "classless", "mute"))
    mute = (claim("mute", storageClassName="mute"), storage_class("mute", ""))
    objects = (*stored("z"), claim("classless"), *mute, ghost)
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(count=1), *objects) == FREE


@pytest.mark.parametrize(("owner", "expected"), [("owner", FULL), ("somebody", FREE)])
def test_a_generic_ephemeral_volume_counts_for_the_pod_that_owns_the_claim(owner, expected):
    reference = {"kind": "Pod", "name": "owner", "uid": owner, "controller": True}
    scratch = claim("owner-scratch", bound="pv-s", meta={"ownerReferences": [reference]})
    user = pod("owner", "a", volumes=[{"name": "scratch", "ephemeral": {}}])
    objects = (scratch, csi_volume("pv-s"), user, *stored("z"))
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(count=1), *objects) == expected


def attachment(name, volume_name, on="a"):
    source = {"persistentVolumeName": volume_name} if volume_name else {}
    spec = {"attacher": DRIVER, "nodeName": on, "source": source}
    return {"kind": "VolumeAttachment", "metadata": {"name": name}, "spec": spec}


def test_attached_volumes_that_no_pod_uses_take_room():
    objects = (*stored("x", "z"), csi_volume("left"), pod("user", "a", volumes=uses("x")))
    for volume_name, expected in (("left", FULL), ("pv-x", FREE), ("", FULL)):
        found = verdicts(pod(volumes=uses("z")), *NODES, csi_node(), *objects, attachment("one", volume_name))
        assert found == expected


def test_releases_before_1_33_look_at_pods_only():
    objects = (*stored("x", "z"), csi_volume("left"), pod("user", "a", volumes=uses("x")), attachment("one", "left"))
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(), *objects, version="1.32") == FREE
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(), *objects, version="1.33") == FULL


@pytest.mark.parametrize(("migrated", "expected"), [("kubernetes.io/aws-ebs,x", FULL), ("", FREE)])
def test_in_tree_volumes_count_where_a_csi_driver_took_them_over(migrated, expected):
    csi = csi_node(count=1, driver="ebs.csi.aws.com", migrated=migrated)
    inline = [{"name": "d", "awsElasticBlockStore": {"volumeID": "v1"}}]
    disk = volume("pv-disk", phase="Bound", awsElasticBlockStore={"volumeID": "v2"})
    objects = (claim("disk", bound="pv-disk"), disk, pod("user", "a", volumes=inline))
    assert verdicts(pod(volumes=uses("disk")), *NODES, csi, *objects) == expected
    old = (storage_class("gp2", "kubernetes.io/aws-ebs"), claim("new", storageClassName="gp2"))
    assert verdicts(pod(volumes=uses("new")), *NODES, csi, *objects, *old) == expected


def test_a_node_that_only_the_most_volumes_would_fill_takes_the_pod():
    """In-tree volumes are none of the driver's business where they are not migrated."""
    csi = csi_node(count=0, driver="ebs.csi.aws.com")
    inline = [{"name": "d", "awsElasticBlockStore": {"volumeID": "v1"}}]
    assert verdicts(pod(volumes=inline), *NODES, csi) == FREE


def test_pods_without_such_volumes_are_not_looked_at():
    seen = snapshot(*NODES, csi_node(count=0))
    assert PLUGIN.pre_filter(read_pod(pod(volumes=[{"name": "tmp", "emptyDir": {}}])), seen).skip


def test_nodes_with_and_without_limits_are_judged_by_themselves():
    seen = snapshot(*NODES, csi_node(), *USED)
    prepared = PLUGIN.pre_filter(read_pod(pod(volumes=uses("z"))), seen)
    assert prepared.apart == {"a"}
    assert PLUGIN.filter(prepared.state, seen.node("b")) is None
    nothing = replace(PLUGIN.pre_filter(read_pod(pod(volumes=uses("z"))), seen).state, pod=read_pod(pod()))
    assert PLUGIN.filter(nothing, seen.node("a")) is None


def test_users_of_the_node_that_have_nothing_to_do_with_the_driver_take_no_room():
    """One has no volumes, one an inline volume, and a CSINode without a node is nobody's."""
    others = (pod("plain", "a"), pod("inline", "a", volumes=[{"name": "tmp", "emptyDir": {}}]))
    assert verdicts(pod(volumes=uses("z")), *NODES, csi_node(), csi_node("gone"), *USED, *others) == FULL


def test_a_claim_of_an_in_tree_class_counts_only_where_the_plugin_is_migrated():
    old = (storage_class("gp2", "kubernetes.io/aws-ebs"), claim("new", storageClassName="gp2"))
    assert verdicts(pod(volumes=uses("new")), *NODES, csi_node(count=0, driver="ebs.csi.aws.com"), *old) == FREE


def test_every_driver_of_the_pod_is_asked():
    other = (claim("o", bound="pv-o"), csi_volume("pv-o", "other"))
    for names in (("o", "z"), ("z", "o")):
        assert verdicts(pod(volumes=uses(*names)), *NODES, csi_node(), *USED, *other) == FULL


def test_pods_whose_volumes_a_driver_attaches_in_a_limited_number_take_parts_of_one_thing():
    from kubelint_gpu.scheduler.relations import slots

    found = snapshot(*NODES, csi_node(), *stored("x"))
    assert slots(read_pod(pod(volumes=uses("x"))), found) == {DRIVER}
    assert slots(read_pod(pod()), found) == frozenset()
    assert slots(read_pod(pod(volumes=uses("x"))), snapshot(*NODES, csi_node(count=None), *stored("x"))) == frozenset()
