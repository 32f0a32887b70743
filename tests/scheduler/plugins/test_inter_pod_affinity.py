"""Affinity between pods: the examples of the specification, namespaces, symmetry, evictions."""

from __future__ import annotations

import random

import pytest
from plugin_objects import HOST, ZONE, namespace, node, pod, snapshot, verdicts

from kubelint_gpu.scheduler import merged, read_pod
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import (
    AFFINITY_REASON,
    ANTI_AFFINITY_REASON,
    EXISTING_REASON,
    NAME,
    PLUGIN,
)

UNMET = ("UnschedulableAndUnresolvable", AFFINITY_REASON)
CONFLICT = ("Unschedulable", ANTI_AFFINITY_REASON)
REFUSED = ("Unschedulable", EXISTING_REASON)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NODES = (node("a", "a"), node("a2", "a"), node("b", "b"))


def term(key=ZONE, selector="web", **more):
    found = {"topologyKey": key, **more}
    if selector is not None:
        found["labelSelector"] = {"matchLabels": {"app": selector}} if isinstance(selector, str) else selector
    return found


def wants(*terms, **more):
    return {"affinity": {"podAffinity": {REQUIRED: list(terms)}}, **more}


def avoids(*terms, **more):
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}, **more}


def app(name, on=None, *, called=None, **more):
    return pod(called or (f"{name}-{on}" if on else "incoming"), on, labels={"app": name}, **more)


def test_a_pod_that_wants_its_like_may_be_the_first_where_the_key_is():
    found = verdicts(app("web", **wants(term())), *NODES, node("c"), plugin=NAME)
    assert found == {"a": None, "a2": None, "b": None, "c": UNMET}


def test_a_pod_that_wants_others_waits_for_them():
    assert set(verdicts(app("api", **wants(term())), *NODES, plugin=NAME).values()) == {UNMET}


def test_a_pod_follows_those_it_wants_into_their_domain():
    found = verdicts(app("api", **wants(term())), *NODES, app("web", "a"), plugin=NAME)
    assert found == {"a": None, "a2": None, "b": UNMET}


def test_pods_of_other_namespaces_are_not_wanted_unless_named():
    there = app("web", "a", namespace="other")
    assert verdicts(app("api", **wants(term())), *NODES, there)["a"] == UNMET
    assert verdicts(app("api", **wants(term(namespaces=["other"]))), *NODES, there)["a"] is None


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({}, {"default"}),
        ({"namespaces": ["x"]}, {"x"}),
        ({"namespaceSelector": {}}, {"default", "x", "y", "z", "unknown"}),
        ({"namespaces": ["y"], "namespaceSelector": {}}, {"default", "x", "y", "z", "unknown"}),
        ({"namespaceSelector": {"matchLabels": {"team": "ml"}}}, {"x", "y"}),
        ({"namespaces": ["z"], "namespaceSelector": {"matchLabels": {"team": "ml"}}}, {"x", "y", "z"}),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "y"}}}, {"y"}),
    ],
)
def test_the_namespaces_of_a_term(fields, seen):
    spaces = [namespace("default"), namespace("x", team="ml"), namespace("y", team="ml"), namespace("z")]
    for space in ("default", "x", "y", "z", "unknown"):
        there = app("web", "a", namespace=space)
        own = verdicts(app("api", **avoids(term(**fields))), *NODES, *spaces, there)
        assert (own["a"] == CONFLICT) == (space in seen)
        guard = app("guard", "a", **avoids(term(**fields)))
        other = verdicts(app("web", namespace=space), *NODES, *spaces, guard)
        assert (other["a"] == REFUSED) == (space in seen)


@pytest.mark.parametrize(("version", "seen"), [("1.33", False), ("1.34", True), ("1.36", True)])
@pytest.mark.parametrize(
    "expression",
    [
        {"key": "team", "operator": "NotIn", "values": ["ml"]},
        {"key": "team", "operator": "DoesNotExist"},
    ],
)
def test_own_namespace_selectors_that_need_no_label_leak_in_new_releases(expression, version, seen):
    """kubernetes/kubernetes#141526: the selector is tried again on no labels; terms of placed pods are not affected."""
    fields = {"namespaceSelector": {"matchExpressions": [expression]}}
    spaces = [namespace("default", team="ml")]
    own = verdicts(app("api", **avoids(term(**fields))), *NODES, *spaces, app("web", "a"), version=version)
    assert (own["a"] == CONFLICT) == seen
    guard = app("guard", "a", **avoids(term(**fields)))
    assert verdicts(app("web"), *NODES, *spaces, guard, version=version)["a"] is None


def test_replicas_that_avoid_each_other_fill_the_nodes():
    spec = avoids(term(HOST))
    others = [app("web", one["metadata"]["name"], **spec) for one in NODES]
    assert set(verdicts(app("web", **spec), *NODES, *others, plugin=NAME).values()) == {CONFLICT}


def test_a_plain_pod_is_refused_where_somebody_avoids_it():
    found = verdicts(app("web"), *NODES, app("guard", "a", **avoids(term())), plugin=NAME)
    assert found == {"a": REFUSED, "a2": REFUSED, "b": None}


@pytest.mark.parametrize("selector", [{"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}, {}])
def test_a_term_without_a_value_to_look_up_refuses_as_well(selector):
    found = verdicts(app("web"), *NODES, app("guard", "b", **avoids(term(selector=selector))))
    assert found == {"a": None, "a2": None, "b": REFUSED}


def test_the_own_reason_comes_before_that_of_the_others():
    found = verdicts(app("web", **avoids(term())), *NODES, app("web", "a", **avoids(term())))
    assert found["a"] == CONFLICT


def test_one_pod_must_meet_all_terms():
    both = wants(term(HOST, "x"), term(HOST, {"matchLabels": {"tier": "y"}}))
    apart = [app("x", "a"), pod("y", "a", labels={"tier": "y"})]
    assert verdicts(pod(**both), *NODES, *apart)["a"] == UNMET
    together = pod("xy", "a", labels={"app": "x", "tier": "y"})
    assert verdicts(pod(**both), *NODES, together)["a"] is None


def test_anti_affinity_passes_where_the_key_is_missing():
    found = verdicts(app("api", **avoids(term("rack"))), *NODES, app("web", "a"))
    assert found == {"a": None, "a2": None, "b": None}


def test_label_keys_take_part_only_once_they_are_merged():
    own = app("web", **wants(term(mismatchLabelKeys=["app"])))
    assert verdicts(own, *NODES)["a"] is None
    seen = snapshot(*NODES)
    prepared = PLUGIN.pre_filter(merged(read_pod(own)), seen)
    assert PLUGIN.filter(prepared.state, seen.node("a")).reasons == (AFFINITY_REASON,)


def test_a_missing_selector_is_about_nobody_and_an_empty_one_about_all():
    guard = app("guard", "a", **avoids(term(selector=None)))
    assert verdicts(app("web", **avoids(term(selector=None))), *NODES, guard)["a"] is None
    assert verdicts(app("web", **wants(term(selector=None))), *NODES, guard)["a"] == UNMET
    assert verdicts(app("web", **avoids(term(selector={}))), *NODES, app("x", "a"))["a"] == CONFLICT


def test_wanted_pods_on_nodes_without_the_key_leave_the_first_pod_free():
    found = verdicts(app("web", **wants(term())), *NODES, node("c"), app("web", "c"))
    assert found == {"a": None, "a2": None, "b": None, "c": UNMET}


def test_many_kinds_of_pods_are_found_by_their_labels():
    others = [app(f"o{number}", "b", **avoids(term(selector=f"o{number}"))) for number in range(50)]
    found = verdicts(app("web", **avoids(term())), *NODES, *others, app("web", "a"))
    assert found == {"a": CONFLICT, "a2": CONFLICT, "b": None}


def test_a_pod_without_terms_that_nobody_avoids_is_not_looked_at():
    seen = snapshot(*NODES, app("guard", "a", **avoids(term())))
    assert PLUGIN.pre_filter(read_pod(app("api")), seen).skip


def _without(incoming, objects, gone, on):
    seen = snapshot(*objects)
    info = seen.node(on)
    pods = tuple(one for one in info.pods if one.meta.name in gone)
    state = PLUGIN.without(PLUGIN.pre_filter(read_pod(incoming), seen).state, pods, info)
    return PLUGIN.filter(state, info.without(pods))


def test_evicting_a_blocker_helps_unless_another_node_of_the_domain_holds_one():
    blockers = [app("web", "a"), app("web", "a2")]
    assert _without(app("api", **avoids(term(HOST))), [*NODES, *blockers], {"web-a"}, "a") is None
    assert _without(app("api", **avoids(term())), [*NODES, *blockers], {"web-a"}, "a").reasons == (
        ANTI_AFFINITY_REASON,
    )


def test_evicting_who_avoids_the_pod_helps():
    guard = app("guard", "a", **avoids(term(), term(selector="db")))
    assert _without(app("web"), [*NODES, guard], {"guard-a"}, "a") is None


def test_evicting_who_is_wanted_does_not_help():
    wanted = app("web", "a")
    assert _without(app("api", **wants(term())), [*NODES, wanted], {"web-a"}, "a").reasons == (AFFINITY_REASON,)
    assert _without(app("web", **wants(term())), [*NODES, wanted], {"web-a"}, "a") is None


def counted_both_ways(seed):
    """What the plugin says of a node that pods leave: by taking them off its counts, and by counting what is left.

    None where the plugin has nothing to do.
    """
    chance = random.Random(seed)

    def terms():
        found = [term(chance.choice((ZONE, HOST)), chance.choice(("x", "y"))) for _ in range(chance.randrange(3))]
        kind = chance.choice(("podAffinity", "podAntiAffinity"))
        return {"affinity": {kind: {REQUIRED: found}}} if found else {}

    nodes = [node(f"n{number}", chance.choice("ab")) for number in range(4)]
    pods = [app(chance.choice("xyz"), f"n{chance.randrange(4)}", called=f"p{number}", **terms()) for number in range(8)]
    incoming = app(chance.choice("xyz"), **terms())
    on = pods[0]["spec"]["nodeName"]
    gone = {one["metadata"]["name"] for one in pods if one["spec"]["nodeName"] == on and chance.random() < 0.7}
    left = [one for one in pods if one["metadata"]["name"] not in gone]
    seen = snapshot(*nodes, *pods)
    if PLUGIN.pre_filter(read_pod(incoming), seen).skip:
        return None
    found = _without(incoming, [*nodes, *pods], gone, on)
    return (found and (found.code.value, *found.reasons)), verdicts(incoming, *nodes, *left)[on]


def test_counting_from_scratch_and_taking_pods_off_agree():
    found = {seed: counted_both_ways(seed) for seed in range(60)}
    both = {seed: one for seed, one in found.items() if one is not None}
    assert len(both) >= 40
    assert {seed: one for seed, one in both.items() if one[0] != one[1]} == {}
    assert len({one for one, _ in both.values()}) > 2
