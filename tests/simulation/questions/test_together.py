"""Rollouts that begin at the same moment: one that never ends by itself may block one that does."""

from __future__ import annotations

import pytest
from change_cases import GIVES, findings_of, made, on
from change_cases import inventory as room
from checks_units import deployment, findings

AWAY = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"


def inventory(*gpus):
    nodes = "".join(
        f"  - name: n{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return (
        f'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n{nodes}'
        "priorityClasses:\n  - {name: serving, value: 1000}\n"
    )


def both(strategy=""):
    daemons = deployment(name="d").replace("kind: Deployment", "kind: DaemonSet")
    return f"{daemons}---\n{deployment(name='a', spec=strategy)}"


@pytest.mark.parametrize(
    ("strategy", "gpus", "codes"),
    [
        ("", (1, 2), [("KLG106", "d"), ("KLG101", "a")]),
        (AWAY, (1, 2), [("KLG106", "d")]),
        # the only node that has room for two gives back what it took
        ("", (2,), [("KLG101", "a")]),
        ("", (2, 2), []),
    ],
)
def test_a_pod_that_waits_may_take_what_a_daemon_pod_gives_up(strategy, gpus, codes):
    found = [one for one in findings(both(strategy), inventory(*gpus)) if one.code[:4] == "KLG1"]
    assert sorted((one.code, one.object.rpartition("/")[2]) for one in found) == sorted(codes)


def test_the_blocked_one_is_told_with_whom_and_what_ends_it():
    blocked = findings(both(), inventory(1, 2), "KLG106")[0]
    assert blocked.severity == "warning"
    assert blocked.message == (
        "rolled out together with Deployment serving/a, the rollout may never end: the new pod waits for 1 nvidia.com/gpu "
        "on n1, held by Deployment serving/a"
    )
    assert "roll DaemonSet serving/d out by itself: then it ends" in blocked.help
    (alone,) = findings(both(), inventory(1, 2), "KLG101")
    assert alone.fixes[0].title.partition(",")[0] == "set maxSurge: 0 and maxUnavailable: 1"


def test_one_that_a_rollout_without_an_end_blocks_is_told_too():
    """Seen on a control plane 1.34: what moves onto the nodes of another takes the room that this one gives up."""
    before = made("a", GIVES, replicas=2, pod=on("n2")) + made("b", GIVES, replicas=2, pod=on("n1"))
    after = made("a", GIVES, replicas=2, pod=on("n1")) + made("b", GIVES, replicas=2, pod=on("n1"), more="args: [x]")
    told = [one for one in findings_of(before, after, room(2, 2)) if one.code in ("KLG101", "KLG106")]
    assert [(one.code, one.object.rpartition("/")[2], one.certainty) for one in told] == [
        ("KLG101", "a", "certain"),
        ("KLG106", "b", "possible"),
    ]


def test_one_that_has_too_little_room_anyway_blocks_others_too():
    """Seen on a control plane 1.34: of two pods one runs, on what the other workload gives up."""
    before = made("a", GIVES, replicas=2, pod=on("n2")) + made("b", GIVES, replicas=1, pod=on("n1"))
    after = made("a", GIVES, replicas=2, pod=on("n1")) + made("b", GIVES, replicas=1, pod=on("n1"), more="args: [x]")
    told = [one for one in findings_of(before, after, room(1, 2)) if one.code in ("KLG106", "KLG109")]
    assert {(one.code, one.object.rpartition("/")[2], one.certainty) for one in told} == {
        ("KLG109", "a", "certain"),
        ("KLG106", "b", "possible"),
    }


def test_every_pair_of_a_change_of_many_nodes_is_told():
    names = [f"s{number}" for number in range(6)]
    cluster = room(*[2] * 12)

    def services(node, args):
        for number, name in enumerate(names):
            yield made(f"x{name}", GIVES, replicas=2, pod=on(f"n{number + 1 + node}"))
            yield made(f"y{name}", GIVES, replicas=2, pod=on(f"n{number + 1}"), more=args)

    before, after = "".join(services(6, "")), "".join(services(0, "args: [x]"))
    told = {one.object.rpartition("/")[2] for one in findings_of(before, after, cluster) if one.code == "KLG106"}
    assert told == {f"y{name}" for name in names}
