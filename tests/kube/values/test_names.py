"""Names, label keys and label values: what the API server takes."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.names import is_label, is_label_value, is_qualified_name, is_subdomain

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
