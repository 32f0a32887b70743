"""Runs of one CronJob that overlap: each may hold a part of what both need."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, findings

NODE = GPU_NODE % 4


def cron(pods=3, *, schedule="0 * * * *", spec="", more="", pod="", command="[torchrun, --nnodes=3, train.py]"):
    return (
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly, namespace: serving}\nspec:\n"
        f"  schedule: '{schedule}'\n{spec}  jobTemplate:\n    spec:\n      parallelism: {pods}\n      completions: {pods}\n"
        f"{more}      template:\n        spec:\n          restartPolicy: Never\n          priorityClassName: serving\n{pod}"
        f"          containers: [{{name: main, image: i:1, command: {command}, "
        "resources: {limits: {nvidia.com/gpu: 1}}}]\n"
    )


def told(text, inventory=NODE):
    return findings(text, inventory, "KLG113")


def test_two_runs_can_hold_each_other_up():
    (found,) = told(cron())
    assert found.message == (
        "if a run takes longer than 1 hour, it and the next one can block each other for ever: each runs 2 of 3 pods "
        "on gpu-1, and none gives its part back (concurrencyPolicy is Allow by default)"
    )
    assert (found.severity, found.certainty) == ("note", "possible")
    (fix,) = found.fixes
    assert fix.verified
    assert [edit.text.strip() for edit in fix.edits] == ["concurrencyPolicy: Forbid"]


def test_a_policy_that_is_written_is_where_the_finding_stands_and_what_the_fix_replaces():
    (found,) = told(cron(spec="  concurrencyPolicy: Allow\n"))
    assert (found.place.line, found.message.endswith("(concurrencyPolicy is Allow)")) == (6, True)
    assert [edit.text for edit in found.fixes[0].edits] == ["Forbid"]


@pytest.mark.parametrize(
    ("deadline", "schedule", "silent"),
    [
        (3_599, "0 * * * *", True),
        (3_600, "0 * * * *", False),
        (7_200, "0 * * * *", False),
        (7_200, "0 2 * * *", True),
        (86_399, "0 2 * * MON", True),
        (600, "*/25 * * * *", False),
        (599, "*/25 * * * *", True),
        (599, "nonsense", False),
    ],
)
def test_runs_that_end_before_the_next_one_starts_do_not_overlap(deadline, schedule, silent):
    found = told(cron(schedule=schedule, more=f"      activeDeadlineSeconds: {deadline}\n"))
    assert (found == []) == silent
    assert silent or f"until one fails after {deadline} seconds" in found[0].message


@pytest.mark.parametrize(
    ("text", "inventory"),
    [
        (cron(spec="  concurrencyPolicy: Forbid\n"), NODE),
        (cron(spec="  concurrencyPolicy: Replace\n"), NODE),
        (cron(spec="  suspend: true\n"), NODE),
        (cron(command="[python, one.py]"), NODE),
        (cron(), GPU_NODE % 5),
        (cron(), GPU_NODE % 6),
        (cron(pods=1), GPU_NODE % 1),
        (cron(more="      suspend: true\n"), NODE),
    ],
    ids=["forbid", "replace", "suspended", "independent", "one-is-whole", "both-fit", "one-pod", "jobs-suspended"],
)
def test_what_never_holds_a_part_while_another_run_does(text, inventory):
    assert told(text, inventory) == []


def test_a_cron_job_that_never_has_all_its_pods_is_told_so_and_nothing_else():
    (found,) = told(cron(), GPU_NODE % 2)
    assert "needs its 3 pods at once and only 2 find room" in found.message


def test_pods_of_a_run_that_is_going_do_not_take_room_from_both():
    going = (
        "running:\n  - {name: nightly-28000-a, namespace: serving, node: gpu-1, gpus: 1, priorityClassName: serving, "
        "owner: Job/serving/nightly-28000}\n"
    )
    assert len(told(cron(), NODE + going)) == 1


def test_what_runs_for_good_beside_them_counts_where_it_is_known_to_run():
    going = (
        "running:\n  - {name: other-1, namespace: serving, node: gpu-1, gpus: 1, priorityClassName: serving, "
        "owner: StatefulSet/serving/other}\n"
    )
    assert told(cron(), GPU_NODE % 5) == []
    assert len(told(cron(), GPU_NODE % 5 + going)) == 1


def test_a_pool_that_may_bring_room_for_both_leaves_nothing_to_say():
    pool = (
        "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: '1.34'\npools:\n"
        "  - name: l4\n    count: 4\n    autoscaling: {min: 4, max: %d}\n"
        "    template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}\n"
        "priorityClasses:\n  - {name: serving, value: 1000}\n"
    )
    assert told(cron(), pool % 6) == []
    assert len(told(cron(), pool % 4)) == 1
