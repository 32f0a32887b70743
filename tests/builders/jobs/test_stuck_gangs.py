"""Jobs that hold each other up, or wait for what runs for good."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings
from gang_jobs import grows, job
from small_inventories import inventory, running


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
    assert " can block each other until a fails after 600 seconds (activeDeadlineSeconds): " in told


@pytest.mark.parametrize("counted", [True, False])
def test_a_quota_that_refuses_the_next_pod_is_named_and_not_the_nodes(counted):
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        "spec: {hard: {requests.nvidia.com/gpu: 4}}\n"
    )
    text = f"{job('a', 3)}---\n{job('b', 3)}" + (quota if counted else "")
    (found,) = [one for one in findings(text, inventory(nodes=6 if counted else 4)) if one.code == "KLG113"]
    assert ("; the next pod is refused by quota q, which allows 4" in found.message) == counted
    assert any("raise the quota" in one for one in found.help) == counted
    assert any("Kueue admit" in one for one in found.help) != counted


def messages_of(text, nodes):
    return [one.message for one in findings(text, nodes, "KLG113")]


def test_a_job_that_never_has_all_its_pods_holds_what_it_has_for_nothing():
    assert messages_of(job("a", 3), inventory(nodes=2)) == [
        "Job serving/a needs its 3 pods at once and only 2 find room on l4-1 and l4-2: the running pods wait for the rest for ever"
    ]
    assert messages_of(job("a", 3, more="  activeDeadlineSeconds: 600\n"), inventory(nodes=2)) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room on l4-1 and l4-2: the running pods wait for the rest until it fails after 600 "
            "seconds (activeDeadlineSeconds)"
        )
    ]
    assert messages_of(job("a", 3), inventory(nodes=2, scaling=grows(2, 2))) == messages_of(
        job("a", 3), inventory(nodes=2)
    )
    assert messages_of(job("a", 3), inventory(nodes=1, scaling=grows(2, 1))) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room even with pool l4 at its maximum of 2 nodes: "
            "the running pods wait for the rest for ever"
        )
    ]
    assert messages_of(job("a", 3, sign="command: [python, shard.py]"), inventory(nodes=2)) == []
    assert messages_of(job("a", 3, more="  suspend: true\n"), inventory(nodes=2)) == []
    assert messages_of(job("a", 3), inventory(nodes=3, more=running("x", owner="Job/x"))) == [], "it ends some day"
    assert messages_of(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x"))) != []
    assert messages_of(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x", priority="low"))) == []


def test_a_run_of_a_cron_job_needs_its_pods_at_once_too():
    lines = job("a", 3, kind="CronJob").splitlines(keepends=True)
    spec = lines.index("spec:\n")
    inner = "".join(f"    {line}" for line in lines[spec:])
    text = (
        "".join(lines[:spec]) + f'spec:\n  schedule: "0 3 * * *"\n  concurrencyPolicy: Forbid\n  jobTemplate:\n{inner}'
    )
    assert messages_of(text, inventory(nodes=3)) == []
    assert messages_of(text, inventory(nodes=2)) == [
        "a run of CronJob serving/a needs its 3 pods at once and only 2 find room on l4-1 and l4-2: the running pods wait for the rest for ever"
    ]


def test_a_job_beside_what_runs_for_good_may_never_be_whole():
    beside = deployment(spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}") + "---\n"
    assert messages_of(beside + job("a", 3), inventory(nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 3 pods at once and only 2 find room on l4-1, l4-2 and l4-3: the running "
            "pods wait for the rest for ever"
        )
    ]
    assert messages_of(beside + job("a", 3), inventory(nodes=4)) == []
    assert messages_of(beside.replace(": serving\n", ": low\n", 1) + job("a", 3), inventory(nodes=3)) == []
    wide = job("a", 2).replace("gpu: 1", "gpu: 2")
    two = beside.replace("spec:\n", "spec:\n  replicas: 2\n", 1)
    assert messages_of(two + wide, inventory(gpus=2, nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 2 pods at once and as few as 1 finds room on l4-1, l4-2 and l4-3: the "
            "running pods may wait for the rest for ever"
        )
    ]
