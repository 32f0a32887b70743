"""Pods that are never made, and whom that helps."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, findings

NAMESPACE = (
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: serving, labels: {pod-security.kubernetes.io/enforce: %s}}\n"
)


def told(text):
    return {
        one.object.rpartition("/")[2]: (one.code, one.severity)
        for one in findings(text, GPU_NODE % 1)
        if one.severity != "note"
    }


def test_pods_that_the_namespace_refuses_are_an_error_at_the_field_and_hold_nothing():
    level = NAMESPACE % "baseline"
    text = f"{level}---\n{deployment(pod='hostIPC: true')}---\n{deployment(name='other', spec='strategy: {type: Recreate}')}"
    found = findings(text, GPU_NODE % 1, code="KLG003")
    (refused,) = found
    assert refused.message.startswith('admission refuses the pods: they violate PodSecurity "baseline:latest": host')
    assert text.splitlines()[refused.place.line - 1].strip() == "hostIPC: true"
    assert told(text) == {"chat": ("KLG003", "error")}
    assert told(text.replace("enforce: baseline", "warn: baseline"))["other"][0] == "KLG109"


@pytest.mark.parametrize(("length", "refused"), [(54, False), (55, True)])
def test_a_stateful_set_whose_revision_is_no_label_value_has_no_pods(length, refused):
    name = "s" * length
    text = deployment(name=name).replace("kind: Deployment", "kind: StatefulSet")
    assert (told(text).get(name) == ("KLG003", "error")) is refused
    assert name not in {
        key for key, (code, _) in told(text.replace("StatefulSet", "Deployment")).items() if code == "KLG003"
    }


@pytest.mark.parametrize(
    ("replicas", "severity", "waits"), [(2, None, True), (1, "warning", True), (3, "error", False)]
)
def test_pods_that_run_since_before_the_namespace_refused_them_stay(replicas, severity, waits):
    """Seen on a control plane 1.34."""
    old = deployment(pod="hostIPC: true", spec="replicas: 2\nstrategy: {type: Recreate}")
    after = old.replace("replicas: 2", f"replicas: {replicas}")
    other = deployment(name="other", spec="replicas: 2\nstrategy: {type: Recreate}")
    found = findings(f"{NAMESPACE % 'baseline'}---\n{after}---\n{other}", GPU_NODE % 2, before=old)
    refused = {one.object.rpartition("/")[2]: one.severity for one in found if one.code == "KLG003"}
    assert refused == ({"chat": severity} if severity else {})
    assert any(one.code == "KLG109" and one.object.endswith("/other") for one in found) is waits
