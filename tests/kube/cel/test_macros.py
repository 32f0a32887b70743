"""Literals of the Common Expression Language, and what is not modelled."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.macros import BadLiteral, literal
from kubelint_gpu.kube.dra.selector import Selector


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("INT_LIT", "-9223372036854775808", ("int", -(2**63))),
        ("INT_LIT", "0x1F", ("int", 31)),
        ("FLOAT_LIT", "1.5e3", ("double", 1500.0)),
        ("STRING_LIT", r"'a\n\x41\u00e9\101'", ("string", "a\nAéA")),
        ("STRING_LIT", r"r'a\n'", ("string", r"a\n")),
        ("MLSTRING_LIT", '"""a\r\nb"""', ("string", "a\nb")),
        ("BOOL_LIT", "true", ("bool", True)),
        ("NULL_LIT", "null", ("null", None)),
    ],
)
def test_a_literal_has_a_type_and_a_value(kind, text, found):
    assert literal(kind, text) == found


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("INT_LIT", "9223372036854775808"),
        ("INT_LIT", "9" * 5000),
        ("INT_LIT", "0x" + "f" * 5000),
        ("STRING_LIT", r"'\q'"),
        ("STRING_LIT", r"'\ud800'"),
        ("STRING_LIT", r"'\U00110000'"),
    ],
)
def test_what_means_nothing_is_refused(kind, text):
    with pytest.raises(BadLiteral):
        literal(kind, text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sets.contains([1], [1])", "sets"),
        ("[1].exists_one(x, x == 1)", "exists_one"),
        ("[1].all(i, x, x == 1)", "all"),
        ("1u == 1", "1u"),
        ("b'a' == 'a'", "b'a'"),
        ("[?device.?driver] == []", "an optional item"),
        ("{?'a': device.?driver} == {}", "an optional entry"),
        ("google.protobuf.Int32Value{value: 1} == 1", "a message"),
        ("type(1) == int", "int"),
        ("device.attributes['d'].?a.optMap(x, x).hasValue()", "optMap"),
    ],
)
def test_an_expression_with_what_is_not_modelled_is_not_known_and_not_refused(text, name):
    from kubelint_gpu.kube.dra.device import Device
    from kubelint_gpu.kube.dra.sight import subject_of

    found = Selector(text, shareable=True)
    assert found.error is None
    assert found.verdict(subject_of(Device("gpu"), "d")).unknown == f"{name} is not modelled"
