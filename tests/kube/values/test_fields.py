"""Fields of an object, and what stands in them."""

from __future__ import annotations

from kubelint_gpu.kube.values.fields import Fields, described


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
