"""Jobs that hold each other up, or wait for what runs for good."""

from __future__ import annotations

import pytest
from checks_units import findings
from gang_jobs import grows, job
from small_inventories import inventory


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


@pytest.mark.parametrize(
    ("second", "nodes", "expected"),
    [
        (job("b", 2), inventory(nodes=3), ["KLG113"]),
        (job("b", 3), inventory(nodes=4), ["KLG113"]),
        (job("b", 3), inventory(nodes=6), []),
        (job("b", 3), inventory(nodes=4, scaling=grows(6)), []),
        (job("b", 3, sign="command: [python, shard.py]"), inventory(nodes=4), []),
        (job("b", 3, more="  suspend: true\n"), inventory(nodes=4), []),
        (job("b", 5), inventory(nodes=4), ["KLG113"]),
        (job("b", 5), inventory(nodes=4, scaling=grows(5)), []),
        (job("b", 1), inventory(nodes=3), []),
    ],
    ids=[
        "split-unevenly",
        "split",
        "room",
        "grows",
        "independent",
        "suspended",
        "never-fits",
        "grows-to-fit",
        "single",
    ],
)
def test_jobs_hold_each_other_only_where_each_can_have_a_part_and_waits_for_all(second, nodes, expected):
    assert codes(job("a", 3) + "---\n" + second, nodes) == expected


def messages(text, nodes):
    return [one.message for one in findings(text, nodes, "KLG113")]


def test_of_jobs_that_hold_each_other_the_first_deadline_is_told():
    both = job("a", 3, more="  activeDeadlineSeconds: 600\n") + "---\n" + job("b", 2)
    (told,) = messages(both, inventory(nodes=3))
    assert " can hold each other up until a fails after 600 seconds (activeDeadlineSeconds): " in told


@pytest.mark.parametrize("counted", [True, False])
def test_a_quota_that_refuses_the_next_pod_is_named_and_not_the_nodes(counted):
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        "spec: {hard: {requests.nvidia.com/gpu: 4}}\n"
    )
    text = f"{job('a', 3)}---\n{job('b', 3)}" + (quota if counted else "")
    (found,) = [one for one in findings(text, inventory(nodes=6 if counted else 4)) if one.code == "KLG113"]
    assert ("; the next pod is refused by quota q, which allows 4" in found.message) == counted
    assert any("let the quota allow" in one for one in found.help) == counted
    assert any("Kueue admit" in one for one in found.help) != counted
