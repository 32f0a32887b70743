"""Literals of the Common Expression Language."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.macros import BadLiteral, literal


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("INT_LIT", "-9223372036854775808", ("int", -(2**63))),
        ("INT_LIT", "0x1F", ("int", 31)),
        ("UINT_LIT", "18446744073709551615u", ("uint", 2**64 - 1)),
        ("FLOAT_LIT", "1.5e3", ("double", 1500.0)),
        ("STRING_LIT", r"'a\n\x41\u00e9\101'", ("string", "a\nAéA")),
        ("STRING_LIT", r"r'a\n'", ("string", r"a\n")),
        ("MLSTRING_LIT", '"""a\r\nb"""', ("string", "a\nb")),
        ("BYTES_LIT", r"b'\xff\377é'", ("bytes", b"\xff\xff\xc3\xa9")),
        ("BYTES_LIT", r"br'\x'", ("bytes", rb"\x")),
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
        ("UINT_LIT", "18446744073709551616u"),
        ("STRING_LIT", r"'\q'"),
        ("STRING_LIT", r"'\ud800'"),
        ("STRING_LIT", r"'\U00110000'"),
        ("BYTES_LIT", r"b'\u0041'"),
    ],
)
def test_what_means_nothing_is_refused(kind, text):
    with pytest.raises(BadLiteral):
        literal(kind, text)
