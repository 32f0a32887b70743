"""Clusters of CloudNativePG: the pods that its operator makes of them."""

from __future__ import annotations

import pytest
from checks_units import unit

from kubelint_gpu.engine.asking import drafts_of

CLUSTER = """\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: pg, namespace: serving}
spec:
  instances: %d
  affinity: {%s}
  resources: {requests: {cpu: %d}}
"""
APART = "podAntiAffinityType: required"


@pytest.mark.parametrize(
    ("instances", "affinity", "cpu", "expected"),
    [
        (2, APART, 1, set()),
        (3, APART, 1, {"KLG404"}),
        (3, f"{APART}, enablePodAntiAffinity: false", 1, set()),
        (3, "podAntiAffinityType: preferred", 1, set()),
        (1, f"{APART}, topologyKey: rack", 1, {"KLG405"}),
        (1, "", 17, {"KLG201"}),
        (1, "nodeSelector: {pool: none}", 1, {"KLG402"}),
        (1, "tolerations: [{operator: Exists}], nodeSelector: {pool: gpu}", 1, set()),
    ],
)
def test_each_instance_is_a_pod_that_is_placed_as_the_operator_says(instances, affinity, cpu, expected):
    drafts, _ = drafts_of(unit(CLUSTER % (instances, affinity, cpu)))
    assert {draft.code for draft in drafts if draft.effective_severity != "note"} == expected
