"""Fields of an object, and what stands in them."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.fields import Fields, described, is_label, is_label_value, is_qualified_name, is_subdomain


def test_values_are_described_in_words():
    values = (None, True, 1.5, "x" * 50, {}, [])
    assert [described(value) for value in values] == [
        "null",
        "the boolean true",
        "the number 1.5",
        f'the string "{"x" * 37}..."',
        "a mapping",
        "a list",
    ]


def test_an_amount_that_is_null_is_there_and_zero():
    """Seen on a control plane 1.34, server-side apply: a request that is null is not filled in from its limit."""
    fields = Fields({"requests": {"cpu": None, "memory": "1Gi"}})
    assert dict(fields.quantities("requests")) == {"cpu": 0, "memory": 1024**3 * 1000}


def test_what_must_be_text_is_told_as_such_wherever_it_stands():
    fields = Fields({"a": 1, "list": [2], "map": {"k": True}}, (), [])
    fields.text("a")
    fields.texts("list")
    fields.labels("map")
    assert [(one.pointer, one.is_text) for one in fields.problems] == [
        (("a",), True),
        (("list", 0), True),
        (("map", "k"), True),
    ]


LONG = "a" * 63


@pytest.mark.parametrize(
    ("text", "value", "key", "subdomain", "label"),
    [
        ("", True, False, False, False),
        ("a", True, True, True, True),
        ("A_b.c-1", True, True, False, False),
        ("a-", False, False, False, False),
        ("a b", False, False, False, False),
        ("a\n", False, False, False, False),
        ("a.b", True, True, True, False),
        ("a..b", True, True, False, False),
        ("é", False, False, False, False),
        (LONG, True, True, True, True),
        (LONG + "a", False, False, True, False),
        (".".join([LONG] * 4)[:253], False, False, True, False),
        (".".join([LONG] * 4), False, False, False, False),
    ],
)
def test_what_a_text_may_be(text, value, key, subdomain, label):
    assert (is_label_value(text), is_qualified_name(text)) == (value, key)
    assert (is_subdomain(text), is_label(text)) == (subdomain, label)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("example.com/a", True),
        ("example.com/A_b", True),
        ("Example.com/a", False),
        ("example.com/", False),
        ("/a", False),
        ("a/b/c", False),
        (f"{'a' * 254}/b", False),
    ],
)
def test_a_key_may_have_a_subdomain_before_it(text, valid):
    assert is_qualified_name(text) is valid
