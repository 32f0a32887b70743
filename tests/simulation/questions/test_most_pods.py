"""How many pods find room near to others of the same render, or away from them."""

from __future__ import annotations

import random

import pytest
from rollout_objects import apart, cluster, deployment, node, pod, spread, workload

from kubelint_gpu.scheduler import Snapshot, fit_on
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))
ON_N = {"nodeSelector": {HOST: "n"}}
ZONED = (node("n", 4, "a"), node("m", 4, "a"), node("o", 4, "b"))


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.mark.parametrize(("key", "room"), [(HOST, 4), ("zone", 8)])
def test_as_many_find_room_as_there_is_near_to_pods_of_another_workload(key, room):
    one, other = deployment("a", affinity=near("b", key)), deployment("b", gpus=0)
    assert placeable(one, cluster(*ZONED), 12, beside=[other]) == room
    assert placeable(one, cluster(*ZONED), 12, beside=[replace(other, replicas=3)]) == 12


def test_what_another_workload_takes_itself_is_no_room():
    assert placeable(deployment("a", affinity=near("b")), cluster(*NODES), 12, beside=[deployment("b", 1, 2)]) == 2


@pytest.mark.parametrize("mine", [True, False])
def test_nobody_finds_room_where_pods_of_another_workload_keep_it_away(mine):
    keeps = {"affinity": apart("b" if mine else "a")}
    one, other = deployment("a", **keeps) if mine else deployment("a"), deployment("b", 2, 0, **({} if mine else keeps))
    assert placeable(one, cluster(*NODES), 12, beside=[other]) == 8
    alone = deployment("b", 2, 0, affinity=apart("b"))
    if mine:
        assert placeable(one, cluster(*NODES), 12, beside=[alone]) == 4


def test_spreading_counts_pods_of_another_workload():
    exists = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
    both = [{**one, "labelSelector": exists, "maxSkew": 3} for one in spread("a")]
    one, other = deployment("a", gpus=0, topologySpreadConstraints=both), deployment("b", 2, 0, **ON_N)
    closed = {**node("m"), "spec": {"taints": [{"key": "t", "value": "", "effect": "NoSchedule"}]}}
    assert placeable(one, cluster(node("n"), closed), 9) == 3
    assert placeable(one, cluster(node("n"), closed), 9, beside=[other]) == 1


def test_daemon_pods_are_where_their_nodes_are():
    daemon = workload("DaemonSet", "b", gpus=1, **ON_N)
    assert placeable(deployment("a", affinity=near("b")), cluster(*NODES), 12, beside=[daemon]) == 3


def test_where_the_companion_is_known_to_run_it_stays():
    one, other = deployment("a", affinity=near("b")), deployment("b", gpus=0)
    running = pod("b-1", "s", 0, labels={"app": "b"})
    assert placeable(one, cluster(node("s", 1), *NODES, running), 12, beside=[other]) == 1


def _takers(mine, snapshot):
    return [info.name for info in snapshot.nodes if fit_on(mine, snapshot, info.name) is None]


def _naive(one, others, found, most):
    """The most pods of one in any order of placing all of the others and then some more of it; None where they never fit."""
    best = None
    seen = set()
    todo = {other.meta.name: (created_pod(other, "old"), other.replicas) for other in others}
    todo["a"] = (created_pod(one, "old"), most)

    def place(snapshot, left, where):
        nonlocal best
        key = (tuple(sorted(left.items())), tuple(sorted(where)))
        if key in seen:
            return
        seen.add(key)
        if not any(count for name, count in left.items() if name != "a"):
            best = max(best or 0, most - left["a"])
        scaled = most - one.replicas
        first = {name: count - scaled if name == "a" else count for name, count in left.items()}
        early = [name for name, count in first.items() if count > 0 and _takers(todo[name][0], snapshot)]
        for name, count in left.items():
            if early and name not in early:
                continue
            for target in [info.name for info in snapshot.nodes] if count else []:
                mine = todo[name][0]
                mine = replace(mine, meta=replace(mine.meta, name=f"{name}-{count}", uid=f"{name}-{count}"))
                if fit_on(mine, snapshot, target) is None:
                    place(snapshot.place(mine, target), {**left, name: count - 1}, (*where, (name, target)))

    place(Snapshot.of(found), {name: count for name, (_, count) in todo.items()}, ())
    return best


@pytest.mark.parametrize("seed", range(60))
def test_the_room_beside_others_is_that_of_the_best_of_all_orders(seed):
    rng = random.Random(seed)
    nodes = [node(f"n{number}", rng.choice([1, 2, 3]), rng.choice("ab")) for number in range(rng.randint(2, 3))]

    def terms(name):
        key = rng.choice([HOST, "zone"])
        kind = rng.choice(["near", "apart", "spread", "", "own"])
        if kind == "near":
            return {"affinity": near(name, key)}
        if kind == "spread":
            return {"topologySpreadConstraints": spread(name, key)}
        return {"affinity": apart(name, key)} if kind == "apart" else {}

    one = deployment("a", gpus=rng.choice([0, 1]), **terms("b"))
    others = [
        deployment("b", rng.randint(1, 2), rng.choice([0, 1]), **(terms("c") if rng.random() < 0.3 else terms("b")))
    ]
    if rng.random() < 0.4:
        others.append(deployment("c", 1, rng.choice([0, 1]), **terms("a")))
    expected = _naive(one, others, cluster(*nodes), 4)
    if expected is not None:
        assert placeable(one, cluster(*nodes), 4, beside=others) == expected
