"""Label requirements as sets: intersection, emptiness, and agreement with trying every assignment of labels."""

from __future__ import annotations

import itertools
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.objects.label_algebra import (
    ANYTHING,
    Allowed,
    NumberBound,
    allowed,
    alternatives,
    contradiction,
    satisfied,
    unsatisfiable,
)
from kubelint_gpu.kube.objects.pod import read_pod_spec
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.selectors import Requirement

VALUES = ["a", "b", "1", "2", "02", "3"]
NUMBERS = ["0", "1", "2", "3", "9223372036854775806", "9223372036854775807"]
# named values, one that nobody names, absence, and numbers in enough spellings to escape any few that are excluded
UNIVERSE = [
    None,
    *VALUES,
    "fresh",
    *(str(number).rjust(width, "0") for number in range(5) for width in range(1, 4)),
    *(text.rjust(width, "0") for text in NUMBERS[-2:] for width in (19, 20)),
    "9223372036854775808",
]
SELECTORS = 20_000 if os.environ.get("KUBELINT_GPU_LONG") else 1_500


def requirement(operator, *values):
    return Requirement("key", operator, values)


requirements = st.one_of(
    st.builds(
        Requirement,
        st.just("key"),
        st.sampled_from(["In", "NotIn"]),
        st.lists(st.sampled_from(VALUES), min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Requirement, st.just("key"), st.sampled_from(["Exists", "DoesNotExist"])),
    st.builds(
        Requirement,
        st.just("key"),
        st.sampled_from(["Gt", "Lt"]),
        st.sampled_from([*NUMBERS, "x"]).map(lambda value: (value,)),
    ),
)
sets = st.lists(requirements, max_size=4).map(
    lambda found: (found, _together(found)),
)


def _together(found):
    together = ANYTHING
    for one in found:
        together &= allowed(one)
    return together


def labels_of(value):
    return {} if value is None else {"key": value}


@given(requirements, st.sampled_from(UNIVERSE))
def test_a_set_has_what_the_requirement_matches(one, value):
    assert allowed(one).has(value) == one.matches(labels_of(value))


@given(sets, sets, st.sampled_from(UNIVERSE))
def test_membership_in_an_intersection_is_membership_in_both(one, other, value):
    assert (one[1] & other[1]).has(value) == (one[1].has(value) and other[1].has(value))


@given(sets, sets, sets)
def test_intersection_is_commutative_associative_and_idempotent(one, other, third):
    a, b, c = one[1], other[1], third[1]
    assert a & b == b & a
    assert (a & b) & c == a & (b & c)
    assert a & a == a
    assert a & ANYTHING == a


@given(sets)
def test_a_set_is_empty_exactly_if_no_value_and_no_absence_is_in_it(found):
    members, together = found
    tried = [value for value in UNIVERSE if all(one.matches(labels_of(value)) for one in members)]
    assert together.empty == (not tried)


@given(sets)
def test_a_set_is_plainly_empty_exactly_if_only_padded_numbers_are_in_it(found):
    members, together = found
    tried = [value for value in UNIVERSE if all(one.matches(labels_of(value)) for one in members)]
    bounded = together.values is None and (together.above is not None or together.below is not None)
    plain = [value for value in tried if value is None or not bounded or value == value.lstrip("0") or value == "0"]
    assert together.plainly_empty == (not plain)


def test_an_excluded_number_can_be_written_with_a_leading_zero():
    found = _together([requirement("Gt", "1"), requirement("Lt", "3"), requirement("NotIn", "2")])
    assert found.has("02")
    assert not found.has("2")
    assert not found.empty
    assert found.plainly_empty


def test_no_value_is_longer_than_a_label_can_be():
    spellings = tuple("2".rjust(width, "0") for width in range(1, 64))
    found = _together([requirement("Gt", "1"), requirement("Lt", "3"), requirement("NotIn", *spellings)])
    assert found.empty


@pytest.mark.parametrize(
    ("members", "empty"),
    [
        ([("In", "a"), ("In", "b")], True),
        ([("In", "a"), ("NotIn", "a")], True),
        ([("Exists",), ("DoesNotExist",)], True),
        ([("NotIn", "a"), ("DoesNotExist",)], False),
        ([("Gt", "9223372036854775807")], True),
        ([("Lt", "0")], True),
        ([("Lt", "1")], False),
        ([("Gt", "1"), ("Lt", "2")], True),
        ([("Gt", "x")], True),
        ([("Gt", "1"), ("In", "1", "2")], False),
        ([("Gt", "2"), ("In", "1", "2")], True),
        ([("Gt", "2"), ("In", "a")], True),
    ],
)
def test_emptiness_by_example(members, empty):
    assert _together([requirement(*one) for one in members]).empty is empty


@given(st.lists(requirements, min_size=1, max_size=5))
def test_a_contradiction_names_requirements_of_which_none_can_be_left_out(members):
    bounds = [NumberBound(one, ("at", place)) for place, one in enumerate(members)]
    found = contradiction(bounds)
    together = _together(members)
    assert (found is None) == (not together.plainly_empty)
    if found is None:
        return
    assert set(found.bounds) <= set(bounds)
    assert found.plain == (not together.empty)

    def is_empty(some):
        left = _together([bound.requirement for bound in some])
        return left.plainly_empty if found.plain else left.empty

    assert is_empty(found.bounds)
    for bound in found.bounds:
        assert not is_empty([one for one in found.bounds if one is not bound])


def test_values_say_what_remains():
    assert Allowed(absent=False).has("anything")
    assert not Allowed(absent=False).has(None)
    assert ANYTHING.has(None)


KEYS = ["x", "y"]
NODE_NAMES = ["n1", "n2", "other"]


def random_expression(rng):
    key = rng.choice(KEYS)
    operator = rng.choice(["In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
    values = []
    if operator in ("In", "NotIn"):
        values = rng.sample(VALUES, rng.randint(1, 2))
    elif operator in ("Gt", "Lt"):
        values = [rng.choice(["0", "1", "2", "3", "9223372036854775807", "x"])]
    return {"key": key, "operator": operator, **({"values": values} if values else {})}


def random_term(rng):
    names = [{"key": "metadata.name", "operator": rng.choice(["In", "NotIn"]), "values": [rng.choice(NODE_NAMES[:2])]}]
    expressions = [random_expression(rng) for _ in range(rng.randint(0, 4))]
    return {
        **({"matchExpressions": expressions} if expressions else {}),
        **({"matchFields": names * rng.randint(1, 2)} if rng.random() < 0.25 else {}),
    }


def random_spec(rng):
    spec = {}
    if rng.random() < 0.6:
        spec["nodeSelector"] = {key: rng.choice(VALUES) for key in KEYS if rng.random() < 0.5}
    if rng.random() < 0.85:
        terms = [random_term(rng) for _ in range(rng.randint(1, 3))]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec["affinity"] = {"nodeAffinity": required}
    return read_pod_spec(Fields(spec))


def nodes():
    for name, *values in itertools.product(NODE_NAMES, *([UNIVERSE] * len(KEYS))):
        yield name, {key: value for key, value in zip(KEYS, values, strict=True) if value is not None}


ALL_NODES = tuple(nodes())


def takes(spec, name, labels):
    """As the scheduler's plugin asks: the node selector, then the required affinity."""
    if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
        return False
    return spec.node_affinity is None or spec.node_affinity.matches(labels, name)


def test_unsatisfiable_agrees_with_trying_every_assignment_of_labels():
    rng = random.Random(20260101)
    order = list(ALL_NODES)
    rng.shuffle(order)
    seen = {True: 0, False: 0, "plain": 0}
    for _ in range(SELECTORS):
        spec = random_spec(rng)
        reasons = unsatisfiable(spec)
        found = next((node for node in order if takes(spec, *node)), None)
        if reasons is None:
            assert found is not None, spec
        elif any(reason.plain for reason in reasons):
            seen["plain"] += 1
        else:
            assert found is None, (spec, found)
        seen[reasons is None] += 1
    # the draw is no proof if it never meets one of the two
    assert seen[True] > SELECTORS // 10
    assert seen[False] > SELECTORS // 10


def test_alternatives_agree_with_the_scheduler_on_every_node():
    rng = random.Random(7)
    for _ in range(60):
        spec = random_spec(rng)
        choices = alternatives(spec)
        for name, labels in rng.sample(ALL_NODES, 200):
            assert any(satisfied(bounds, labels, name) for bounds in choices) == takes(spec, name, labels)
