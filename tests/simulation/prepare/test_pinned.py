"""Pods that name their node: the kubelet looks at less than the scheduler."""

from __future__ import annotations

from rollout_objects import GPU, deployment, node, workload

from kubelint_gpu.analysis.transitions import as_admitted, names_node
from kubelint_gpu.scheduler import fit, read_cluster
from kubelint_gpu.scheduler.framework.snapshot import Snapshot

APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "w"}}}
        ]
    }
}


def takers(one, *nodes):
    cluster = read_cluster(nodes)
    by_name = {found.name: found for found in cluster.nodes}
    return fit(as_admitted(one, by_name).pod("p"), Snapshot.of(cluster)).fits


def tainted(name, effect):
    return {**node(name), "spec": {"taints": [{"key": "a", "effect": effect}]}}


def test_no_other_node_takes_it_and_no_taint_keeps_it_from_being_placed():
    one = deployment(nodeName="n", affinity=APART)
    assert takers(one, node("n"), node("m")) == ("n",)
    assert takers(one, tainted("n", "NoSchedule")) == ("n",)
    assert takers(one, tainted("n", "NoExecute")) == ()
    assert takers(one, node("n", 0), node("m")) == ()
    assert as_admitted(one, {}) is one
    assert not names_node(deployment(), {})


def test_a_resource_that_the_node_does_not_know_is_not_asked_for():
    unknowing = node("n")
    del unknowing["status"]["allocatable"][GPU]
    assert takers(deployment(nodeName="n"), unknowing) == ("n",)


def test_the_controller_of_a_daemon_set_looks_at_taints_itself():
    assert takers(workload("DaemonSet", nodeName="n"), tainted("n", "NoSchedule")) == ()
