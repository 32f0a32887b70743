"""Without an inventory: rollouts that never end whatever nodes there are."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

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
HOST = "kubernetes.io/hostname"
PINNED = "nodeSelector: {kubernetes.io/hostname: gpu-1}"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def apart(key, *terms):
    """A pod that keeps away from its own kind, on nodes that match one of these terms."""
    listed = ", ".join(f"{{matchExpressions: [{one}]}}" for one in terms)
    return (
        f"affinity: {{podAntiAffinity: {{{REQUIRED}: [{{topologyKey: {key}, labelSelector: {{}}}}]}}, "
        f"nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{listed}]}}}}}}"
    )


def one_of(key, *values):
    return f"{{key: {key}, operator: In, values: [{', '.join(values)}]}}"


def told(text):
    return {one.code: one for one in findings(text, "") if one.code.startswith("KLG1")}


EITHER = (
    f"affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: ["
    f"{{matchExpressions: [{one_of(HOST, 'a')}]}}, {{matchExpressions: [{one_of(HOST, 'b')}]}}]}}}}}}"
)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (f"{QUOTA}---\n{deployment()}", "KLG105", "refused by quota q"),
        (f"{CLAIM}---\n{deployment(pod=VOLUME, limits='{cpu: 1}')}", "KLG104", "waits for claim v (ReadWriteOncePod)"),
        (deployment(pod=PINNED, more=PORT, limits="{cpu: 1}"), "KLG102", "host port 8080 of the only node"),
        (
            deployment(pod=apart(HOST, one_of(HOST, "gpu-1")), limits="{cpu: 1}"),
            "KLG103",
            "a place on the only node that",
        ),
        (deployment(pod=apart("zone", one_of("zone", "a")), limits="{cpu: 1}"), "KLG103", "a place on the only nodes"),
    ],
)
def test_what_no_node_changes_is_an_error(text, code, said):
    found = told(text)
    assert set(found) == {code}
    assert found[code].severity == "error"
    assert found[code].message.startswith("the rollout never ends in any cluster: the new pod")
    assert said in found[code].message
    assert "beyond" not in str(found[code])
    assert [(fix.title.split(",")[0], fix.verified) for fix in found[code].fixes][:2] == [
        ("set maxSurge: 0 and maxUnavailable: 1", True),
        ("set strategy type: Recreate", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"{QUOTA.replace('gpu: 1', 'gpu: 2')}---\n{deployment()}",
        f"{QUOTA.replace('namespace: serving', 'namespace: other')}---\n{deployment()}",
        f"{QUOTA}---\n{deployment(spec='strategy: {type: Recreate}')}",
        f"{CLAIM.replace('ReadWriteOncePod', 'ReadWriteMany')}---\n{deployment(pod=VOLUME, limits='{cpu: 1}')}",
        deployment(pod=VOLUME, limits="{cpu: 1}"),
        deployment(more=PORT, limits="{cpu: 1}", spec="strategy: {type: Recreate}"),
        deployment(pod=PINNED),
        deployment(pod=apart("zone", one_of("zone", "a", "b")), limits="{cpu: 1}"),
        deployment(pod=apart(HOST, one_of(HOST, "a"), one_of(HOST, "b")), limits="{cpu: 1}"),
        deployment(pod=apart(HOST, one_of("zone", "a")), limits="{cpu: 1}"),
        deployment(pod=apart("zone", "{key: zone, operator: Exists}"), limits="{cpu: 1}"),
        deployment(pod=EITHER, more=PORT, limits="{cpu: 1}"),
    ],
)
def test_what_depends_on_nodes_or_ends_is_none(text):
    assert {code for code, one in told(text).items() if one.severity != "note"} == set()


def test_two_that_use_one_quota_up_wait_for_each_other():
    quota = QUOTA.replace("gpu: 1", "gpu: 2")
    found = list(findings(f"{quota}---\n{deployment()}---\n{deployment(name='other')}", ""))
    assert [one.code for one in found if one.severity == "error"] == ["KLG105", "KLG105"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{QUOTA}---\n{deployment(spec='replicas: 2')}",
            "only 1 of 2 replicas can run in any cluster: the next one is",
        ),
        (
            f"{CLAIM}---\n{deployment(pod=VOLUME, limits='{cpu: 1}', spec='replicas: 2')}",
            "only 1 of 2 replicas can run in any cluster: the next one waits for claim v (ReadWriteOncePod)",
        ),
    ],
)
def test_replicas_that_no_node_helps_are_an_error(text, said):
    found = told(text)
    assert set(found) <= {"KLG109", "KLG114"}
    assert (found["KLG109"].severity, found["KLG109"].certainty) == ("error", "certain")
    assert found["KLG109"].message.startswith(said)
    assert found["KLG109"].scheduler is None
    enough = text.replace("gpu: 1}}\n---", "gpu: 9}}\n---").replace("ReadWriteOncePod", "ReadWriteMany")
    assert [code for code, one in told(enough).items() if one.severity == "error"] == []


def test_of_two_that_share_a_quota_it_is_open_which_one_runs():
    quota = QUOTA.replace("gpu: 1", "gpu: 2")
    text = f"{quota}---\n{deployment(spec='replicas: 2')}---\n{deployment(name='other', spec='replicas: 2')}"
    short = [one for one in findings(text, "") if one.code == "KLG109"]
    assert [(one.certainty, one.message.partition(":")[0]) for one in short] == 2 * [
        (
            "possible",
            "none of its 2 replicas can run in any cluster if the other workloads applied with it are placed first",
        )
    ]


ONCE = CLAIM.replace("ReadWriteOncePod", "ReadWriteOnce")
NETWORK = "hostNetwork: true"
LISTENS = "ports: [{containerPort: 80}]"
BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b, namespace: serving}
spec: {selector: {matchLabels: {app: chat}}, %s}
"""


def labelled(**more):
    return deployment(limits="{cpu: 1}", **more)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (f"{ONCE}---\n{labelled(pod=VOLUME)}", "KLG107", "on another node, it waits for claim v (ReadWriteOnce)"),
        (labelled(more=PORT), "KLG102", "no further node takes the new pod, it waits for host port 8080 of an old one"),
        (labelled(more=LISTENS, pod=NETWORK), "KLG102", "it waits for host port 80 of an old one"),
    ],
)
def test_what_some_clusters_do_not_let_end_is_a_note_and_full_nodes_make_it_a_warning(text, code, said):
    found = told(text)
    assert set(found) == {code}
    one = found[code]
    assert (one.severity, one.certainty) == ("note", "possible")
    assert one.message.startswith("the rollout may never end: where ")
    assert said in one.message
    assert "beyond" not in str(one)
    assert [fix.verified for fix in one.fixes] == [True, True]
    assert {each.severity for each in assumed_full(text)} == {"warning"}


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


@pytest.mark.parametrize(
    ("share", "replicas", "held"),
    [
        ("minAvailable: 1", 1, True),
        ("maxUnavailable: 0", 3, True),
        ("minAvailable: 100%", 3, True),
        ("minAvailable: 1", 2, False),
        ("maxUnavailable: 1", 1, False),
        ("maxUnavailable: 25%", 3, False),
    ],
)
def test_a_budget_that_lets_no_pod_go_holds_a_drain_of_any_node(share, replicas, held):
    text = labelled(spec=f"replicas: {replicas}")
    found = told(f"{BUDGET % share}---\n{text}")
    assert set(found) == ({"KLG112"} if held else set())
    if held:
        assert (found["KLG112"].severity, found["KLG112"].certainty) == ("warning", "certain")
        assert found["KLG112"].message.startswith("draining a node with pods of Deployment serving/chat never ends")
        assert "beyond" not in str(found["KLG112"])


def assumed_full(text):
    one = ApplySet([read("web.yaml", text.encode())], ClusterContext(full=True))
    return [
        found for found in check((one,), one.world).findings if found.code.startswith("KLG1") and found.code < "KLG116"
    ]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (labelled(), ["KLG114"]),
        (deployment(), ["KLG114"]),
        (labelled(spec="strategy: {type: Recreate}"), []),
        (labelled(spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"), []),
        (labelled(spec="replicas: 4"), []),
        (labelled(spec="replicas: 3"), ["KLG114"]),
    ],
)
def test_on_full_nodes_what_comes_before_an_old_pod_goes_needs_room(text, codes):
    found = assumed_full(text)
    assert [one.code for one in found] == codes
    assert all(one.severity == "warning" for one in found)
