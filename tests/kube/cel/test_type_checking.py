"""What the API server refuses, with line and column.

Literals that the type checker lets pass.
"""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.parsing import parse
from kubelint_gpu.kube.cel.type_checking import folding_error, invalid_literals
from kubelint_gpu.kube.dra.selector import Selector


def error(expression, **more):
    found = Selector(expression, **{"shareable": True, **more}).error
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("expression", "line", "column", "message"),
    [
        (
            "device.capacity['d'].memory >= quantity('40Gi')",
            1,
            29,
            "found no matching overload for '_>=_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        ),
        ("device.driver == 'a' &&\n  devce.driver == 'b'", 2, 3, "undeclared reference to 'devce' (in container '')"),
        ("device.model == 'A'", 1, 7, "undefined field 'model'"),
        ("device.driver.exists(x, true)", 1, 7, "expression of type 'string' cannot be range of a comprehension"),
        ("device.attributes['d'].model.map(x, x) == []", 1, 23, "expression of type 'any' cannot be range of"),
        ("[1, 'a'].size() == 2", 1, 5, "expected type 'int' but found 'string'"),
        ("device.driver", 1, 1, "must evaluate to bool or the unknown type, not string"),
        ("device.driver ==", 1, 17, "Syntax error: mismatched input '<EOF>'"),
        ("as == 1", 1, 1, "reserved identifier: as"),
        ("has(device)", 1, 5, "invalid argument to has() macro"),
        ("[1].exists(x.y, true)", 1, 13, "argument must be a simple name"),
        ("[1].all(x, x, true)", 1, 12, "duplicate variable name: x"),
        ("'a'.matches('(')", 1, 13, "invalid matches argument"),
        ("int('x') == 1", 1, 1, "program instantiation failed: type conversion error from 'string' to 'int'"),
        ("9223372036854775808 == 1", 1, 1, "invalid int literal"),
        ("['a'].existsOne(k, k == 'a')", 1, 16, "undeclared reference to 'existsOne' (in container '')"),
        ("device.attributes['d'].in == 1", 1, 24, "Syntax error: no viable alternative at input '.in'"),
    ],
)
def test_an_error_is_told_at_its_line_and_column(expression, line, column, message):
    found = error(expression)
    assert message in found.text
    assert (found.line, found.column) == (line, column)


def test_a_release_without_shared_devices_knows_no_field_for_them():
    assert Selector("device.allowMultipleAllocations", shareable=True).error is None
    assert (
        "undefined field 'allowMultipleAllocations'" in error("device.allowMultipleAllocations", shareable=False).text
    )


def test_wide_characters_keep_the_mark_below_its_place():
    assert error("'é' == 'x' && devic").text.endswith("\n | 'é' == 'x' && devic\n | .\uff0e............^")


@pytest.mark.parametrize(("text", "refused"), [("'a'.matches('(')", True), ("'a'.matches('a+')", False)])
def test_patterns_are_read(text, refused):
    assert [one.message for one in invalid_literals(parse(text), lambda _: "string")] == (
        ["invalid matches argument"] if refused else []
    )


@pytest.mark.parametrize(("text", "fails"), [("int('x')", True), ("int('7')", False), ("x.int('x')", False)])
def test_a_conversion_of_a_literal_that_fails_keeps_the_program_from_being_made(text, fails):
    assert bool(folding_error(parse(text))) is fails
