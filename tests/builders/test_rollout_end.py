"""Which rule speaks of a rollout that does not end."""

from __future__ import annotations

from checks_units import deployment, findings
from small_inventories import daemon_set, inventory


def stateful_set(replicas, policy="OrderedReady"):
    text = deployment(spec=f"replicas: {replicas}\nserviceName: chat\npodManagementPolicy: {policy}")
    return text.replace("kind: Deployment", "kind: StatefulSet")


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_an_ordered_stateful_set_that_lacks_room_is_one_finding_of_its_own_rule():
    assert codes(stateful_set(2), inventory()) == ["KLG111"]


def test_a_parallel_stateful_set_that_lacks_room_is_missing_capacity():
    assert codes(stateful_set(2, "Parallel"), inventory()) == ["KLG109"]


def test_a_daemon_set_that_surges_is_one_finding_of_its_own_rule():
    (found,) = findings(daemon_set(1), inventory(nodes=2))
    assert (found.code, found.severity, found.place.line) == ("KLG110", "error", 5)
    assert [(fix.safety, fix.verified) for fix in found.fixes] == [("safe", True)]
