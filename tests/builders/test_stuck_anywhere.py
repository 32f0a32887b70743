"""Rollouts that never end whatever nodes there are."""

from __future__ import annotations

from pathlib import Path

from checks_units import findings
from small_inventories import daemon_set

ROOT = Path(__file__).resolve().parents[2]


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_a_host_port_that_surges_is_found_without_an_inventory():
    port = "ports:\n  - {containerPort: 80, hostPort: 80}"
    (found,) = findings(daemon_set(1, more=port, limits="{}"), "")
    assert (found.code, found.severity) == ("KLG110", "error")
    assert codes(daemon_set(0, 1, more=port, limits="{}"), "") == []


def test_the_limit_of_the_quota_is_shown_without_an_inventory():
    text = (ROOT / "examples/quota/manifest.yaml").read_text()
    (found,) = (one for one in findings(text, "") if one.code == "KLG105")
    told = [one.message for one in found.related]
    assert "the quota allows 2 requests.nvidia.com/gpu" in told
    assert "each pod takes 2 nvidia.com/gpu" in told
