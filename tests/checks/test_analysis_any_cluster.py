"""Without an inventory: rollouts that never end whatever nodes there are."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: serving}
spec: {hard: {requests.nvidia.com/gpu: 1}}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: v, namespace: serving}
spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}
"""
VOLUME = "volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]"
PORT = "ports: [{containerPort: 80, hostPort: 8080}]"
PINNED = "nodeSelector: {kubernetes.io/hostname: gpu-1}"


def told(text):
    return {one.code: one for one in findings(text, "") if one.code.startswith("KLG1")}


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (f"{QUOTA}---\n{deployment()}", "KLG105", "refused by quota q"),
        (f"{CLAIM}---\n{deployment(pod=VOLUME, limits='{cpu: 1}')}", "KLG104", "waits for claim v (ReadWriteOncePod)"),
        (deployment(pod=PINNED, more=PORT, limits="{cpu: 1}"), "KLG102", "host port 8080 of the only node"),
    ],
)
def test_what_no_node_changes_is_an_error(text, code, said):
    found = told(text)
    assert set(found) == {code}
    assert found[code].severity == "error"
    assert found[code].message.startswith("the rollout never ends in any cluster: the new pod")
    assert said in found[code].message
    assert "beyond" not in str(found[code])
    assert [(fix.title.split(",")[0], fix.verified) for fix in found[code].fixes] == [
        ("set maxSurge: 0 and maxUnavailable: 1", True),
        ("set strategy type: Recreate", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"{QUOTA.replace('gpu: 1', 'gpu: 2')}---\n{deployment()}",
        f"{QUOTA.replace('namespace: serving', 'namespace: other')}---\n{deployment()}",
        f"{QUOTA}---\n{deployment(spec='strategy: {type: Recreate}')}",
        f"{CLAIM.replace('ReadWriteOncePod', 'ReadWriteOnce')}---\n{deployment(pod=VOLUME, limits='{cpu: 1}')}",
        deployment(pod=VOLUME, limits="{cpu: 1}"),
        deployment(more=PORT, limits="{cpu: 1}"),
        deployment(pod=PINNED),
    ],
)
def test_what_depends_on_nodes_or_ends_is_none(text):
    assert {code for code, one in told(text).items() if one.severity != "note"} == set()


def test_two_that_use_one_quota_up_wait_for_each_other():
    quota = QUOTA.replace("gpu: 1", "gpu: 2")
    found = list(findings(f"{quota}---\n{deployment()}---\n{deployment(name='other')}", ""))
    assert [one.code for one in found if one.severity == "error"] == ["KLG105", "KLG105"]
