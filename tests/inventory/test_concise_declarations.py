"""Entries of concise declarations."""

from __future__ import annotations

from declarations_of import loaded


def test_pools_that_are_too_large_together_are_an_error_and_not_an_outage():
    (error,) = loaded("pools: [{name: a, count: 1, template: {}}, {name: b, count: 30000, template: {}}]\n")[1]
    assert error.message == "the pool brings the cluster above 30,000 nodes, more than an inventory may have"
    assert error.span.line == 3
