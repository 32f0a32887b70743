"""Exact amounts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kubelint_gpu.kube.dra.amounts import amount_of, whole
from kubelint_gpu.kube.values.quantity import QuantityError


def test_amounts_are_exact():
    assert amount_of("40Gi") == 40 * 2**30
    assert isinstance(amount_of("40Gi"), int)
    assert amount_of("100m") == Fraction(1, 10)
    assert amount_of(3) == 3
    with pytest.raises(QuantityError):
        amount_of("many")


def test_whole_numbers_are_rounded_up_and_fit_an_int64():
    assert (whole(Fraction(1, 10)), whole(Fraction(-1, 10)), whole(7)) == (1, 0, 7)
    assert whole(2**70) == 2**63 - 1
