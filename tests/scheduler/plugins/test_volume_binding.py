"""Bound volumes, volumes to be found, volumes to be made."""

from __future__ import annotations

import pytest
from plugin_objects import HOST, ZONE, claim, node, pod, snapshot, storage_class, uses, verdicts, volume

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.plugins.volume_binding import (
    BIND_REASON,
    MISSING_REASON,
    PLUGIN,
    STORAGE_REASON,
    UNBOUND_REASON,
)

UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity"
OLD_UNREACHABLE = "node(s) had volume node affinity conflict"
NODES = (node("a", "a"), node("b", "b"))
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")
FAST = storage_class("fast")


def no(*reasons):
    return ("UnschedulableAndUnresolvable", *reasons)


def local(name, **more):
    return volume(name, storageClassName="local", **more)


def wanting(*claims, **more):
    return pod(volumes=uses(*claims), **more)


BOTH = {"a": None, "b": None}
NEITHER = {"a": no(BIND_REASON), "b": no(BIND_REASON)}


@pytest.mark.parametrize(
    "objects",
    [
        (claim("data", storageClassName="now"), storage_class("now", wait=False)),
        (claim("data", storageClassName="gone"),),
        (claim("data"),),
        (claim("data", storageClassName="fast", volumeName="pv"), FAST),
    ],
)
def test_a_claim_that_nobody_delays_must_be_bound(objects):
    assert verdicts(wanting("data"), *NODES, *objects) == UNBOUND_REASON


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            claim("data", bound="pv", status="Lost"),
            'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"',
        ),
        (
            claim("data", meta={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            'persistentvolumeclaim "data" is being deleted',
        ),
    ],
)
def test_a_claim_on_its_way_out_ends_the_attempt(found, text):
    assert verdicts(wanting("data"), *NODES, found) == text


def test_the_claims_are_looked_at_in_the_order_of_the_volumes():
    lost = claim("lost", bound="pv", status="Lost")
    leaving = claim("leaving", meta={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    assert verdicts(wanting("leaving", "lost"), *NODES, lost, leaving).endswith("is being deleted")
    assert verdicts(wanting("lost", "leaving"), *NODES, lost, leaving).endswith('"pv"')


def scratch_volume(**spec):
    return [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}]


SCRATCH = scratch_volume(storageClassName="fast")


def scratch(**reference):
    owner = {"kind": "Pod", "name": "incoming", "uid": "known", "controller": True, **reference}
    return claim("incoming-scratch", storageClassName="fast", meta={"ownerReferences": [owner]})


def test_the_claim_of_a_generic_ephemeral_volume_is_made_when_the_pod_is_there():
    assert verdicts(pod(volumes=SCRATCH), *NODES, FAST) == BOTH
    wanted = pod(volumes=scratch_volume(storageClassName="local"))
    assert verdicts(wanted, *NODES, LOCAL) == NEITHER
    assert verdicts(wanted, *NODES, LOCAL, local("pv", on=["a"])) == {"a": None, "b": no(BIND_REASON)}


def test_a_generic_ephemeral_volume_is_bound_without_a_node_where_its_class_does_not_wait():
    at_once = storage_class("fast", wait=False)
    assert verdicts(pod(volumes=SCRATCH), *NODES, at_once) == BOTH
    nothing = storage_class("fast", "kubernetes.io/no-provisioner", wait=False)
    assert verdicts(pod(volumes=SCRATCH), *NODES, nothing) == UNBOUND_REASON


def test_a_generic_ephemeral_volume_of_a_class_that_nobody_declares_decides_nothing():
    assert verdicts(pod(volumes=SCRATCH), *NODES) == BOTH
    assert verdicts(pod(volumes=scratch_volume()), *NODES) == BOTH


def test_a_generic_ephemeral_volume_without_a_class_is_of_the_default_class():
    meta = {"name": "local", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    default = storage_class("local", "kubernetes.io/no-provisioner", metadata=meta)
    assert verdicts(pod(volumes=scratch_volume()), *NODES, default) == NEITHER


def test_a_claim_that_somebody_else_owns_is_not_the_pods():
    text = "PVC default/incoming-scratch was not created for pod default/incoming (pod is not owner)"
    known = pod(volumes=SCRATCH, meta={"uid": "known"})
    assert verdicts(known, *NODES, FAST, scratch()) == BOTH
    assert verdicts(known, *NODES, FAST, scratch(uid="other")) == text
    nobodys = claim("incoming-scratch", storageClassName="fast")
    assert verdicts(known, *NODES, FAST, nobodys) == text
    # the pods of a template get names of their own
    assert verdicts(pod(volumes=SCRATCH), *NODES, FAST, nobodys) == BOTH


def test_a_pod_without_uid_owns_its_claims_by_name():
    template = pod(volumes=SCRATCH, meta={"uid": ""})
    assert verdicts(template, *NODES, FAST, scratch()) == BOTH


@pytest.mark.parametrize(("version", "reason"), [("1.32", OLD_UNREACHABLE), ("1.33", UNREACHABLE)])
def test_a_bound_volume_must_reach_the_node(version, reason):
    objects = (claim("data", bound="pv"), volume("pv", on=["a"], phase="Bound"))
    assert verdicts(wanting("data"), *NODES, *objects, version=version) == {"a": None, "b": no(reason)}


def test_the_affinity_of_a_volume_looks_at_labels_only():
    fields = [{"key": "metadata.name", "operator": "In", "values": ["x"]}]
    expressions = [{"key": ZONE, "operator": "In", "values": ["a"]}]
    term = {"matchFields": fields, "matchExpressions": expressions}
    affinity = {"required": {"nodeSelectorTerms": [term]}}
    objects = (claim("data", bound="pv"), volume("pv", phase="Bound", nodeAffinity=affinity))
    assert verdicts(wanting("data"), *NODES, *objects) == {"a": None, "b": no(UNREACHABLE)}


def test_a_bound_volume_that_does_not_exist_is_named_where_no_other_plugin_does():
    seen = snapshot(*NODES, claim("data", bound="gone"))
    prepared = PLUGIN.pre_filter(read_pod(wanting("data")), seen)
    assert PLUGIN.filter(prepared.state, seen.node("a")).reasons == (MISSING_REASON,)


def test_the_first_bound_volume_that_fails_hides_the_others():
    objects = (claim("x", bound="pv-x"), volume("pv-x", on=["b"], phase="Bound"), claim("y", bound="gone"))
    seen = snapshot(*NODES, *objects)
    for names, reason in ((("x", "y"), UNREACHABLE), (("y", "x"), MISSING_REASON)):
        prepared = PLUGIN.pre_filter(read_pod(wanting(*names)), seen)
        assert PLUGIN.filter(prepared.state, seen.node("a")).reasons == (reason,)


def test_several_reasons_are_told_together():
    objects = (
        claim("x", bound="pv"),
        volume("pv", on=["b"], phase="Bound"),
        claim("y", storageClassName="local"),
        LOCAL,
    )
    assert verdicts(wanting("x", "y"), *NODES, *objects) == {
        "a": no(UNREACHABLE, BIND_REASON),
        "b": no(BIND_REASON),
    }


def test_without_a_volume_and_without_a_provisioner_no_node_serves():
    assert verdicts(wanting("data"), *NODES, LOCAL, claim("data", storageClassName="local")) == NEITHER
    mute = storage_class("mute", "")
    assert verdicts(wanting("data"), *NODES, mute, claim("data", storageClassName="mute")) == NEITHER


ACCEPTABLE = {"on": ["a"]}


@pytest.mark.parametrize(
    ("asked", "offered", "fits"),
    [
        ({}, {}, True),
        ({}, {"phase": "Released"}, False),
        ({}, {"size": "9Gi"}, False),
        ({"request": None}, {"size": "1"}, True),
        ({"volumeMode": "Block"}, {}, False),
        ({"volumeMode": "Block"}, {"volumeMode": "Block"}, True),
        ({"mode": "ReadWriteMany"}, {}, False),
        ({"mode": "ReadWriteMany"}, {"accessModes": ["ReadWriteOnce", "ReadWriteMany"]}, True),
        ({"selector": {"matchLabels": {"tier": "x"}}}, {}, False),
        ({"selector": {"matchLabels": {"tier": "x"}}}, {"labels": {"tier": "x"}}, True),
        ({"selector": {}}, {}, True),
        ({"volumeAttributesClassName": "gold"}, {}, False),
        ({"volumeAttributesClassName": "gold"}, {"volumeAttributesClassName": "gold"}, True),
        ({}, {"meta": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, False),
        ({}, {"storageClassName": "other"}, False),
        ({}, {"claimRef": {"namespace": "default", "name": "other"}}, False),
        ({}, {"claimRef": {"namespace": "default", "name": "data"}, "phase": "Pending"}, True),
        ({}, {"claimRef": {"namespace": "default", "name": "data", "uid": "older"}}, False),
    ],
)
def test_what_makes_a_volume_serve_a_claim(asked, offered, fits):
    offered = {"storageClassName": "local", **ACCEPTABLE, **offered}
    objects = (LOCAL, claim("data", **{"storageClassName": "local", **asked}), volume("pv", **offered))
    expected = {"a": None if fits else no(BIND_REASON), "b": no(BIND_REASON)}
    assert verdicts(wanting("data"), *NODES, *objects) == expected


def test_the_class_may_stand_in_the_old_annotation():
    beta = {"annotations": {"volume.beta.kubernetes.io/storage-class": "local"}}
    objects = (LOCAL, claim("data", meta=beta, storageClassName="x"), volume("pv", meta=beta, storageClassName="y"))
    assert verdicts(wanting("data"), *NODES, *objects) == BOTH


def test_a_volume_reserved_for_the_claim_is_the_only_one_it_gets():
    mine = local("pv1", on=["b"], claimRef={"namespace": "default", "name": "data"})
    objects = (LOCAL, claim("data", storageClassName="local"), mine, local("pv2", on=["a"]))
    assert verdicts(wanting("data"), *NODES, *objects) == {"a": no(BIND_REASON), "b": None}


def test_small_claims_choose_first_and_take_the_smallest_volume():
    objects = (
        LOCAL,
        claim("large", storageClassName="local", request="10Gi"),
        claim("small", storageClassName="local", request="1Gi"),
        local("pv1", size="20Gi"),
        local("pv2", size="5Gi"),
    )
    assert verdicts(wanting("large", "small"), *NODES, *objects) == BOTH
    assert verdicts(wanting("large", "small"), *NODES, *objects[:-1]) == NEITHER


def test_two_volumes_of_one_claim_ask_for_two():
    """The scheduler does not see that the claims are one."""
    objects = (LOCAL, claim("data", storageClassName="local"), local("pv1"))
    assert verdicts(wanting("data", "data"), *NODES, *objects) == NEITHER


def test_a_provisioner_makes_volumes_where_its_topologies_allow():
    expression = {"key": ZONE, "values": ["a", "c"]}
    zoned = storage_class("zoned", allowedTopologies=[{"matchLabelExpressions": [expression]}])
    nowhere = storage_class("nowhere", allowedTopologies=[{}])
    for found, expected in ((zoned, {"a": None, "b": no(BIND_REASON)}), (nowhere, NEITHER), (FAST, BOTH)):
        name = found["metadata"]["name"]
        assert verdicts(wanting("data"), *NODES, found, claim("data", storageClassName=name)) == expected


def test_a_claim_whose_node_is_chosen_is_made_there_and_nowhere_else():
    chosen = {"annotations": {"volume.kubernetes.io/selected-node": "a"}}
    objects = (FAST, claim("data", storageClassName="fast", meta=chosen), volume("pv", storageClassName="fast"))
    assert verdicts(wanting("data"), *NODES, *objects) == {"a": None, "b": no(BIND_REASON)}


def driver(tracked):
    return {"kind": "CSIDriver", "metadata": {"name": "csi.example"}, "spec": {"storageCapacity": tracked}}


def capacity(name, size, zone="a", **fields):
    topology = None if zone is None else {"matchLabels": {ZONE: zone}}
    found = {"storageClassName": "fast", "nodeTopology": topology, **fields}
    if size is not None:
        found["capacity"] = size
    return {"kind": "CSIStorageCapacity", "metadata": {"name": name, "namespace": "default"}, **found}


FULL = {"a": no(STORAGE_REASON), "b": no(STORAGE_REASON)}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ((), FULL),
        ((capacity("one", "10Gi"),), {"a": None, "b": no(STORAGE_REASON)}),
        ((capacity("one", "9Gi"), capacity("two", None)), FULL),
        ((capacity("one", "10Gi", maximumVolumeSize="1Gi"),), FULL),
        ((capacity("one", "1Gi", maximumVolumeSize="10Gi"),), {"a": None, "b": no(STORAGE_REASON)}),
        ((capacity("one", "10Gi", None),), FULL),
        ((capacity("one", "10Gi", storageClassName="other"),), FULL),
    ],
)
def test_room_is_asked_for_where_the_driver_tracks_it(objects, expected):
    asked = claim("data", storageClassName="fast")
    assert verdicts(wanting("data"), *NODES, FAST, asked, driver(tracked=True), *objects) == expected
    assert verdicts(wanting("data"), *NODES, FAST, asked, driver(tracked=False), *objects) == BOTH


def test_no_size_needs_no_room():
    asked = claim("data", storageClassName="fast", request=None)
    assert verdicts(wanting("data"), *NODES, FAST, asked, driver(tracked=True)) == BOTH


OUTSIDE = ("PreFilterExcluded", "node is filtered out by the prefilter result")


def test_old_releases_narrow_the_nodes_to_those_that_bound_local_volumes_name():
    objects = (claim("data", bound="pv"), volume("pv", on=["a"], phase="Bound"))
    assert verdicts(wanting("data"), *NODES, *objects, version="1.30") == {"a": None, "b": OUTSIDE}


def test_old_releases_say_so_when_no_node_is_left():
    one = (claim("one", bound="pv1"), volume("pv1", on=["a"], phase="Bound"))
    other = (claim("other", bound="pv2"), volume("pv2", on=["b"], phase="Bound"))
    found = verdicts(wanting("one", "other"), *NODES, *one, *other, version="1.30")
    assert found == "node(s) didn't satisfy plugin VolumeBinding"


def test_old_releases_do_not_narrow_by_zone_or_without_the_volume():
    zoned = (claim("data", bound="pv"), volume("pv", on=["a"], key=ZONE, phase="Bound"))
    assert verdicts(wanting("data"), *NODES, *zoned, version="1.30") == {"a": None, "b": no(OLD_UNREACHABLE)}
    seen = snapshot(*NODES, claim("data", bound="gone"), version="1.30")
    assert PLUGIN.pre_filter(read_pod(wanting("data")), seen).nodes is None


def test_old_releases_join_the_terms_of_a_volume():
    terms = [
        {"matchExpressions": [{"key": HOST, "operator": "In", "values": values} for values in both]}
        for both in ((["a", "c"], ["a", "b"]), (["b"],), ())
    ]
    objects = (
        claim("data", bound="pv"),
        volume("pv", phase="Bound", nodeAffinity={"required": {"nodeSelectorTerms": terms}}),
    )
    seen = snapshot(*NODES, *objects, version="1.30")
    assert PLUGIN.pre_filter(read_pod(wanting("data")), seen).nodes == {"a", "b"}


def test_pods_without_claims_are_not_looked_at():
    for volumes in ([], [{"name": "tmp", "emptyDir": {}}]):
        assert PLUGIN.pre_filter(read_pod(pod(volumes=volumes)), snapshot(*NODES)).skip
