"""Rollouts that never end whatever nodes there are."""

from __future__ import annotations

from checks_units import findings
from small_inventories import daemon_set


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_a_host_port_that_surges_is_found_without_an_inventory():
    port = "ports:\n  - {containerPort: 80, hostPort: 80}"
    (found,) = findings(daemon_set(1, more=port, limits="{}"), "")
    assert (found.code, found.severity) == ("KLG110", "error")
    assert codes(daemon_set(0, 1, more=port, limits="{}"), "") == []
