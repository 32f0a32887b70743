"""Expressions are compiled when they are first used, once."""

import re

import pytest

from kubelint_gpu.patterns import pattern


def test_an_expression_is_compiled_once():
    late = pattern(r"[a-z]+", re.IGNORECASE)
    assert late() is late()
    assert late() == re.compile(r"[a-z]+", re.IGNORECASE)


def test_an_error_is_raised_at_first_use():
    late = pattern("(")
    with pytest.raises(re.error):
        late()
