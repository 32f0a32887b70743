"""What is used on a node."""

from __future__ import annotations

from plugin_objects import node, pod

from kubelint_gpu.scheduler import (
    Snapshot,
    fit,
    read_cluster,
    read_pod,
)


def test_a_port_that_two_pods_share_is_taken_until_both_are_gone():
    port = [{"name": "c", "ports": [{"hostPort": 80}]}]
    snapshot = Snapshot.of(read_cluster([node("n"), pod("a", "n", containers=port), pod("b", "n", containers=port)]))
    incoming = read_pod(pod(containers=port))
    snapshot = snapshot.remove("default/a")
    assert fit(incoming, snapshot).fits == ()
    assert fit(incoming, snapshot.remove("default/b")).fits == ("n",)
