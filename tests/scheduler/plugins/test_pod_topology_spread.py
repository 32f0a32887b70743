"""Topology spread: the table of the specification and the corners of the counting."""

from __future__ import annotations

import random

import pytest
from plugin_objects import HOST, ZONE, node, pod, snapshot, verdicts

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.plugins.pod_topology_spread import MISSING_LABEL_REASON, NAME, PLUGIN, REASON

WEB = {"app": "web"}
SKEWED = ("Unschedulable", REASON)
UNLABELLED = ("UnschedulableAndUnresolvable", MISSING_LABEL_REASON)


def constraint(key=ZONE, skew=1, selector="web", **more):
    found = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", **more}
    if selector is not None:
        found["labelSelector"] = {"matchLabels": {"app": selector}} if isinstance(selector, str) else selector
    return found


def web(*constraints, labels=WEB, **spec):
    return pod(labels=labels, topologySpreadConstraints=list(constraints), **spec)


def placed(**numbers):
    return [pod(f"{on}-{number}", on, labels=WEB) for on, many in numbers.items() for number in range(many)]


def zones(*names, **spec):
    return [node(name, name, **spec) for name in names]


def test_domains_that_are_ahead_are_refused():
    found = verdicts(web(constraint()), *zones("a", "b", "c"), *placed(a=2, b=1), plugin=NAME)
    assert found == {"a": SKEWED, "b": SKEWED, "c": None}


TAINT = [{"key": "x", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("Ignore", SKEWED),
        ("Honor", None),
    ],
)
def test_a_domain_of_tainted_nodes_counts_unless_taints_are_honoured(policy, expected):
    nodes = (node("a", "a"), node("b", "b", taints=TAINT))
    found = verdicts(web(constraint(nodeTaintsPolicy=policy)), *nodes, *placed(a=1))
    assert found["a"] == expected
    assert found["b"][1].startswith("node(s) had untolerated taint")


def test_a_cordoned_node_stays_a_domain_even_when_taints_are_honoured():
    nodes = (node("a", "a"), node("b", "b", unschedulable=True))
    found = verdicts(web(constraint(nodeTaintsPolicy="Honor")), *nodes, *placed(a=1))
    assert found["a"] == SKEWED


def test_too_few_domains_make_the_minimum_zero():
    found = verdicts(web(constraint(minDomains=3)), *zones("a", "b"), *placed(a=1, b=1), plugin=NAME)
    assert found == {"a": SKEWED, "b": SKEWED}


@pytest.mark.parametrize(("policy", "expected"), [("Honor", None), ("Ignore", SKEWED)])
def test_nodes_outside_the_pods_affinity_count_only_when_it_is_ignored(policy, expected):
    incoming = web(constraint(nodeAffinityPolicy=policy), nodeSelector={ZONE: "a"})
    assert verdicts(incoming, *zones("a", "b"), *placed(a=5))["a"] == expected


@pytest.mark.parametrize("field", ["matchFields", "matchExpressions"])
def test_required_affinity_takes_part_in_what_a_domain_is(field):
    key, value = ("metadata.name", "a") if field == "matchFields" else (ZONE, "a")
    term = {field: [{"key": key, "operator": "In", "values": [value]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    assert verdicts(web(constraint(), affinity=affinity), *zones("a", "b"), *placed(a=5))["a"] is None


@pytest.mark.parametrize("selector", [None, {}])
def test_a_selector_of_nothing_and_of_everything_count_no_pods(selector):
    found = verdicts(web(constraint(selector=selector)), *zones("a", "b"), node("c"), *placed(a=5))
    assert found == {"a": None, "b": None, "c": UNLABELLED}


def test_a_pod_that_its_own_selector_does_not_match_is_not_added():
    found = verdicts(web(constraint(), labels={"app": "other"}), *zones("a", "b"), *placed(a=1))
    assert found == {"a": None, "b": None}


def test_pods_of_a_node_without_the_key_are_not_counted():
    found = verdicts(web(constraint()), *zones("a", "b"), node("c"), *placed(a=1, b=1, c=1), plugin=NAME)
    assert found == {"a": None, "b": None, "c": UNLABELLED}


def test_a_node_that_lacks_one_of_two_keys_counts_for_neither():
    nodes = (node("a", "a"), node("b", "b", host=False))
    found = verdicts(web(constraint(), constraint(HOST)), *nodes, *placed(a=1, b=5), plugin=NAME)
    assert found["a"] is None
    assert found["b"] == UNLABELLED


def test_the_first_failing_constraint_names_the_reason():
    nodes = (node("a", "a"), node("b", "b"), node("c", "c", host=False))
    found = verdicts(web(constraint(), constraint(HOST)), *nodes, *placed(a=3, b=3, c=9), plugin=NAME)
    assert found["c"] == UNLABELLED


def test_no_node_with_the_key_refuses_every_node():
    found = verdicts(web(constraint("rack")), *zones("a", "b"), plugin=NAME)
    assert found == {"a": UNLABELLED, "b": UNLABELLED}


def test_schedule_anyway_never_rejects():
    found = verdicts(web(constraint(whenUnsatisfiable="ScheduleAnyway")), *zones("a", "b"), *placed(a=5))
    assert found == {"a": None, "b": None}


def test_terminating_pods_and_other_namespaces_are_not_counted():
    leaving = pod("leaving", "a", labels=WEB, meta={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    foreign = pod("foreign", "a", labels=WEB, namespace="elsewhere")
    assert verdicts(web(constraint()), *zones("a", "b"), leaving, foreign) == {"a": None, "b": None}


def test_match_label_keys_count_only_pods_with_the_incoming_pods_values():
    old = [pod(f"old{number}", "a", labels={**WEB, "hash": "old"}) for number in range(3)]
    labels = {**WEB, "hash": "new"}
    assert verdicts(web(constraint(matchLabelKeys=["hash"]), labels=labels), *zones("a", "b"), *old)["a"] is None
    assert verdicts(web(constraint(matchLabelKeys=["absent"]), labels=labels), *zones("a", "b"), *old)["a"] == SKEWED
    nothing = constraint(matchLabelKeys=["hash"], selector=None)
    assert verdicts(web(nothing, labels=labels), *zones("a", "b"), *old)["a"] is None
    everything = constraint(matchLabelKeys=["app"], selector={})
    assert verdicts(web(everything, labels=labels), *zones("a", "b"), *old)["a"] == SKEWED


def test_many_kinds_of_pods_are_found_by_their_labels():
    others = [pod(f"o{number}", "a", labels={"app": f"o{number}"}) for number in range(60)]
    assert verdicts(web(constraint()), *zones("a", "b"), *others, *placed(a=1))["a"] == SKEWED
    negative = constraint(selector={"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]})
    assert verdicts(web(negative), *zones("a", "b"), *others)["a"] == SKEWED


def _without(incoming, objects, gone, on):
    seen = snapshot(*objects)
    read = read_pod(incoming)
    info = seen.node(on)
    pods = tuple(one for one in info.pods if one.meta.name in gone)
    state = PLUGIN.without(PLUGIN.pre_filter(read, seen).state, pods, info)
    return PLUGIN.filter(state, info.without(pods))


def test_evicting_from_the_full_domain_makes_room():
    objects = [*zones("a", "b"), *placed(a=2, b=1)]
    assert _without(web(constraint()), objects, {"a-0"}, "a") is None
    assert _without(web(constraint()), objects, {"absent"}, "a").reasons == (REASON,)


def test_evicting_the_pods_of_the_emptiest_domain_lowers_the_minimum_with_it():
    objects = [*zones("a", "b"), *placed(a=3, b=2)]
    assert _without(web(constraint()), objects, {"b-0", "b-1"}, "b") is None


def test_evicting_pods_of_nodes_that_do_not_count_changes_nothing():
    objects = [node("a", "a"), node("b", "b", taints=TAINT), node("c"), *placed(a=1, b=1, c=1)]
    honoured = web(constraint(nodeTaintsPolicy="Honor"), tolerations=[])
    assert _without(honoured, objects, {"c-0"}, "c").reasons == (MISSING_LABEL_REASON,)
    assert _without(honoured, objects, {"b-0"}, "b") is None
    assert _without(web(constraint(), labels={"app": "x"}), objects, {"a-0"}, "a") is None


def test_a_terminating_pod_is_taken_off_although_it_was_not_counted():
    leaving = pod("leaving", "a", labels=WEB, meta={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    objects = [*zones("a", "b"), *placed(a=2, b=1), leaving]
    assert _without(web(constraint()), objects, {"leaving"}, "a") is None


def test_the_only_domain_is_measured_against_itself():
    assert _without(web(constraint()), [*zones("a"), *placed(a=2)], {"a-0"}, "a") is None


@pytest.mark.parametrize("seed", range(25))
def test_counting_from_scratch_and_taking_pods_off_agree(seed):
    chance = random.Random(seed)
    nodes = [node(f"n{number}", chance.choice("abc")) for number in range(6)]
    pods = [pod(f"p{number}", f"n{chance.randrange(6)}", labels=WEB) for number in range(chance.randrange(2, 12))]
    incoming = web(constraint(skew=chance.choice((1, 2)), minDomains=chance.choice((1, 4))), constraint(HOST, 2))
    victims = chance.sample(pods, 2)
    on = victims[0]["spec"]["nodeName"]
    gone = {one["metadata"]["name"] for one in victims if one["spec"]["nodeName"] == on}
    left = [one for one in pods if one["metadata"]["name"] not in gone]
    found = _without(incoming, [*nodes, *pods], gone, on)
    assert (found and (found.code.value, *found.reasons)) == verdicts(incoming, *nodes, *left)[on]
