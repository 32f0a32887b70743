"""Jobs that never have all their pods."""

from __future__ import annotations

from checks_units import deployment, findings
from gang_jobs import grows, job
from small_inventories import inventory, running


def messages(text, nodes):
    return [one.message for one in findings(text, nodes, "KLG113")]


def test_a_job_that_never_has_all_its_pods_holds_what_it_has_for_nothing():
    assert messages(job("a", 3), inventory(nodes=2)) == [
        "Job serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest for ever"
    ]
    assert messages(job("a", 3, more="  activeDeadlineSeconds: 600\n"), inventory(nodes=2)) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest until it fails after 600 "
            "seconds (activeDeadlineSeconds)"
        )
    ]
    assert messages(job("a", 3), inventory(nodes=2, scaling=grows(2, 2))) == messages(job("a", 3), inventory(nodes=2))
    assert messages(job("a", 3), inventory(nodes=1, scaling=grows(2, 1))) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room even with pool l4 at its maximum of 2 nodes: what runs "
            "waits for the rest for ever"
        )
    ]
    assert messages(job("a", 3, sign="command: [python, shard.py]"), inventory(nodes=2)) == []
    assert messages(job("a", 3, more="  suspend: true\n"), inventory(nodes=2)) == []
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="Job/x"))) == [], "it ends some day"
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x"))) != []
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x", priority="low"))) == []


def test_a_run_of_a_cron_job_needs_its_pods_at_once_too():
    lines = job("a", 3, kind="CronJob").splitlines(keepends=True)
    spec = lines.index("spec:\n")
    inner = "".join(f"    {line}" for line in lines[spec:])
    text = (
        "".join(lines[:spec]) + f'spec:\n  schedule: "0 3 * * *"\n  concurrencyPolicy: Forbid\n  jobTemplate:\n{inner}'
    )
    assert messages(text, inventory(nodes=3)) == []
    assert messages(text, inventory(nodes=2)) == [
        "a run of CronJob serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest for ever"
    ]


def test_a_job_beside_what_runs_for_good_may_never_be_whole():
    beside = deployment(spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}") + "---\n"
    assert messages(beside + job("a", 3), inventory(nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 3 pods at once and only 2 find room: what runs waits "
            "for the rest for ever"
        )
    ]
    assert messages(beside + job("a", 3), inventory(nodes=4)) == []
    assert messages(beside.replace(": serving\n", ": low\n", 1) + job("a", 3), inventory(nodes=3)) == []
    wide = job("a", 2).replace("gpu: 1", "gpu: 2")
    two = beside.replace("spec:\n", "spec:\n  replicas: 2\n", 1)
    assert messages(two + wide, inventory(gpus=2, nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 2 pods at once and as few as 1 finds room: what runs may "
            "wait for the rest for ever"
        )
    ]
