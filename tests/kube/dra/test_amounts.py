"""Amounts of devices."""

from __future__ import annotations

from fractions import Fraction

from kubelint_gpu.kube.dra.amounts import whole


def test_whole_numbers_are_rounded_up_and_fit_an_int64():
    assert (whole(Fraction(1, 10)), whole(Fraction(-1, 10)), whole(7)) == (1, 0, 7)
    assert whole(2**70) == 2**63 - 1
