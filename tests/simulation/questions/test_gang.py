"""Jobs that hold each other where pods must be near to others, or away from them."""

from __future__ import annotations

import random

import pytest
from rollout_objects import apart, cluster, deployment, job, node

from kubelint_gpu.scheduler import Snapshot, fit_on
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.gang import gang
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))
ON_N = {"nodeSelector": {HOST: "n"}}


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def whole(name, pods, **spec):
    """A Job whose template has the spec of a Deployment with the same pods."""
    return replace(job(name, pods), spec=deployment(name, **spec).spec)


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
