"""Label selectors and node selectors: what matches, and what is refused."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.selectors import Requirement, parse_int64, read_label_selector, read_node_selector


@pytest.mark.parametrize(
    ("operator", "values", "labels", "matches"),
    [
        ("In", ("a",), {}, False),
        ("In", ("a", "b"), {"k": "b"}, True),
        ("NotIn", ("a",), {}, True),
        ("NotIn", ("a",), {"k": "a"}, False),
        ("Exists", (), {"k": ""}, True),
        ("Exists", (), {}, False),
        ("DoesNotExist", (), {}, True),
        ("DoesNotExist", (), {"k": ""}, False),
        ("Gt", ("4",), {"k": "8"}, True),
        ("Gt", ("4",), {"k": "4"}, False),
        ("Gt", ("4",), {"k": "8Gi"}, False),
        ("Gt", ("4",), {}, False),
        ("Gt", ("x",), {"k": "8"}, False),
        ("Gt", ("1", "2"), {"k": "8"}, False),
        ("Lt", ("4",), {"k": "3"}, True),
        ("In", ("A",), {"k": "a"}, False),
    ],
)
def test_one_requirement_against_labels(operator, values, labels, matches):
    assert Requirement("k", operator, values).matches(labels) is matches


def test_an_empty_value_is_shown_in_quotes():
    assert str(Requirement("k", "In", ("", "a"))) == 'k In ["", a]'


@pytest.mark.parametrize(
    ("text", "number"),
    [("8", 8), ("-3", -3), ("+3", 3), (" 8", None), ("1_0", None), ("8Gi", None), (str(2**63), None), ("9" * 30, None)],
)
def test_integers_are_read_as_go_reads_them(text, number):
    assert parse_int64(text) == number


def selector(value):
    return read_label_selector(Fields({"s": value}).child("s"))


def test_an_absent_selector_and_an_empty_one_are_opposites():
    assert selector(None) is None
    assert selector({}).matches({"any": "thing"})
    both = selector({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]})
    assert both.keys == {"a", "b"}
    assert both.matches({"a": "1", "b": ""})
    assert not both.matches({"a": "1"})


@pytest.mark.parametrize(
    ("expression", "field", "detail"),
    [
        ({"key": "a", "operator": "Is"}, "operator", "use one of In, NotIn, Exists, DoesNotExist"),
        ({"key": "a"}, "operator", "an empty operator"),
        ({"key": "a b", "operator": "Exists"}, "key", "is not a label key"),
        ({"key": "a", "operator": "In"}, "values", "must be specified"),
        ({"key": "a", "operator": "Exists", "values": ["x"]}, "values", "may not be specified"),
        ({"key": "a", "operator": "In", "values": ["-x"]}, "values[0]", "is not a label value"),
        ({"key": "a", "operator": "In", "values": [1]}, "values[0]", "quote it"),
    ],
)
def test_a_broken_selector_is_an_error_at_its_field(expression, field, detail):
    with pytest.raises(InvalidObject) as caught:
        selector({"matchExpressions": [expression]})
    assert str(caught.value).startswith(f"s.matchExpressions[0].{field}: ")
    assert detail in caught.value.detail


@pytest.mark.parametrize(
    ("terms", "matches"),
    [
        ([], False),
        ([{}], False),
        ([{}, {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}], True),
        ([{"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["x"]}]}], False),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}], True),
        ([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]}], False),
    ],
)
def test_node_selector_terms(terms, matches):
    assert read_node_selector(Fields({"nodeSelectorTerms": terms})).matches({"disk": "ssd"}, "n") is matches


def test_without_a_name_fields_are_not_looked_at():
    term = {
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}],
        "matchExpressions": [{"key": "disk", "operator": "Exists"}],
    }
    found = read_node_selector(Fields({"nodeSelectorTerms": [term]}))
    assert found.matches({"disk": ""}, None)
    assert not found.matches({"disk": ""}, "n")


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"key": "metadata.uid", "operator": "In", "values": ["n"]}, "only metadata.name is"),
        ({"key": "metadata.name", "operator": "Exists", "values": ["n"]}, "use In or NotIn"),
        ({"key": "metadata.name", "operator": "In", "values": ["n", "m"]}, "only one value"),
        ({"key": "metadata.name", "operator": "In"}, "only one value"),
    ],
)
def test_broken_field_selectors(field, says):
    with pytest.raises(InvalidObject, match=says):
        read_node_selector(Fields({"nodeSelectorTerms": [{"matchFields": [field]}]}))


def test_several_values_of_gt_are_an_error():
    expression = {"key": "a", "operator": "Gt", "values": ["1", "2"]}
    with pytest.raises(InvalidObject, match="single value"):
        read_node_selector(Fields({"nodeSelectorTerms": [{"matchExpressions": [expression]}]}))
