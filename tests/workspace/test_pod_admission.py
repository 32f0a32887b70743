"""What admission makes of pods, as the inventory declares it."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, unit

from kubelint_gpu.workspace.pod_admission import spec_as_admitted

OWN = "admission: {extendedResourceToleration: true, defaultTolerations: [{key: team, operator: Exists}]}\n"


@pytest.mark.parametrize(
    ("inventory", "expected"),
    [(NODES, set()), (NODES + OWN, {"nvidia.com/gpu", "team"}), ("", set())],
)
def test_tolerations_that_the_cluster_gives_to_pods_are_there(inventory, expected):
    found = unit(deployment(), inventory)
    workload = found.manifests[0].workload
    spec = spec_as_admitted(workload, found.cluster, found.supply if found.has_nodes else None)
    lifecycle = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}
    assert {one.key for one in spec.tolerations} - lifecycle == expected
    assert lifecycle <= {one.key for one in spec.tolerations}
