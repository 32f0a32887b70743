"""What the controller of a StatefulSet says of itself before any search."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, workload

from kubelint_gpu.simulation.controllers.controller_of import controller_of

CLAIMS = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}


def claim(name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "d"}}


@pytest.mark.parametrize(("version", "singly"), [("1.34", True), ("1.35.0", False), ("1.35.4", True), (None, True)])
def test_it_replaces_singly_but_where_the_gate_is_on(version, singly):
    found = controller_of(workload("StatefulSet", replicas=4, update={"rollingUpdate": {"maxUnavailable": 2}}))
    assert found.unavailable(4) == 2
    assert found.replaces_singly(4, version) is singly


def test_it_has_claims_of_its_own_where_one_of_an_ordinal_is_there():
    found = controller_of(workload("StatefulSet", "db", replicas=2, more=CLAIMS))
    assert found.has_own_claims(cluster(claim("data-db-1")))
    assert not found.has_own_claims(cluster(claim("data-db-2")))


def test_its_pods_have_the_label_of_their_revision():
    found = controller_of(workload("StatefulSet", "db"))
    assert found.pod("old", "db-0").meta.labels["controller-revision-hash"] == "old"
