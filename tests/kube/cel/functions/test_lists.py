"""Functions of lists, as the API servers of 1.34.1 and 1.36.3 take them."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.device import Device
from kubelint_gpu.kube.dra.selector import Selector
from kubelint_gpu.kube.dra.sight import subject_of

SUBJECT = subject_of(Device("gpu"), "d.example")


def verdict(expression):
    compiled = Selector(expression, shareable=True)
    assert compiled.error is None
    found = compiled.verdict(SUBJECT)
    assert not found.error
    return found.matches


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("[3, 1, 2].sortBy(x, x) == [1, 2, 3]", True),
        ("[{'a': 2, 'b': 1}, {'a': 1, 'b': 2}].sortBy(x, x.a).map(x, x.b) == [2, 1]", True),
        ("['bb', 'a', 'c'].sortBy(x, x.size()) == ['a', 'c', 'bb']", True),
        ("[].sortBy(x, x) == []", True),
        ("device.driver.split('.').sortBy(x, x).last().orValue('') == 'd'", False),
        ("device.driver.split('.').sortBy(x, x).last().orValue('') == 'example'", True),
        ("google.protobuf.Int32Value{value: 1} == 1 && google.protobuf.StringValue{} == ''", True),
        ("google.protobuf.UInt64Value{} == 0u && google.protobuf.DoubleValue{value: 0.5} < 1.0", True),
    ],
)
def test_expressions_have_the_values_that_cel_gives_them(expression, holds):
    assert verdict(expression) is holds


@pytest.mark.parametrize(("expression", "since"), [("[1].first().hasValue()", 0), ("[1].sortBy(x, x) == [1]", 34)])
def test_a_function_is_there_from_its_release_on(expression, since):
    for library in (33, 34, 36):
        assert (Selector(expression, shareable=True, library=library).error is None) == (library >= since)
