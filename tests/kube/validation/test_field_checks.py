"""Every problem of a label selector, where it stands."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.field_checks import selector_problems


def problems(selector):
    return [(one.pointer, one.detail) for one in selector_problems(selector, ("selector",))]


def expression(**fields):
    return {"matchExpressions": [fields]}


@pytest.mark.parametrize(
    "selector",
    [
        None,
        {},
        {"matchLabels": {"app": "web", "example.com/x": ""}},
        expression(key="app", operator="In", values=["a"]),
        expression(key="app", operator="Exists"),
        {"matchExpressions": [3]},
    ],
)
def test_what_the_api_server_takes_has_no_problem(selector):
    assert problems(selector) == []


@pytest.mark.parametrize(
    ("selector", "where", "text"),
    [
        ({"matchLabels": {"a b": "x"}}, ("matchLabels", "a b"), '"a b" is not a label key'),
        ({"matchLabels": {"a": "x y"}}, ("matchLabels", "a"), '"x y" is not a label value'),
        (expression(key="a", operator="In"), ("matchExpressions", 0), "values must be specified"),
        (
            expression(key="a", operator="Exists", values=["x"]),
            ("matchExpressions", 0, "values"),
            "may not be specified",
        ),
        (expression(key="a"), ("matchExpressions", 0), "operator is required"),
        (expression(key="a", operator="in", values=["x"]), ("matchExpressions", 0, "operator"), '"in" is not a valid'),
        (expression(key="a", operator="In", values=["ok", "-"]), ("matchExpressions", 0, "values", 1), '"-" is not'),
    ],
)
def test_each_problem_has_its_place(selector, where, text):
    ((pointer, detail),) = problems(selector)
    assert pointer == ("selector", *where)
    assert detail.startswith(text)
