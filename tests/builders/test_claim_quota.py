"""Claims of StatefulSets that a quota refuses, and those that go with their pods."""

from __future__ import annotations

import pytest
from checks_units import findings
from counted_objects import NODE, job, made, quota, short_of_claims, stateful_set

KEYS = [
    "persistentvolumeclaims",
    "count/persistentvolumeclaims",
    "fast.storageclass.storage.k8s.io/persistentvolumeclaims",
]


@pytest.mark.parametrize("key", KEYS)
def test_an_ordinal_whose_claim_is_refused_never_runs(key):
    text = stateful_set(3) + quota(key, 2)
    assert short_of_claims(text) == [("db", "certain", "only 2 of 3 replicas can run")]
    assert short_of_claims(text, stateful_set(2)) == [("db", "certain", "only 2 of 3 replicas can run")]
    assert short_of_claims(stateful_set(2) + quota(key, 2)) == []
    assert short_of_claims(stateful_set(3) + quota("slow.storageclass.storage.k8s.io/persistentvolumeclaims", 2)) == []


def test_storage_is_counted_by_what_claims_ask_for():
    assert short_of_claims(stateful_set(2, size="2Gi") + quota("requests.storage", "3Gi")) == [
        ("db", "certain", "only 1 of 2 replicas can run")
    ]
    assert short_of_claims(stateful_set(2, size="2Gi") + quota("requests.storage", "4Gi")) == []


def test_claims_stay_when_their_pods_go_unless_the_retention_policy_says_otherwise():
    after = stateful_set(1, "kv") + quota("persistentvolumeclaims", 2)
    goes = "  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}\n"
    assert short_of_claims(stateful_set(1) + after, stateful_set(2)) == [("kv", "certain", "its 1 replica cannot run")]
    assert short_of_claims(stateful_set(1, more=goes) + after, stateful_set(2, more=goes)) == []


def test_of_several_that_do_not_all_find_room_it_is_possible():
    text = stateful_set(1, "a") + stateful_set(1, "b") + quota("persistentvolumeclaims", 1)
    says = "its 1 replica cannot run if the claims of others are made first"
    assert short_of_claims(text) == [("a", "possible", says), ("b", "possible", says)]


def test_what_a_status_counts_is_in_use():
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data-db-0, namespace: serving}\n"
        "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n"
    )
    counted = quota("persistentvolumeclaims", 3, used=2)
    assert short_of_claims(stateful_set(2), inventory=NODE + claim + counted) == []
    assert short_of_claims(stateful_set(3), inventory=NODE + claim + counted) == [
        ("db", "certain", "only 2 of 3 replicas can run")
    ]


BOUNDS = (
    "---\napiVersion: v1\nkind: LimitRange\nmetadata: {{name: lr, namespace: serving}}\n"
    "spec: {{limits: [{{type: PersistentVolumeClaim, max: {{storage: {}}}, min: {{storage: 2Gi}}}}]}}\n"
)


def test_claims_that_are_there_already_stay_whatever_their_bounds():
    text = stateful_set(2, size="5Gi") + BOUNDS.format("4Gi")
    assert short_of_claims(text, stateful_set(2, size="5Gi")) == []
    assert short_of_claims(text, stateful_set(1, size="5Gi")) == [("db", "certain", "only 1 of 2 replicas can run")]


def test_a_claim_that_is_applied_is_refused_as_well():
    """Seen on a control plane 1.34."""
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: weights, namespace: serving}\n"
        "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}\n"
    )
    (found,) = findings(claim + BOUNDS.format("4Gi"), NODE, "KLG003")
    assert found.object == "PersistentVolumeClaim/serving/weights"
    assert found.message == (
        "LimitRange lr of namespace serving refuses the claim: maximum storage usage per PersistentVolumeClaim is 4Gi, "
        "but request is 5Gi"
    )
    assert findings(claim + BOUNDS.format("5Gi"), NODE, "KLG003") == []


def claim(name, size="1Gi"):
    return (
        f"---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec: {{accessModes: [ReadWriteOnce], storageClassName: fast, resources: {{requests: {{storage: {size}}}}}}}\n"
    )


@pytest.mark.parametrize(
    ("hard", "has"),
    [
        ("persistentvolumeclaims", "1"),
        ("requests.storage", "2Gi"),
        ("fast.storageclass.storage.k8s.io/requests.storage", "2Gi"),
    ],
)
def test_a_claim_that_is_made_is_refused_where_the_quota_has_no_room(hard, has):
    text = job().removeprefix("---\n") + claim("a") + claim("b", "2Gi") + quota(hard, has)
    ((name, message),) = made(text)
    assert name == "PersistentVolumeClaim/serving/b"
    assert message.startswith(f"the API server refuses to create this claim: quota q allows {has} {hard} and has 1")
    assert message.endswith(", and it asks for 2Gi") is (has == "2Gi")
    assert findings(text, NODE, "KLG105") == []


MOUNT = (
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: serving}\nspec:\n  replicas: 1\n"
    "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n"
    "      containers: [{name: main, image: i:1}]\n"
    "      volumes: [{name: data, persistentVolumeClaim: {claimName: b}}]\n"
)


@pytest.mark.parametrize("beside", [quota("persistentvolumeclaims", 1), BOUNDS.format("4Gi")])
def test_the_workload_that_mounts_a_refused_claim_waits_for_it(beside):
    text = claim("a", "3Gi").removeprefix("---\n") + claim("b", "5Gi") + MOUNT + beside
    code = "KLG003" if "LimitRange" in beside else "KLG105"
    found = made(text, code)
    assert [name for name, _ in found] == ["PersistentVolumeClaim/serving/b", "Deployment/serving/web"]
    assert "its pods wait" in found[1][1]
    assert made(text.replace("replicas: 1", "replicas: 0"), code) == found[:1]
