"""Literals that the type checker lets pass."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.literal_checks import folding_error, invalid_literals
from kubelint_gpu.kube.cel.parsing import parse


@pytest.mark.parametrize(("text", "refused"), [("'a'.matches('(')", True), ("'a'.matches('a+')", False)])
def test_patterns_are_read(text, refused):
    assert [one.message for one in invalid_literals(parse(text), lambda _: "string")] == (
        ["invalid matches argument"] if refused else []
    )


@pytest.mark.parametrize(("text", "fails"), [("int('x')", True), ("int('7')", False), ("x.int('x')", False)])
def test_a_conversion_of_a_literal_that_fails_keeps_the_program_from_being_made(text, fails):
    assert bool(folding_error(parse(text))) is fails
