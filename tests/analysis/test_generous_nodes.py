"""Rollouts on nodes as generous as any could be."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: v, namespace: serving}
spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}
"""
VOLUME = "volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]"
PORT = "ports: [{containerPort: 80, hostPort: 8080}]"


def told(text):
    return {one.code: one for one in findings(text, "") if one.code.startswith("KLG1")}


ONCE = CLAIM.replace("ReadWriteOncePod", "ReadWriteOnce")
LISTENS = "ports: [{containerPort: 80}]"


def labelled(**more):
    return deployment(limits="{cpu: 1}", **more)


@pytest.mark.parametrize(
    "text",
    [
        f"{ONCE}---\n{labelled(pod=VOLUME, spec='strategy: {type: Recreate}')}",
        f"{ONCE}---\n{labelled(pod=VOLUME, spec='strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}')}",
        labelled(pod=VOLUME),
        labelled(more=LISTENS),
        labelled(more=PORT, spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"),
        labelled(more=PORT, spec="paused: true"),
    ],
)
def test_what_ends_on_any_node_is_no_note(text):
    assert told(text) == {}
