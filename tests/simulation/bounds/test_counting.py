"""Rollouts among places that are all alike: counting them says what the search says.

Rollouts of unequal replicas among nodes that are alike, by counting.
"""

from __future__ import annotations

from left_out import without
from rollout_changes import change_case
from rollout_objects import cluster, deployment, judged, node, pod, template
from rollout_reference import program_input

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition

SEEDS = range(30_000, 30_054)
MAY, STUCK, OPEN = Verdict.MAY_STICK, Verdict.STUCK, Verdict.UNDECIDED


def test_counting_alike_places_agrees_with_the_search(pinned):
    cases = [program_input(change_case(seed)) for seed in SEEDS if change_case(seed).works[0].new.port == 0]
    counted = [judge(transitions, nodes)[0] for transitions, nodes in cases]
    compared = 0
    for (transitions, nodes), found in zip(cases, counted, strict=True):
        if not found.runs.searched and found.verdict in (STUCK, MAY):
            with without("counting-shares"):
                searched = judge(transitions, nodes)[0]
            compared += searched.runs.searched
            assert searched.verdict in (found.verdict, OPEN)
    assert compared
    pinned(drawn=len(cases), compared=compared)


def _with_cpu(name, replicas, cpu):
    """A Deployment of a high priority, each pod of which takes a GPU and some CPU."""
    found = template(name, 1)
    found["spec"]["priority"] = 1000
    found["spec"]["containers"][0]["resources"]["requests"] = {"cpu": cpu}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": found}
    meta = {"name": name, "namespace": "d"}
    return read_workload({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec})


def test_a_full_pool_is_counted_beside_weaker_pods_that_hold_what_its_gpus_leave():
    """All pods that can ever be alive want more CPU than a node has; those that get a GPU there never do."""
    nodes = [node(name, 2) for name in "ab"]
    weaker = [pod(f"exporter-{name}", name, 0) for name in "ab"]
    for one in weaker:
        one["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    pool = [_with_cpu(name, 1, "4") for name in ("w", "x", "y", "z")]
    with without("search"):
        found = judged(pool[0], *nodes, *weaker, beside=pool[1:])
    assert (found.verdict, found.by) == (STUCK, "counting-nodes")


def change(name, before, after, gpus=1, *, rolls=True, surge=1, unavailable=0, **spec):
    """A Deployment of so many pods before and after, its template changed, too, where it `rolls`."""
    old, new = (deployment(name, count, gpus, surge, unavailable, **spec) for count in (before, after))
    return Transition(new, old, rolls=rolls, known=True)


def nodes(count, gpus=1):
    return cluster(*[node(f"n{number:02}", gpus) for number in range(count)])


def test_many_rollouts_of_unequal_replicas_all_end_by_counting():
    changes = [change(f"o{number}", 3 + number % 2, 4 - number % 2, unavailable=1) for number in range(8)]
    (together,) = judge_together(changes, nodes(28))
    assert (together.verdict, not together.runs.searched, together.runs.states) == (Verdict.COMPLETES, True, 0)
