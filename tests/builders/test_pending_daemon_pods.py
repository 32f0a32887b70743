"""Daemon pods for which a node has no room."""

from __future__ import annotations

from change_cases import inventory as two_nodes
from change_cases import made
from checks_units import deployment, findings
from small_inventories import MOVED, daemon_set, inventory, running, runs


def test_daemon_pods_that_stay_pending_hold_up_the_update_of_the_others():
    nodes = inventory(nodes=2) + "nodes:\n  - {name: cpu-1, allocatable: {cpu: 16, memory: 64Gi}}\n"
    (found,) = findings(daemon_set(0, 1), nodes)
    assert found.message == (
        "of the pods that it makes for 3 nodes, 1 finds no room (on cpu-1): each asks for 1 nvidia.com/gpu, which no such node has, and it stays Pending; while it does, no rolling "
        "update replaces the others (maxUnavailable is 1)"
    )
    assert any(one.message == "cpu-1 has no nvidia.com/gpu" for one in found.related)
    (found,) = findings(daemon_set(0, 2), nodes)
    assert found.message.endswith("and it stays Pending"), "one more may be unavailable"
    (found,) = findings(daemon_set(0, 1), inventory(nodes=2, more=running("other")))
    assert any("holds 1 nvidia.com/gpu on l4-1" in one.message for one in found.related)
    assert found.help == ()


def test_a_gpu_daemon_set_that_finds_a_node_full_is_a_warning():
    """Its controller makes a pod for the full node all the same, and a rolling update halts there."""
    full = inventory(more=running("notebook-0", owner="StatefulSet/research/notebook"))
    for text in (daemon_set(0, 1), daemon_set(1)):
        (found,) = findings(text, full)
        assert (found.code, found.severity) == ("KLG109", "warning")
        assert found.message == (
            "no pod that it makes for 1 node finds room (on l4-1, held by StatefulSet research/notebook), "
            "and it stays Pending"
        )


def test_what_daemon_pods_ask_for_in_vain_is_told_with_what_the_nodes_have():
    (found,) = findings(daemon_set(0, 1).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 2"), inventory(nodes=2))
    assert found.message == (
        "no pod that it makes for 2 nodes finds room (on l4-1 and l4-2): each asks for 2 nvidia.com/gpu, and no such node "
        "has more than 1, and they stay Pending"
    )


def test_daemon_pods_that_wait_because_of_this_change_are_an_error():
    before, after = (made("agent", "", gpus=gpus, kind="DaemonSet").removeprefix("---\n") for gpus in (1, 2))
    nodes = two_nodes(2, 1)
    (found,) = findings(after, nodes, "KLG109", before=before)
    assert (found.severity, found.certainty) == ("error", "certain")
    (found,) = findings(after, nodes, "KLG109")
    assert found.severity == "warning"


def test_on_delete_a_pod_is_made_for_a_node_that_the_template_chooses_since():
    """Seen on a control plane 1.34: the new node is full, the pod of the old one stays."""

    def agent(pod=""):
        text = deployment(name="agent", spec="updateStrategy: {type: OnDelete}", pod=pod)
        return text.replace("kind: Deployment", "kind: DaemonSet")

    web = deployment(name="web", pod="nodeSelector: {kubernetes.io/hostname: n2}")
    cluster = MOVED % (1, 1) + runs("web", "n2") + runs("agent", "n1", "DaemonSet")
    before = f"{agent('nodeSelector: {pool: a}')}---\n{web}"
    [found] = findings(f"{agent()}---\n{web}", cluster, "KLG109", before=before)
    assert "1 finds no room beside the other workloads (on n2, held by Deployment serving/web)" in found.message
    assert (found.severity, found.certainty) == ("error", "certain"), "web never gives its place up"
    free = MOVED % (1, 2) + runs("web", "n2") + runs("agent", "n1", "DaemonSet")
    assert findings(f"{agent()}---\n{web}", free, "KLG109", before=before) == []


def test_a_daemon_set_that_evicts_what_fills_its_nodes_runs_and_its_victims_are_named():
    full = inventory(more=running("notebook-0", owner="StatefulSet/research/notebook", priority="low"))
    for before in ("", deployment(name="other", limits="{cpu: 1}")):
        (found,) = findings(daemon_set(0, 1), full, before=before)
        assert (found.code, found.severity) == ("KLG108", "warning")
        assert found.message == (
            "its new pods (priority 1000) can evict 1 pod of StatefulSet research/notebook (priority 1) from l4-1"
        )


def test_nodes_that_only_a_taint_keeps_daemon_pods_from_are_named():
    taint = "    taints: [{key: gpu, value: a100, effect: NoSchedule}]\n"
    nodes = two_nodes(1, 0).replace("    gpus: {model: L4, count: 1}\n", f"{taint}    gpus: {{model: L4, count: 1}}\n")
    agent = made("agent", "", kind="DaemonSet", pod="tolerations: [{key: gpu, value: h100}]\n").removeprefix("---\n")
    (found,) = findings(agent, nodes, "KLG109")
    assert found.help == (
        "only untolerated taints keep its pods from n1: tolerate gpu=a100:NoSchedule",
        "select only the nodes that have what the pod asks for",
    )
