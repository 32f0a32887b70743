"""Fields of an object, and what stands in them."""

from __future__ import annotations

from kubelint_gpu.kube.values.fields import described


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
