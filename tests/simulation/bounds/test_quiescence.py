"""Rollouts that never wait for good, told by a bound; the search says the same wherever it answers."""

from __future__ import annotations

import random

import pytest
from left_out import without
from rollout_objects import apart, cluster, deployment, node, pod, quota, same, spread, workload
from spread_workloads import nodes, over_zones, random_workloads, verdict_of, w

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict

RANDOM_CASES = 120


@pytest.mark.parametrize(
    ("replicas", "zones"),
    [(6, "abc"), (6, "abcabc"), (9, "abc"), (9, "abcabc"), (6, "aabb"), (8, "abcd"), (30, "abcabc")],
)
def test_pods_spread_over_zones_with_room_are_never_refused(replicas, zones):
    assert verdict_of(w(replicas, over_zones()), on=nodes(*zones, gpus=32)) == (Verdict.COMPLETES, True)


@pytest.mark.parametrize("replicas", [6, 12])
def test_nor_are_pods_spread_over_hosts_or_by_revision(replicas):
    on = nodes(*"abcabc")
    assert verdict_of(w(replicas, spread("w")), on=on) == (Verdict.COMPLETES, True)
    keys = {"matchLabelKeys": ["pod-template-hash"]}
    on = nodes(*"abcabc", gpus=32)
    assert verdict_of(w(replicas, over_zones(**keys)), on=on) == (Verdict.COMPLETES, True)


def test_a_zone_without_room_for_what_the_emptiest_one_can_hold_is_left_to_the_search():
    # at a rest five pods are there, so that the emptiest zone can have one and must take another
    assert verdict_of(w(6, over_zones()), on=[*nodes(*"ab"), node("n2", 2, zone="c")]) == (Verdict.COMPLETES, True)
    tight = [*nodes(*"ab", gpus=4), node("n2", 1, zone="c")]
    assert verdict_of(w(3, over_zones()), on=tight)[1] is False


def test_a_domain_that_counts_and_takes_no_pod_keeps_the_others_low():
    taint = {"key": "t", "value": "", "effect": "NoSchedule"}
    on = nodes(*"abc", taints={2: taint})
    assert verdict_of(w(2, over_zones()), on=on) == (Verdict.STUCK, False)
    assert verdict_of(w(2, over_zones(maxSkew=3)), on=on) == (Verdict.COMPLETES, True)
    assert verdict_of(w(4, over_zones(nodeTaintsPolicy="Honor")), on=on) == (Verdict.COMPLETES, True)


def test_a_node_selector_takes_domains_away_unless_the_policy_ignores_it():
    on = [*nodes(*"ab"), node("n2", 8, zone="c", other="1")]
    for one in on[:2]:
        one["metadata"]["labels"]["pool"] = "x"
    chosen = {"nodeSelector": {"pool": "x"}}
    assert verdict_of(w(4, over_zones(), **chosen), on=on) == (Verdict.COMPLETES, True)
    ignoring = over_zones(nodeAffinityPolicy="Ignore")
    assert verdict_of(w(2, ignoring, surge=1, unavailable=0, **chosen), on=on) == (Verdict.STUCK, False)


def test_too_few_domains_leave_each_no_more_than_the_skew():
    on = nodes(*"ab")
    assert verdict_of(w(4, over_zones(minDomains=3, maxSkew=3)), on=on) == (Verdict.COMPLETES, True)
    assert verdict_of(w(4, over_zones(minDomains=3, maxSkew=2)), on=on) == (Verdict.COMPLETES, True)
    found = verdict_of(w(4, over_zones(minDomains=3, maxSkew=2), surge=1, unavailable=0), on=on)
    assert found == (Verdict.STUCK, False)


def test_zones_and_hosts_at_once():
    both = (over_zones(), spread("w"))
    assert verdict_of(w(6, *both), on=nodes(*"abcabc")) == (Verdict.COMPLETES, True)
    assert verdict_of(w(6, *both), on=nodes(*"abc")) == (Verdict.COMPLETES, True)
    # the emptiest zone can be the one of a full host, and the emptiest host in another zone
    assert not verdict_of(w(4, *both, surge=1, unavailable=0), on=nodes(*"abb"))[1]


def test_pods_of_others_that_are_counted_count():
    running = [pod(f"x-{i}", "n0", labels={"app": "w", "of": "x"}, owner=("ReplicaSet", "x-1")) for i in range(3)]
    on = [*nodes(*"ab", gpus=32), *running]
    assert verdict_of(w(4, over_zones()), on=on) == (Verdict.COMPLETES, True)
    # the zone that is behind must take all of them: there is no room for that
    assert verdict_of(w(4, over_zones()), on=[node("n0", 32, zone="a"), node("n1", 3, zone="b"), *running])[1] is False


def test_others_that_can_fill_each_zone_but_the_old_one_and_no_two_keep_no_pod_out():
    small = [node(f"a{number}", 1, zone="a") for number in range(3)]
    on = [*small, node("b", 4, zone="b"), node("c", 4, zone="c")]
    others = [deployment("v", 4, 1)]
    assert verdict_of(w(1, over_zones()), *others, on=on) == (Verdict.COMPLETES, True)
    more = [deployment("v", 7, 1)]
    assert verdict_of(w(1, over_zones()), *more, on=on)[0] is not Verdict.COMPLETES


def test_pods_apart_by_host_with_a_host_more_than_there_can_be():
    assert verdict_of(w(4, affinity=apart("w")), on=nodes(*"abca")) == (Verdict.COMPLETES, True)
    grown = judge(
        [
            type(same(w(1))[0])(w(4, affinity=apart("w"), gpus=2), w(4, affinity=apart("w"))),
            *same(deployment("v", 3, 1, affinity=apart("w"))),
        ],
        cluster(*nodes(*"abcabcabc")),
    )[0]
    assert (grown.verdict, grown.runs.searched) == (Verdict.COMPLETES, False)


def in_quota(seed):
    draw = random.Random(seed)
    workloads, held = [], 0
    for name in ("v", "w"):
        replicas, gpus, surge = draw.randint(1, 3), draw.randint(1, 2), draw.randint(0, 1)
        unavailable = draw.choice([1 - surge, 1])
        workloads.append(deployment(name, replicas, gpus, surge=surge, unavailable=unavailable))
        held += replicas * gpus
    where = cluster(*nodes("a", gpus=20), quota(held + draw.randint(0, 3)))
    found = [*judge(same(*workloads), where), *judge_together(same(*workloads), where)]
    return [one.verdict for one in found]


@pytest.mark.thorough
def test_the_search_says_the_same_of_quotas(pinned):
    ends = 0
    for seed in range(40):
        with without("quiescence"):
            searched = in_quota(seed)
        for verdict, found in zip(in_quota(seed), searched, strict=True):
            assert found in (verdict, Verdict.UNDECIDED), seed
            ends += verdict is found is Verdict.COMPLETES
    pinned(drawn=40, ends=ends)


def together(*workloads, on):
    found = judge_together(same(*workloads), cluster(*on))
    return [(one.verdict, not one.runs.searched) for one in found]


def test_daemon_sets_that_roll_with_others_end_where_no_node_can_be_filled():
    web = deployment("web", 5, 1)
    ordinals = workload("StatefulSet", "db", 3, 2)
    agent = workload("DaemonSet", "agent", gpus=1)
    assert together(web, ordinals, agent, on=nodes(*"aaa", gpus=12)) == [(Verdict.COMPLETES, True)]
    assert together(deployment("web", 2, 1), agent, on=nodes(*"aa", gpus=2)) == [(Verdict.MAY_STICK, False)]


def verdicts(seed):
    workloads, on = random_workloads(random.Random(seed))
    transitions, where = same(*workloads), cluster(*on)
    alone = [(one.verdict, not one.runs.searched) for one in judge(transitions, where, budget=3_000)]
    return [*alone, *((one.verdict, not one.runs.searched) for one in judge_together(transitions, where, budget=3_000))]


@pytest.mark.thorough
def test_the_search_never_contradicts_the_bound(pinned):
    bounded = {seed: verdicts(seed) for seed in range(RANDOM_CASES)}
    decided = 0
    for seed, by_bound in bounded.items():
        if all(known is not True for _, known in by_bound):
            continue
        with without("quiescence"):
            again = verdicts(seed)
        for (verdict, _), (searched, found_by_bound) in zip(by_bound, again, strict=True):
            if searched is not Verdict.UNDECIDED:
                assert verdict is searched, seed
                decided += verdict is Verdict.COMPLETES and not found_by_bound
    assert decided
    pinned(drawn=RANDOM_CASES, decided_by_both=decided)
