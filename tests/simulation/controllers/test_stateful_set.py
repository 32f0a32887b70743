"""What the controller of a StatefulSet says of itself before any search.

StatefulSets: which pod goes and which is made, with the numbers written here.
"""

from __future__ import annotations

import pytest
from rollout_objects import cluster, workload

from kubelint_gpu.kube.objects.rolling import IntOrPercent, StatefulSetStrategy
from kubelint_gpu.simulation.controllers import stateful_set
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.stateful_set import PodAction, Replica, at_once, has_max_unavailable

CLAIMS = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}


def claim(name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "d"}}


@pytest.mark.parametrize(("version", "singly"), [("1.34", True), ("1.35.0", False), ("1.35.4", True), (None, True)])
def test_it_replaces_singly_but_where_the_gate_is_on(version, singly):
    found = controller_of(workload("StatefulSet", replicas=4, update={"rollingUpdate": {"maxUnavailable": 2}}))
    assert found.unavailable(4) == 2
    assert found.replaces_singly(4, version) is singly


def test_it_has_claims_of_its_own_where_one_of_an_ordinal_is_there():
    found = controller_of(workload("StatefulSet", "db", replicas=2, more=CLAIMS))
    assert found.has_own_claims(cluster(claim("data-db-1")))
    assert not found.has_own_claims(cluster(claim("data-db-2")))


def test_its_pods_have_the_label_of_their_revision():
    found = controller_of(workload("StatefulSet", "db"))
    assert found.pod("old", "db-0").meta.labels["controller-revision-hash"] == "old"


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
