"""How many pods find room, drains and gangs, where pods must be near to others of the same render or away from them."""

from __future__ import annotations

import random

import pytest
from rollout_objects import apart, budget, cluster, deployment, job, node, pod, recreated, spread, workload

from kubelint_gpu.scheduler import Snapshot, fit_on
from kubelint_gpu.simulation.prepare.coupling import bound_workloads
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.drain import drain
from kubelint_gpu.simulation.questions.gang import gang
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.questions.starved_jobs import running_at_once
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))
ON_N = {"nodeSelector": {HOST: "n"}}
ZONED = (node("n", 4, "a"), node("m", 4, "a"), node("o", 4, "b"))


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def whole(name, pods, **spec):
    """A Job whose template has the spec of a Deployment with the same pods."""
    return replace(job(name, pods), spec=deployment(name, **spec).spec)


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


def test_whose_places_depend_on_each_other():
    one, two, three = deployment("a", affinity=near("b")), deployment("b"), deployment("c", affinity=apart("b"))
    free = deployment("d", affinity=apart("d"))
    found = cluster(*NODES)
    assert bound_workloads(one, [two, three, free], found) == (0, 1)
    assert bound_workloads(two, [one, three, free], found) == (0, 1)
    assert bound_workloads(free, [one, two, three], found) == ()
    elsewhere = replace(two, meta=replace(two.meta, namespace="other"))
    elsewhere = replace(elsewhere, template=replace(elsewhere.template, namespace="other"))
    assert bound_workloads(one, [elsewhere], found) == ()


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


@pytest.mark.parametrize(("gpus", "stranded"), [(4, 0), (3, 0), (1, 1)])
def test_pods_of_a_drained_node_follow_those_that_they_must_be_near_to(gpus, stranded):
    one, other = recreated("a", 2, 2, affinity=near("b")), recreated("b", gpus=0)
    found = drain([one, other], cluster(node("n", 4), node("m", gpus), budget("p", "a", maxUnavailable=2)))
    mine = [each for each in found if each.owner == "Deployment/d/a"]
    assert sum(each.pods for each in mine) == 2
    if gpus == 4:
        assert [each.stranded for each in mine] == [0]
    else:
        assert [each.stranded for each in mine] == [1 + stranded]


def test_pods_that_cannot_follow_are_stranded():
    one, other = recreated("a", 2, affinity=near("b")), recreated("b", gpus=0, **ON_N)
    limits = budget("p", "a", maxUnavailable=1)
    (held,) = [each for each in drain([one, other], cluster(*NODES, limits)) if each.owner == "Deployment/d/a"]
    assert (held.pods, held.stranded, held.allowed, held.blocked, held.decided) == (2, 2, 1, True, True)
    free = recreated("b", gpus=0)
    (let,) = [each for each in drain([one, free], cluster(*NODES, limits)) if each.owner == "Deployment/d/a"]
    assert (let.pods, let.stranded, let.blocked) == (2, 0, False)


def test_a_running_pod_of_others_leaves_the_node_too():
    one = recreated("a", 2, affinity=near("b"))
    limits = budget("p", "a", maxUnavailable=1)
    owned = {"owner": ("ReplicaSet", "b-1"), "labels": {"app": "b"}}
    (found,) = drain([one], cluster(*NODES, limits, pod("b-1-x", "n", 0, **owned)))
    assert (found.node, found.pods, found.stranded) == ("n", 2, 0)
    daemon = {"owner": ("DaemonSet", "b"), "labels": {"app": "b"}}
    (found,) = drain([one], cluster(*NODES, limits, pod("b-1-x", "n", 0, **daemon)))
    assert (found.node, found.pods, found.stranded) == ("n", 2, 2)
    (found,) = drain([one], cluster(*NODES, limits, *(pod(f"b-{name}", name, 0, **daemon) for name in "nmo")))
    assert (found.pods, found.stranded) == (2, 0)


def test_pods_kept_away_by_others_find_no_room_elsewhere():
    one, other = recreated("a", 2, affinity=apart("b")), recreated("b", 2, 0, affinity=apart("b"))
    found = drain([one, other], cluster(*NODES, budget("p", "a", maxUnavailable=1)))
    mine = [each for each in found if each.owner == "Deployment/d/a"]
    assert [(each.pods, each.stranded) for each in mine] in ([(2, 2)], [(1, 1), (1, 1)])


def test_a_cordoned_node_that_is_no_domain_any_more_leaves_it_open():
    constraint = spread("a", nodeTaintsPolicy="Honor")
    one = recreated("a", 3, topologySpreadConstraints=constraint)
    found = drain([one], cluster(*NODES, budget("p", "a", maxUnavailable=1)))
    assert {each.decided for each in found} == {False}


def test_a_job_near_to_a_service_has_the_room_that_is_there():
    service = deployment("b", 1, 2)
    assert running_at_once(whole("a", 4, affinity=near("b")), [service], cluster(*NODES)) == (2, 2)
    assert running_at_once(whole("a", 4, affinity=near("b")), [], cluster(*NODES)) is None
    two = deployment("b", 2, 2)
    assert running_at_once(whole("a", 4, affinity=near("b")), [two], cluster(*NODES)) == (0, 4)


@pytest.mark.parametrize("terms", [near("s"), apart("t")])
def test_jobs_hold_each_other_where_a_service_leaves_them_too_few_nodes(terms):
    services = [deployment("s", gpus=0, **ON_N), deployment("t", 2, 0, affinity=apart("t"))]
    services[1] = replace(services[1], spec=replace(services[1].spec, pod_anti_affinity=apart_from("s", "t")))
    jobs = [whole(name, 3, affinity=terms) for name in ("a", "b")]
    assert gang(jobs, cluster(*NODES)).verdict is (None if "podAffinity" in terms else Verdict.COMPLETES)
    found = gang(jobs, cluster(*NODES), beside=services)
    assert found.verdict is Verdict.MAY_STICK
    assert {one.nodes for one in found.held} == {("n",)}


def apart_from(*names):
    return tuple(term for name in names for term in deployment("x", affinity=apart(name)).spec.pod_anti_affinity)


def _gang_by_hand(jobs, services, found):
    """What becomes of Jobs beside services in any placement: each pod by itself, and every order."""
    pods = {one.meta.name: created_pod(one, "old") for one in (*jobs, *services)}

    def numbered(name, number):
        return replace(pods[name], meta=replace(pods[name].meta, name=f"{name}-{number}", uid=f"{name}-{number}"))

    def filled(where):
        snapshot = Snapshot.of(found)
        for number, (name, target) in enumerate(sorted(where)):
            snapshot = snapshot.place(numbered(name, number), target)
        return snapshot

    def one_more(name, where):
        snapshot = filled(where)
        for info in snapshot.nodes:
            if fit_on(numbered(name, 99), snapshot, info.name) is None:
                yield (*where, (name, info.name))

    starts, queue = set(), [((), tuple((one.meta.name, one.replicas) for one in services))]
    while queue:
        where, left = queue.pop()
        if not any(count for _, count in left):
            starts.add(tuple(sorted(where)))
        for name, count in left:
            rest = tuple((other, more - (other == name)) for other, more in left)
            queue += [(after, rest) for after in one_more(name, where)] if count else []
    wanted = {one.meta.name: one.replicas for one in jobs}
    first = [(start, tuple(sorted(wanted.items()))) for start in starts]
    edges, order = {}, list(first)
    for where, left in order:
        if (where, left) in edges:
            continue
        following = []
        for name, count in left:
            if count:
                rest = tuple((other, more - (other == name)) for other, more in left)
                following += [(tuple(sorted(after)), rest) for after in one_more(name, where)]
            elif any(one == name for one, _ in where):
                following.append((tuple(one for one in where if one[0] != name), left))
        edges[where, left] = following
        order += following
    over = {state for state, after in edges.items() if not after and not any(count for _, count in state[1])}
    alive, grew = set(over), True
    while grew:
        more = {state for state, after in edges.items() if state not in alive and not alive.isdisjoint(after)}
        alive, grew = alive | more, bool(more)
    if not first:
        return None
    if len(alive) == len(edges):
        return Verdict.COMPLETES
    return Verdict.MAY_STICK if alive.intersection(first) else Verdict.STUCK


@pytest.mark.parametrize("seed", range(60))
def test_jobs_beside_services_are_judged_as_by_hand(seed):
    rng = random.Random(f"gang {seed}")
    nodes = [node(f"n{number}", rng.choice([1, 2, 2]), rng.choice("ab")) for number in range(rng.randint(2, 3))]

    def terms():
        key = rng.choice([HOST, "zone"])
        return rng.choice([{"affinity": near("s", key)}, {"affinity": apart("s", key)}, {}])

    jobs = [whole(name, rng.choice([1, 2]), **terms()) for name in ("a", "b")]
    service = deployment("s", rng.choice([1, 2]), 0, **(rng.choice([{}, {"affinity": apart("s")}])))
    expected = _gang_by_hand(jobs, [service], cluster(*nodes))
    found = gang(jobs, cluster(*nodes), beside=[service])
    if found.lone or expected is None:
        assert found.verdict is None
    else:
        assert found.verdict is expected


def test_a_job_near_to_pods_of_another_job_is_not_alone():
    jobs = [whole("a", 2), whole("b", 2, affinity=near("a"))]
    found = gang(jobs, cluster(node("n", 4), node("m", 4)))
    assert found.lone == ()
    assert found.verdict is not None
