"""What there may be beyond the inventory."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, unit

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond


@pytest.mark.parametrize(("pod", "taken"), [("", True), ("nodeSelector: {kubernetes.io/hostname: gpu-1}\n", False)])
def test_further_nodes_take_what_is_not_bound_to_a_declared_one(pod, taken):
    found = unit(deployment(spec="replicas: 2", pod=pod), NODES)
    beyond = cluster_beyond(found)
    assert beyond.known
    assert (found.subjects[0].key in beyond.taken) is taken
    declared = found.cluster.nodes
    assert beyond.cluster.nodes[: len(declared)] == declared
    assert (len(beyond.cluster.nodes) > len(declared)) is taken
