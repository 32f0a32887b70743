"""Pods that need others near them, which are about to leave."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings
from small_inventories import MOVED, runs


def test_workloads_that_move_together_and_want_each_other_near_wait_for_ever():
    """Seen on a control plane 1.34: where their old pods run is no company for the new ones."""

    def near(name, other, node):
        term = f"topologyKey: zone, labelSelector: {{matchLabels: {{app: {other}}}}}"
        wanted = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{term}}}]}}}}\n"
        return deployment(name=name, pod=f"nodeSelector: {{kubernetes.io/hostname: {node}}}\n{wanted}")

    cluster = MOVED % (2, 2) + runs("web", "n1") + runs("db", "n1")
    before, after = (f"{near('db', 'web', node)}---\n{near('web', 'db', node)}" for node in ("n1", "n2"))
    found = findings(after, cluster, before=before)
    assert {(one.object, one.certainty) for one in found if one.severity == "error"} == {
        ("Deployment/serving/db", "certain"),
        ("Deployment/serving/web", "certain"),
    }


def test_a_pod_whose_company_moves_to_where_it_never_fits_is_told():
    """Played on a control plane 1.34: the new pod of web waits for ever, and the old one runs on."""
    near = (
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: cache}}}]}}\n"
    )

    def both(node, image):
        cache = deployment(name="cache", pod=f"nodeSelector: {{kubernetes.io/hostname: {node}}}\n", limits="{cpu: 1}")
        web = deployment(name="web", pod=near, limits="{nvidia.com/gpu: 2}")
        return f"{cache}---\n{web.replace('image: ', f'image: {image}')}"

    cluster = MOVED % (2, 1) + runs("cache", "n1").replace("nvidia.com/gpu", "cpu")
    cluster += runs("web", "n1").replace("gpu: 1", "gpu: 2")
    told = findings(both("n2", "b"), cluster, before=both("n1", "a"))
    assert [(one.code, one.object, one.certainty) for one in told if one.severity == "error"] == [
        ("KLG109", "Deployment/serving/web", "certain")
    ]


def near(name, other):
    pod = (
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"[{{topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: {other}}}}}}}]}}}}\n"
    )
    return deployment(name=name, pod=pod, limits="{cpu: 1}")


def test_workloads_of_which_none_can_be_the_first_wait_for_ever():
    both = f"{near('db', 'web')}---\n{near('web', 'db')}"
    told = [one for one in findings(both) if one.severity == "error"]
    assert [(one.code, one.object, one.certainty) for one in told] == [
        ("KLG403", "Deployment/serving/db", "certain"),
        ("KLG403", "Deployment/serving/web", "certain"),
    ]
    assert told[0].message == (
        "the pod must be near one with app=web, as those of Deployment serving/web, which must be near one of these in "
        "turn: none of them can be the first"
    )
    chain = f"{near('db', 'web')}---\n{near('web', 'cache')}---\n{deployment(name='cache', limits='{cpu: 1}')}"
    assert not [one for one in findings(chain) if one.severity == "error"]
    runs_already = MOVED % (2, 2) + runs("web", "n1").replace("nvidia.com/gpu", "cpu")
    assert not [one for one in findings(both, runs_already) if one.code == "KLG403"]


def ordinals(kind, label):
    return (
        f"affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: "
        f"[{{topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{{label}}}}}}}]}}}}\n"
    )


@pytest.mark.parametrize(("ordinal", "codes"), [(0, []), (1, ["KLG403"])])
def test_a_pod_may_be_near_one_ordinal_of_a_set(ordinal, codes):
    """Seen on a control plane 1.34: the labels of a StatefulSet's pod tell its ordinal."""
    ps = deployment(name="ps", limits="{cpu: 1}").replace("kind: Deployment", "kind: StatefulSet")
    pod = ordinals("podAffinity", f"statefulset.kubernetes.io/pod-name: ps-{ordinal}")
    web = deployment(name="web", pod=pod, limits="{cpu: 1}")
    found = findings(f"{ps}---\n{web}", MOVED % (2, 2), before=f"{ps}---\n{web.replace('main:1', 'main:2')}")
    assert [one.code for one in found if one.severity != "note" and one.code.startswith("KLG4")] == codes


@pytest.mark.parametrize(("replicas", "placed"), [(2, None), (3, 2)])
def test_pods_apart_from_first_ordinals_are_apart_from_their_own(replicas, placed):
    """Seen on a control plane 1.34: q-0 takes a node, and those after it need another one."""
    pod = ordinals("podAntiAffinity", "apps.kubernetes.io/pod-index: '0'")
    text = deployment(name="q", pod=pod, spec=f"replicas: {replicas}\nserviceName: q")
    found = findings(text.replace("kind: Deployment", "kind: StatefulSet"), MOVED % (1, replicas - 1))
    short = [one.message for one in found if one.code == "KLG109"]
    assert [f"as few as {placed} of {replicas} replicas can run" in one for one in short] == [True] * (
        placed is not None
    )
