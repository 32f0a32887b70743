"""What would help on the nearest nodes, confirmed by the filters."""

from __future__ import annotations

from gpu_objects import confirmed, explained, kinds
from plugin_objects import ZONE, node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster
from kubelint_gpu.scheduler.explain.cluster_changes import (
    PodArrives,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def test_spreading_is_mended_by_pods_of_the_fuller_domain():
    spread = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    incoming = pod(labels={"app": "web"}, topologySpreadConstraints=[spread])
    objects = [node("a", "z1"), node("b", "z1"), node("c", "z2", unschedulable=True)]
    objects += [pod("w1", on="b", labels={"app": "web"}), pod("other", on="b")]
    found = explained(incoming, *objects)
    one = next(one for one in found.classes if one.status.plugin == "PodTopologySpread")
    assert one.nodes == ("a", "b")
    assert [holder.owner.name for holder in one.holders] == ["w1"]
    assert kinds(one) == [("PodsEnd",)]
    assert one.remedies[0].nodes == ("a", "b")
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) > 0


def test_a_pod_that_wants_company_waits_for_it_to_arrive():
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "db"}}}
    objects = [node("a", "z1"), pod("db", on="a", labels={"app": "other"})]
    found = explained(pod(affinity={"podAffinity": {REQUIRED: [term]}}), *objects)
    (change,) = found.classes[0].remedies[0].changes
    assert isinstance(change, PodArrives)
    assert dict(change.pod.meta.labels) == {"app": "db"}
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) == 1


def test_a_missing_claim_rejects_all_nodes_and_nothing_is_proposed():
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]
    found = explained(pod(volumes=volumes), node("a"), node("b"))
    assert [one.status.reasons for one in found.classes] == [('persistentvolumeclaim "none" not found',)]
    assert [one.remedies for one in found.classes] == [()]
