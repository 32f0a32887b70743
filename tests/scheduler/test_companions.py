"""Which pods a pod must be near to, and how many equal pods a cluster takes."""

from __future__ import annotations

import pytest
from spread_objects import HOST, ZONE, even, node, pod

from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster
from kubelint_gpu.scheduler.companions import attracts_itself, can_share, companions, lone, own_terms, repels
from kubelint_gpu.scheduler.placement.filling import domains


def term(app, key=HOST, **more):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


SNAPSHOT = Snapshot.of(read_cluster([node("one", "a"), node("two", "b"), node("three", "b")]))


def test_a_pod_attracts_itself_only_if_it_meets_all_its_terms():
    assert attracts_itself(pod("a", near=[term("a")]), SNAPSHOT)
    assert not attracts_itself(pod("a", near=[term("a"), term("b")]), SNAPSHOT)
    assert not attracts_itself(pod("a", near=[term("a", namespaces=["other"])]), SNAPSHOT)


def test_one_pod_must_meet_all_terms():
    terms = own_terms(
        pod("a", near=[term("b"), term("c")]), pod("a", near=[term("b"), term("c")]).spec.pod_affinity, SNAPSHOT
    )
    assert companions(terms, [pod("b"), pod("c")]) == []
    assert companions(terms[:1], [pod("b"), pod("c")]) == [pod("b")]


def test_a_term_without_namespaces_is_about_the_own_one_unless_that_is_not_known():
    mine = pod("a", near=[term("b")])
    there = pod("b", namespace="other")
    assert companions(own_terms(mine, mine.spec.pod_affinity, SNAPSHOT), [there]) == []
    assert companions(own_terms(mine, mine.spec.pod_affinity, SNAPSHOT, anywhere=True), [there]) == [there]


def test_a_lone_pod_fits_where_its_companions_would_be():
    mine = pod("a", near=[term("b")])
    assert not attempt(mine, SNAPSHOT).fit.schedulable
    assert attempt(lone(mine, SNAPSHOT), SNAPSHOT).fit.schedulable


def test_a_lone_pod_that_attracts_itself_keeps_its_terms():
    mine = pod("a", near=[term("a", key="rack")])
    assert lone(mine, SNAPSHOT) is mine


@pytest.mark.parametrize(
    ("key", "mine", "theirs", "possible"),
    [
        (HOST, {}, {}, True),
        (HOST, {"pool": "x"}, {"pool": "x"}, True),
        (HOST, {"pool": "x"}, {"pool": "y"}, False),
        (ZONE, {"pool": "x"}, {"pool": "y"}, True),
        (ZONE, {ZONE: "a"}, {ZONE: "b"}, False),
        (ZONE, {ZONE: "a"}, {ZONE: "a", "pool": "y"}, True),
    ],
)
def test_two_pods_can_share_a_domain_if_what_they_require_allows_it(key, mine, theirs, possible):
    assert can_share(key, pod("a", nodeSelector=mine).spec, pod("b", nodeSelector=theirs).spec) is possible


@pytest.mark.parametrize(
    ("anti", "key", "kept"), [(HOST, HOST, True), (ZONE, ZONE, True), (HOST, ZONE, False), (ZONE, HOST, True)]
)
def test_anti_affinity_repels_within_its_own_domain(anti, key, kept):
    owner, other = pod("b", apart=[term("a", key=anti)]), pod("a")
    (found,) = own_terms(owner, owner.spec.pod_anti_affinity, SNAPSHOT)
    assert repels(found, owner, other, key) is kept
    assert not repels(found, owner, owner, key)


def test_domains_are_those_of_the_nodes_that_the_policies_include():
    mine = pod(spread=[even()], nodeSelector={ZONE: "b"})
    assert domains(mine, mine.spec.spread[0], SNAPSHOT) == ("b",)
    mine = pod(spread=[even(nodeAffinityPolicy="Ignore")], nodeSelector={ZONE: "b"})
    assert domains(mine, mine.spec.spread[0], SNAPSHOT) == ("a", "b")
