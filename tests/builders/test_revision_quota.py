"""Quotas that count ReplicaSets or ControllerRevisions: a rollout needs one more than there are."""

from __future__ import annotations

import counted_objects
import pytest
from checks_units import deployment, findings

from kubelint_gpu.findings.finding import Finding


def quota(most, key="count/replicasets.apps", namespace="serving", more=""):
    return counted_objects.quota(key, most, scopes=more, namespace=namespace)


def told(text: str) -> list[Finding]:
    return findings(text, counted_objects.NODE, "KLG105")


def test_the_new_replica_set_of_a_rollout_is_refused():
    (found,) = told(deployment() + quota(1))
    assert (found.severity, found.object) == ("error", "Deployment/serving/chat")
    assert found.message == (
        "the rollout never begins: the new ReplicaSet is refused by quota q, which allows 1 count/replicasets.apps and "
        "has 1 in use, and the old ReplicaSet is kept until the rollout is complete"
    )
    assert [one.message for one in found.related] == ["the quota allows 1 count/replicasets.apps"]


def test_recreate_removes_the_old_pods_first_and_then_has_none():
    (found,) = told(deployment(spec="strategy: {type: Recreate}") + quota(1))
    assert found.message.startswith("the rollout never ends once the old pods are gone: the new ReplicaSet is refused")


def test_every_deployment_of_the_namespace_has_a_replica_set():
    both = deployment() + "---\n" + deployment(name="other")
    found = told(both + quota(2))
    assert len(found) == 2
    assert "allows 2 count/replicasets.apps and has 2 in use, 1 of them by Deployment serving/" in found[0].message
    assert told(both + quota(3)) == []


def test_what_the_status_counts_is_in_use_too():
    text = deployment() + quota(5)
    assert told(text) == []
    (found,) = told(f'{text}status: {{used: {{count/replicasets.apps: "5"}}}}\n')
    assert "allows 5 count/replicasets.apps and has 5 in use" in found.message


@pytest.mark.parametrize(("kind", "more"), [("StatefulSet", "serviceName: chat"), ("DaemonSet", "")])
def test_a_controller_revision_is_refused_as_well(kind, more):
    text = deployment(spec=more).replace("kind: Deployment", f"kind: {kind}")
    (found,) = told(text + quota(1, "count/controllerrevisions.apps"))
    assert (found.severity, found.object) == ("error", f"{kind}/serving/chat")
    assert found.message == (
        "the rollout never begins: the new ControllerRevision is refused by quota q, which allows 1 "
        "count/controllerrevisions.apps and has 1 in use, and the old ControllerRevision is kept until the rollout is "
        "complete"
    )
    assert told(text + quota(2, "count/controllerrevisions.apps")) == []
    (first,) = told(text + quota(0, "count/controllerrevisions.apps"))
    assert first.message.startswith("no pod of it ever runs: its first ControllerRevision is refused by quota q")


@pytest.mark.parametrize(
    "text",
    [
        deployment() + quota(2),
        deployment() + quota(1, "count/deployments.apps"),
        deployment() + quota(1, namespace="elsewhere"),
        deployment(spec="paused: true") + quota(1),
        deployment(spec="serviceName: chat").replace("kind: Deployment", "kind: StatefulSet") + quota(0),
    ],
    ids=["room", "deployments", "elsewhere", "paused", "stateful-set"],
)
def test_other_quotas_and_other_workloads_are_not_refused(text):
    assert told(text) == []


def both(image: str, more: str = "") -> str:
    texts = (deployment(name=name, spec=more) for name in ("chat", "other"))
    return "---\n".join(texts).replace("main:1", f"main:{image}")


def test_two_rollouts_that_begin_together_are_refused_the_one_or_the_other():
    found = findings(both("b") + quota(3), counted_objects.NODE, "KLG105", before=both("a"))
    assert [(one.certainty, one.object) for one in found] == [
        ("possible", "Deployment/serving/chat"),
        ("possible", "Deployment/serving/other"),
    ]
    assert found[0].message.startswith("the rollout may never begin: the new ReplicaSet is refused by quota q")
    assert findings(both("b") + quota(4), counted_objects.NODE, "KLG105", before=both("a")) == []


def test_a_rollout_that_leaves_no_revision_keeps_none_from_others():
    none_kept = "revisionHistoryLimit: 0"
    found = findings(both("b", none_kept) + quota(3), counted_objects.NODE, "KLG105", before=both("a", none_kept))
    assert found == []
