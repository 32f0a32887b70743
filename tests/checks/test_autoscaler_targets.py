"""Autoscalers whose target is written nearly as something that is there."""

from __future__ import annotations

import pytest
from autoscaler_objects import hpa
from checks_units import deployment, findings


def told(autoscaler, beside=""):
    return [
        (one.help, one.certainty, [fix.title for fix in one.fixes])
        for one in findings(autoscaler + (beside or deployment()), "", "KLG116")
    ]


@pytest.mark.parametrize(
    ("written", "instead", "value"),
    [
        ("kind: Deployment", "kind: Deploymnt", "Deployment"),
        ("kind: Deployment", "kind: deployments", "Deployment"),
        ("kind: Deployment", "kind: DaemonSet", "Deployment"),
        ("apps/v1", "extensions/v1beta1", "apps/v1"),
        ("apps/v1", "v1", "apps/v1"),
    ],
)
def test_no_api_group_of_kubernetes_has_such_a_kind(written, instead, value):
    autoscaler = hpa(1, 3)
    assert told(autoscaler) == []
    help_, certainty, fixes = told(autoscaler.replace(written, instead))[0]
    assert (help_, certainty, fixes) == (("did you mean Deployment serving/chat?",), "certain", [f"write {value}"])


def test_kinds_of_other_groups_may_be_there():
    assert told(hpa(1, 3, "Rollout").replace("apps/v1", "argoproj.io/v1alpha1")) == []
    assert told(hpa(1, 3).replace("apps/v1", "apps.kruise.io/v1alpha1")) == []


def test_an_autoscaler_scales_nothing_of_another_namespace():
    help_, certainty, fixes = told(hpa(1, 3, namespace="other"))[0]
    assert help_ == ("did you mean Deployment serving/chat?",)
    assert (certainty, fixes) == ("certain", ["write serving"])
    unwritten = hpa(1, 3).replace(", namespace: serving", "")
    assert [(certainty, fixes) for _, certainty, fixes in told(unwritten)] == [("possible", [])]
    both = deployment() + "---\n" + deployment().replace("namespace: serving", "namespace: other")
    assert told(hpa(1, 3, namespace="other"), both) == []
