"""Nodes that count as alike: not those of which one has a topology key and the other lacks it."""

from __future__ import annotations

from change_cases import found, inventory, made

APART = (
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: rack, labelSelector: {matchLabels: {app: web}}}]}}\n"
)


def test_pods_on_a_node_without_the_topology_key_do_not_keep_others_away():
    """Played on a control plane 1.34: one on n1, two on n2."""
    cluster = inventory(2, 2).replace("labels: {on: n1}", "labels: {on: n1, rack: r1}")
    assert "KLG109" not in [code for code, _, _ in found("", made("web", replicas=3, pod=APART), cluster)]
    ((code, _, text),) = found("", made("web", replicas=4, pod=APART), cluster)
    assert (code, text.partition(":")[0]) == ("KLG109", "only 3 of 4 replicas can run")
