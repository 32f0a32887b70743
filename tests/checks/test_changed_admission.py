"""What admission gives to pods that a change makes: the classes and ranges of after it, and to what runs those of before."""

from __future__ import annotations

import pytest
from change_cases import found, inventory, made

RECREATE = "strategy: {type: Recreate}\n"
NO_LIMITS = "resources: {limits: {nvidia.com/gpu: 1}}"


def limits(cpu):
    return (
        "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: serving}\n"
        f"spec: {{limits: [{{type: Container, default: {{cpu: {cpu}}}}}]}}\n"
    )


def quota(cpu):
    return (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        f'spec: {{hard: {{requests.cpu: "{cpu}"}}}}\n'
    )


def told(before, after):
    return [(code, name) for code, name, _ in found(before, after, inventory(4))]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_replicas_that_come_are_admitted_by_the_range_of_now(kind):
    """Seen on a control plane 1.34."""
    one, two = (made("a", RECREATE if kind == "Deployment" else "", replicas=number, kind=kind) for number in (1, 2))
    assert told(limits(10) + one, limits(2) + two) == []
    short = "KLG109" if kind == "Deployment" else "KLG111"
    assert told(limits(2) + one, limits(15) + two) == [(short, "a")]


def test_replicas_that_come_have_what_a_new_range_gives_them_where_a_quota_asks_for_it():
    """Seen on a control plane 1.34."""
    assert told(made("a", RECREATE, replicas=1), limits(1) + quota(10) + made("a", RECREATE, replicas=2)) == []


def test_what_runs_was_admitted_by_the_range_of_before():
    daemons = made("a", "", kind="DaemonSet")
    assert told(daemons, limits(64) + daemons) == []
