"""ReplicaSet, StatefulSet, DaemonSet, Job and CronJob: the tables, with the numbers written here."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy, IntOrPercent, JobStrategy, StatefulSetStrategy
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.simulation.controllers import daemon_set, stateful_set
from kubelint_gpu.simulation.controllers.daemon_nodes import daemon_nodes, tolerations
from kubelint_gpu.simulation.controllers.daemon_set import DaemonSetLimits, OnNode
from kubelint_gpu.simulation.controllers.job import (
    Progress,
    is_finished,
    on_schedule,
    piles_up,
    stops_for_ever,
    to_create,
    wanted_active,
)
from kubelint_gpu.simulation.controllers.replica_set import Rank, deletion_key
from kubelint_gpu.simulation.controllers.stateful_set import PodAction, Replica, at_once, has_max_unavailable

ORDER = [
    Rank(assigned=False, phase="Pending", ready=False),
    Rank(phase="Pending", ready=False),
    Rank(phase="Unknown", ready=False),
    Rank(ready=False),
    Rank(cost=-1),
    Rank(crowd=3),
    Rank(crowd=2),
    Rank(ready_seconds=3),
    Rank(ready_seconds=100, restarts=5),
    Rank(ready_seconds=100, restarts=1, age_seconds=10),
    Rank(ready_seconds=100, restarts=1, age_seconds=10_000),
]


def test_a_replica_set_deletes_in_the_order_of_the_table():
    assert sorted([*ORDER[5:], *ORDER[:5]], key=deletion_key) == ORDER


def test_a_pending_pod_goes_before_any_that_runs_whatever_its_cost():
    pending = Rank(assigned=False, phase="Pending", ready=False, cost=100)
    assert deletion_key(pending) < deletion_key(Rank(cost=-100))


def test_ages_are_compared_by_their_power_of_two():
    assert deletion_key(Rank(ready_seconds=70)) == deletion_key(Rank(ready_seconds=100))
    assert deletion_key(Rank(ready_seconds=63)) < deletion_key(Rank(ready_seconds=64))


def pods(*codes: str) -> list[Replica]:
    """`o` old, `n` new; capital letters are available; `-` is terminating; `.` is not there."""
    found = []
    for ordinal, code in enumerate(codes):
        if code != ".":
            letter = code[0]
            found.append(Replica(ordinal, letter in "nN", letter.isupper() and len(code) == 1, code.endswith("-")))
    return found


ORDERED, PARALLEL = StatefulSetStrategy(), StatefulSetStrategy(parallel=True)


def acts(strategy: StatefulSetStrategy, *codes: str, gate: bool = False, replicas: int = 0) -> list[str]:
    found = stateful_set.sync(strategy, replicas or len(codes), pods(*codes), gate=gate)
    return [f"{action.act} {action.ordinal}{'n' if action.current else ''}" for action in found]


@pytest.mark.parametrize("gate", [False, True])
def test_three_ordered_replicas_are_replaced_from_the_highest_ordinal_without_spare_room(gate):
    run = [
        (("O", "O", "O"), ["delete 2"]),
        (("O", "O", "o-"), []),
        (("O", "O", "."), ["create 2n"]),
        (("O", "O", "n"), []),
        (("O", "O", "N"), ["delete 1"]),
        (("O", ".", "N"), ["create 1n"]),
        (("O", "N", "N"), ["delete 0"]),
        ((".", "N", "N"), ["create 0n"]),
        (("N", "N", "N"), []),
    ]
    for codes, expected in run:
        assert acts(ORDERED, *codes, gate=gate) == expected, codes
    assert stateful_set.is_complete(ORDERED, 3, pods("N", "N", "N"))
    assert not stateful_set.is_complete(ORDERED, 3, pods("N", "N", "n"))


@pytest.mark.parametrize(
    ("strategy", "gate", "expected"),
    [
        (ORDERED, False, []),
        (ORDERED, True, []),
        (PARALLEL, False, ["delete 2"]),
        (PARALLEL, True, []),
    ],
)
def test_the_forced_rollback_trap(strategy, gate, expected):
    """The highest ordinal runs a template that never gets ready, and the template is corrected: `o` is that pod."""
    assert acts(strategy, "O", "O", "o", gate=gate) == expected


@pytest.mark.parametrize(
    ("version", "gate"),
    [
        ("1.24", False),
        ("1.34.1", False),
        ("v1.35.0-eks-1", True),
        ("1.35.3", True),
        ("1.35.4", False),
        ("1.35.30", False),
        ("1.35", False),
        ("1.36.3", False),
        (None, False),
    ],
)
def test_max_unavailable_is_looked_at_in_the_first_patches_of_1_35_alone(version, gate):
    assert has_max_unavailable(version) is gate


def test_max_unavailable_two_deletes_two_and_an_ordered_set_makes_them_one_by_one():
    two = StatefulSetStrategy(max_unavailable=IntOrPercent(2))
    assert acts(two, "O", "O", "O", gate=True) == ["delete 2", "delete 1"]
    assert acts(two, "O", "O", "O", gate=False) == ["delete 2"]
    assert acts(two, "O", ".", ".", gate=True) == ["create 1n"]
    assert acts(two, "O", "N", ".", gate=True) == ["create 2n"]


@pytest.mark.parametrize(("written", "replicas", "expected"), [(None, 9, 1), ("2", 9, 2), ("25%", 9, 2), ("10%", 9, 1)])
def test_the_share_of_a_stateful_set_rounds_down_to_at_least_one(written, replicas, expected):
    amount = written and IntOrPercent(int(written.rstrip("%")), percent=written.endswith("%"))
    assert at_once(StatefulSetStrategy(max_unavailable=amount), replicas) == expected


def test_ordinals_below_the_partition_keep_the_old_template():
    halved = StatefulSetStrategy(partition=2)
    assert acts(halved, "O", "O", "O", "O") == ["delete 3"]
    assert acts(halved, "O", "O", "N", "N") == []
    assert stateful_set.is_complete(halved, 4, pods("O", "O", "N", "N"))
    assert stateful_set.sync(halved, 4, pods("O", ".", "N", "N"), gate=False) == (
        PodAction("create", 1, current=False),
    )


def test_an_ordered_set_waits_at_the_first_pod_that_is_not_available():
    assert acts(ORDERED, "o", ".", ".") == []
    assert acts(PARALLEL, ".", ".", ".") == ["create 0n", "create 1n", "create 2n"]


def test_scaling_down_goes_from_the_highest_ordinal_one_at_a_time():
    assert acts(ORDERED, "O", "O", "O", replicas=1) == ["delete 2"]
    assert acts(ORDERED, "O", "O", "o-", replicas=1) == []
    assert acts(PARALLEL, "O", "O", "O", replicas=1) == ["delete 2", "delete 1", "delete 0"]


def test_on_delete_replaces_nothing_by_itself():
    assert acts(StatefulSetStrategy(on_delete=True), "O", "O") == []


def test_the_first_ordinal_may_be_another_than_zero():
    later = StatefulSetStrategy(first_ordinal=5)
    assert stateful_set.sync(later, 1, [], gate=False) == (PodAction("create", 5, current=True),)


@pytest.mark.parametrize(
    ("surge", "unavailable", "nodes", "expected"),
    [
        ("0", "1", 3, (0, 1)),
        ("1", "0", 3, (1, 0)),
        ("0", "10%", 11, (0, 2)),
        ("30%", "0", 10, (3, 0)),
        ("0", "0%", 4, (0, 1)),
    ],
)
def test_bounds_of_a_daemon_set_round_up_and_are_never_both_zero(surge, unavailable, nodes, expected):
    def amount(text: str) -> IntOrPercent:
        return IntOrPercent(int(text.rstrip("%")), percent=text.endswith("%"))

    found = daemon_set.resolve(DaemonSetStrategy(max_surge=amount(surge), max_unavailable=amount(unavailable)), nodes)
    assert (found.surge, found.unavailable) == expected


OLD, BROKEN, NEW, YOUNG, GONE, LEFT = (
    OnNode(old=True),
    OnNode(old=False),
    OnNode(new=True),
    OnNode(new=False),
    OnNode(leaving=True),
    OnNode(),
)


@pytest.mark.parametrize(
    ("nodes", "deletes", "one_of", "creates"),
    [
        ((OLD, OLD, OLD), (), (0, 1, 2), ()),
        ((GONE, OLD, OLD), (), (), ()),
        ((LEFT, OLD, OLD), (), (), (0,)),
        ((YOUNG, OLD, OLD), (), (), ()),
        ((NEW, OLD, OLD), (), (1, 2), ()),
        ((BROKEN, OLD, OLD), (0,), (), ()),
        ((BROKEN, BROKEN, OLD), (0, 1), (), ()),
        ((NEW, NEW, NEW), (), (), ()),
    ],
)
def test_without_surge_one_node_at_a_time_and_broken_pods_at_once(nodes, deletes, one_of, creates):
    found = daemon_set.sync(DaemonSetLimits(0, 1), nodes)
    assert (found.delete, found.delete_one_of, found.create) == (deletes, one_of, creates)


@pytest.mark.parametrize(
    ("nodes", "deletes", "one_of", "creates"),
    [
        ((OLD, OLD, OLD), (), (0, 1, 2), ()),
        ((OnNode(True, False), OLD, OLD), (), (), ()),
        ((OnNode(True, True), OLD, OLD), (0,), (1, 2), ()),
        ((BROKEN, OLD, OLD), (), (1, 2), (0,)),
        ((LEFT, NEW, NEW), (), (), (0,)),
    ],
)
def test_with_surge_the_new_pod_comes_first_and_the_old_one_goes_when_it_is_available(nodes, deletes, one_of, creates):
    found = daemon_set.sync(DaemonSetLimits(1, 0), nodes)
    assert (found.delete, found.create_one_of, found.create) == (deletes, one_of, creates)


def node(name: str, *taints: Taint, **labels: str) -> Node:
    return Node(Meta(name, labels=labels), taints=taints)


def test_a_daemon_set_runs_where_labels_and_taints_let_it_whatever_is_free():
    nodes = [
        node("a", gpu="yes"),
        node("b"),
        node("cordoned", Taint("node.kubernetes.io/unschedulable"), gpu="yes"),
        node("tainted", Taint("nvidia.com/gpu", "present"), gpu="yes"),
    ]
    spec = PodSpec(node_selector={"gpu": "yes"})
    assert daemon_nodes(spec, nodes) == ("a", "cordoned")
    tolerant = PodSpec(node_selector={"gpu": "yes"}, tolerations=(Toleration("nvidia.com/gpu", "Exists"),))
    assert daemon_nodes(tolerant, nodes) == ("a", "cordoned", "tainted")
    assert daemon_nodes(PodSpec(node_name="b"), nodes) == ("b",)


def test_the_controller_adds_the_tolerations_of_the_table():
    keys = [
        (one.key.removeprefix("node.kubernetes.io/"), one.effect) for one in tolerations(PodSpec(host_network=True))
    ]
    assert keys == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
        ("network-unavailable", "NoSchedule"),
    ]
    assert len(tolerations(PodSpec())) == 6


@pytest.mark.parametrize(
    ("strategy", "now", "expected"),
    [
        (JobStrategy(3, 5), Progress(), 3),
        (JobStrategy(3, 5), Progress(succeeded=4), 1),
        (JobStrategy(3, 5), Progress(succeeded=5), 0),
        (JobStrategy(3, None), Progress(), 3),
        (JobStrategy(3, None), Progress(active=2, succeeded=1), 2),
        (JobStrategy(3, 5, suspend=True), Progress(), 0),
        (JobStrategy(8, 2), Progress(), 2),
    ],
)
def test_how_many_pods_a_job_wants(strategy, now, expected):
    assert wanted_active(strategy, now) == expected


def test_with_replacement_policy_failed_a_job_waits_for_terminating_pods():
    now = Progress(active=1, terminating=1)
    assert to_create(JobStrategy(3, 3), now) == 2
    assert to_create(JobStrategy(3, 3), now, replaces_terminating=False) == 1


def test_a_work_queue_is_finished_when_one_succeeded_and_none_is_active():
    assert is_finished(JobStrategy(2, None), Progress(succeeded=1))
    assert not is_finished(JobStrategy(2, None), Progress(active=1, succeeded=1))
    assert is_finished(JobStrategy(2, 2), Progress(succeeded=2))


@pytest.mark.parametrize(
    ("policy", "active", "expected"),
    [("Allow", 2, "start"), ("Forbid", 1, "skip"), ("Forbid", 0, "start"), ("Replace", 1, "replace")],
)
def test_what_a_cron_job_does_while_another_job_is_active(policy, active, expected):
    assert on_schedule(JobStrategy(concurrency=policy), active) == expected


def test_forbid_with_a_pod_that_cannot_be_scheduled_never_runs_again():
    assert stops_for_ever(JobStrategy(concurrency="Forbid"), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Forbid", active_deadline_seconds=60), schedulable=False)
    assert not stops_for_ever(JobStrategy(concurrency="Replace"), schedulable=False)
    assert piles_up(JobStrategy(concurrency="Allow"), schedulable=False)
    assert not piles_up(JobStrategy(concurrency="Allow"), schedulable=True)
