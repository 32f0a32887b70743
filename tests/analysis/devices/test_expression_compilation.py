"""Expressions that the API server refuses."""

from __future__ import annotations

import pytest
from claim_findings import claim, codes, found, gpu


@pytest.mark.parametrize(
    "text", ["device.__class__ == 1", "device.__class__.__mro__ == 1", "device.driver.__len__() == 1"]
)
def test_a_name_between_underscores_is_a_name_and_nothing_that_is_filled_in_later(text):
    assert found(claim(f"[{gpu(text)}]"))[0][:2] == ("KLG704", "error")


@pytest.mark.parametrize("text", ["device.driver == __DRIVER__", "${EXPRESSION}", "{{ .Values.__expression__ }}"])
def test_an_expression_that_is_filled_in_later_is_not_compiled(text):
    assert "KLG704" not in codes(claim(f"[{gpu(text)}]"))
