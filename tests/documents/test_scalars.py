import math

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.documents.scalars import NOT_IN_JSON, NotJson, key, plain, plain_key

# What kubectl 1.32 makes of `v: <scalar>`, as `kubectl annotate --local -o json` prints it.
VALUES = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"], False),
    **dict.fromkeys(["~", "null", "Null", "NULL"]),
    "": None,
    **{
        word: word
        for word in [
            "yEs",
            "tRue",
            "nULL",
            "oN",
            "-",
            "--",
            ".",
            "..",
            "=",
            "<<",
            "_1",
            "++1",
            "infinity",
            "inf",
            "nan",
            "NaN",
            "+inf",
            "-inf",
            "100m",
            "5Gi",
        ]
    },
    **{
        word: word
        for word in [
            "0x",
            "0b2",
            "0o8",
            "0x1p4",
            "1e",
            "1e+",
            "._5",
            ".e1",
            ".1e",
            "1e400",
            "1:30",
            "2020-01-01",
            "2020-01-01T00:00:00Z",
        ]
    },
    "\u0661": "\u0661",
    "\uff11": "\uff11",
    "012": 10,
    "-012": -10,
    "+012": 10,
    "0777": 511,
    "00": 0,
    "000": 0,
    "0_7": 7,
    "0o14": 12,
    "0O14": 12,
    "08": 8,
    "0_8": 8,
    "07.5": 7.5,
    "09.5": 9.5,
    "1e3": 1000,
    "1E3": 1000,
    "1.0": 1,
    "1.5e3": 1500,
    "1_000": 1000,
    "1_": 1,
    "1__0": 10,
    "0x1F": 31,
    "0X1f": 31,
    "-0x1F": -31,
    "+0x10": 16,
    "0x1_f": 31,
    "0b101": 5,
    "0B1": 1,
    "-0b11": -3,
    ".5": 0.5,
    ".5e1": 5,
    "+.5": 0.5,
    "-.5": -0.5,
    ".5_0": 0.5,
    "-.5e-3": -0.0005,
    "5.": 5,
    "1.e3": 1000,
    "1_0.5": 10.5,
    "1.5_5": 1.55,
    "1e3_0": 1e30,
    "0.1": 0.1,
    "0.0": 0,
    "0e1": 0,
    "-0": 0,
    "-0.0": 0,
    "+1": 1,
    "1e-400": 0,
    "1e18": 10**18,
    "1e20": 1e20,
    "1e21": 1e21,
    "1.5e300": 1.5e300,
    "9223372036854775807": 2**63 - 1,
    "9223372036854775808": 2.0**63,
    "-9223372036854775809": -(2.0**63),
    "0x8000000000000000": 2.0**63,
    "123456789012345678901234567890": 123456789012345678901234567890.0,
}

KEYS = {
    "yes": "true",
    "on": "true",
    "n": "false",
    "1": "1",
    "1.0": "1",
    "1.5": "1.5",
    "1e3": "1000",
    "1e20": "1e+20",
    "1e21": "1e+21",
    "1e-7": "1e-07",
    "0.1": "0.1",
    "-0.0": "-0",
    "123456789.5": "1.2345679e+08",
    "16777217.5": "1.6777218e+07",
    "1234567.5": "1.2345675e+06",
    "100000000.5": "1e+08",
    "0x10": "16",
    "012": "10",
    "08": "8",
    "2020-01-01": "2020-01-01",
    "=": "=",
    ".inf": ".inf",
}


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_plain_scalars_have_the_value_and_type_that_kubectl_gives_them(text, value):
    assert repr(plain(text)) == repr(value)


@pytest.mark.parametrize(("text", "name"), KEYS.items())
def test_plain_keys_become_the_text_that_kubectl_makes_of_them(text, name):
    assert plain_key(text) == name


def test_null_is_no_key():
    assert plain_key("null") is None
    assert key(None) is None


@pytest.mark.parametrize("text", NOT_IN_JSON)
def test_infinity_and_not_a_number_are_refused(text):
    with pytest.raises(NotJson):
        plain(text)
    assert not math.isfinite(NOT_IN_JSON[text])


def test_digits_without_end_are_text_and_take_no_time():
    assert plain("9" * 100_000) == "9" * 100_000


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!str 5", "5"),
        ('!!int "5"', 5),
        ("!!float 5", 5),
        ('!!bool "yes"', True),
        ('!!null ""', None),
        ("!!timestamp 2001-01-01", "2001-01-01"),
        ("!!binary aGVsbG8=", "hello"),
        ("! 5", "5"),
        ("!env_var 5", "5"),
        ("!!foo 5", "5"),
        ("!foo {a: 1}", {"a": 1}),
        ("!foo [1]", [1]),
        ('"yes"', "yes"),
        ("'012'", "012"),
        ("|\n  012", "012"),
    ],
)
def test_quotes_and_tags_decide_as_they_do_for_kubectl(text, value, pure):
    reading = read("a.yaml", f"v: {text}\n".encode(), pure=pure)
    assert reading.problems == ()
    got = reading.documents[0].value["v"]
    assert repr(got.rstrip("\n") if text.startswith("|") else got) == repr(value)


@pytest.mark.parametrize("text", ["!!int foo", "!!bool 5", "!!null 5", "!!binary '*'", ".inf"])
def test_a_value_that_kubectl_refuses_is_a_problem_at_its_place(text):
    reading = read("a.yaml", f"a: 1\nv: {text}\n".encode())
    (problem,) = reading.problems
    assert (problem.span.line, problem.span.end_line) == (2, 2)
    assert reading.documents[0].value["a"] == 1
