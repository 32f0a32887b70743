"""A ReplicaSet makes pods of the template that it has then, and leaves those that run as they are."""

from __future__ import annotations

import pytest
from change_cases import found, inventory, made
from checks_units import findings


def replica_set(replicas, gpus):
    return made("web", "", replicas=replicas, gpus=gpus, kind="ReplicaSet")


@pytest.mark.parametrize(
    ("before", "after", "free", "says"),
    [
        ((2, 1), (2, 2), 2, []),
        ((1, 1), (2, 2), 3, []),
        ((1, 1), (2, 2), 2, ["only 1 of 2 replicas can run"]),
        ((2, 2), (3, 1), 5, []),
    ],
)
def test_only_pods_that_are_missing_are_of_the_new_template(before, after, free, says):
    told = found(replica_set(*before), replica_set(*after), inventory(free))
    assert [message.partition(":")[0] for _, _, message in told] == says


def test_nothing_is_certain_of_a_deployment_that_takes_a_replica_set_over():
    """Played on a control plane 1.34: a template that is equal but for the hash is not rolled out."""
    here, orphan = "{name: web, namespace: serving}", "{name: old, namespace: serving, labels: {app: web}}"
    before = replica_set(1, 1).replace(here, orphan)
    assert orphan in before
    told = findings(before + made("web"), inventory(1), before=before)
    assert {one.certainty for one in told if one.code.startswith("KLG1")} == {"possible"}
