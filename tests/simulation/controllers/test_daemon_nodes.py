"""DaemonSets whose nodes change: which they leave at once, which they enter at once, and where the update halts."""

from __future__ import annotations

import pytest
from change_cases import SURGE, found, inventory, made, on
from checks_units import findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

GIVES = "updateStrategy: {rollingUpdate: {maxUnavailable: 1}}\n"
EQUAL = "running:\n  - {name: other, namespace: serving, node: n3, gpus: 1, priority: 1000}\n"
TOLERATES = "tolerations: [{operator: Exists}]\n"
IN = "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{}]}}]}}]}}}}}}\n"


def daemons(nodes, strategy=GIVES):
    return made("d", strategy, pod=IN.format(nodes), kind="DaemonSet")


def drafts(before, after, cluster):
    old = {one.object: one for one in unit(before, cluster).manifests}
    judged = ApplySet((read("a.yaml", after.encode()),), world(cluster), before=old)
    return [one for one in check((judged,), judged.world).findings if one.code.startswith("KLG1")]


@pytest.mark.parametrize("strategy", [GIVES, SURGE], ids=["unavailable", "surge"])
def test_a_node_that_is_full_is_named_with_who_holds_it_and_a_node_that_is_left_is_not(strategy):
    (one,) = [
        one
        for one in drafts(daemons("n1, n2", strategy), daemons("n2, n3", strategy), inventory(1, 1, 1, more=EQUAL))
        if one.code == "KLG109"
    ]
    assert one.message.startswith(
        "of the pods that it makes for 2 nodes, 1 finds no room (on n3, held by Pod serving/other), and it stays Pending"
    )
    told = [related.message for related in one.related]
    assert "n3 has 1 nvidia.com/gpu" in told
    assert "Pod serving/other holds 1 nvidia.com/gpu on n3" in told
    assert not any("n2" in text or "n1" in text for text in told)
    assert one.scheduler.startswith("0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't satisfy")


def test_a_pending_pod_on_a_new_node_halts_an_update_with_max_unavailable_and_none_that_surges():
    def told(strategy):
        cluster = inventory(1, 1, 1, more=EQUAL)
        return [
            text
            for code, _, text in found(daemons("n1", strategy), daemons("n1, n3", strategy), cluster)
            if code == "KLG109"
        ]

    assert told(GIVES)[0].endswith("while it does, no rolling update replaces the others (maxUnavailable is 1)")
    assert told(SURGE)[0].endswith("and it stays Pending")
    # the next template finds an old pod there that is Pending, and a new one beside it takes the surge
    ((_, _, text),) = found(
        daemons("n1, n3", SURGE), daemons("n1, n3", SURGE.replace("1,", "1 ,")), inventory(2, 1, 1, more=EQUAL)
    )
    assert text.endswith("while it does, no rolling update replaces the others (maxSurge is 1)")


def test_a_surge_on_a_node_that_is_kept_never_ends_though_another_node_is_full():
    cluster = inventory(1, 1, 1, more=EQUAL)
    other, one = drafts(daemons("n1, n2", SURGE), daemons("n2, n3", SURGE), cluster)
    assert [one.code, other.code] == ["KLG110", "KLG109"]
    assert "waits for 1 nvidia.com/gpu on n2, held by the old pod" in one.message
    assert one.fixes == ()
    assert one.help == ("with maxSurge: 0 the pod without room on n3 would halt it: make room there first",)


def test_another_workload_that_fills_the_new_node_is_named():
    both = daemons("n1") + made("c", "strategy: {type: Recreate}\n", pod=on("n2"))
    after = daemons("n2") + made("c", "strategy: {type: Recreate}\n", pod=on("n2"))
    ((code, _, text),) = found(both, after, inventory(1, 1))
    assert code == "KLG109"
    assert (
        "no pod that it makes for 1 node finds room beside the other workloads (on n2, held by Deployment serving/c)"
        in text
    )


def tainted(effect, gpus=2):
    return inventory(gpus, gpus).replace(
        "labels: {on: n2}", f"labels: {{on: n2}}\n    taints: [{{key: gpu, effect: {effect}}}]"
    )


def test_where_a_toleration_goes_the_old_pod_stays_until_its_turn_comes_and_a_surge_beside_it_never_starts():
    """A NoSchedule taint keeps the controller from making a pod, and does not make it delete one."""
    before, after = (made("d", SURGE, pod=pod, kind="DaemonSet") for pod in (TOLERATES, ""))
    ((code, _, text),) = found(before, after, tainted("NoSchedule"))
    assert (code, "waits for n2 (had untolerated taint {gpu: })" in text) == ("KLG107", True)
    assert found(before, after, tainted("NoExecute")) == []
    gives = [text.replace(SURGE.strip(), GIVES.strip()) for text in (before, after)]
    assert found(*gives, tainted("NoSchedule", 1)) == []


def test_the_fix_of_such_a_surge_lets_the_old_pods_go_first():
    before, after = (made("d", SURGE, pod=pod, kind="DaemonSet") for pod in (TOLERATES, ""))
    (one,) = drafts(before, after, tainted("NoSchedule"))
    assert [(fix.verified, fix.title.partition(",")[0]) for fix in one.fixes] == [
        (True, "set maxSurge: 0 and maxUnavailable: 1")
    ]


def runtime_class(scheduling):
    return f"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {{name: nv}}\nhandler: nv\nscheduling: {scheduling}\n"


TOLERATING = runtime_class("{tolerations: [{key: t, operator: Exists}]}")
SELECTING = runtime_class("{nodeSelector: {kubernetes.io/hostname: n1}}")
NV = "runtimeClassName: nv\n"


def rollouts(text, cluster):
    return [
        (one.code, one.object.rpartition("/")[2], one.message)
        for one in findings(text, cluster)
        if one.code.startswith("KLG1") and one.severity != "note"
    ]


def with_taints(*gpus, more=""):
    """Nodes of which all but the first have a taint."""
    first, *others = inventory(*gpus, more=more).split("    gpus:")
    last = others.pop()
    return "    gpus:".join([first, *(f"{one}    taints: ['t=v:NoSchedule']\n" for one in others), last])


@pytest.mark.parametrize(
    ("strategy", "gpus", "nodes"), [(SURGE, 1, (2, 1)), (GIVES, 2, (2, 1))], ids=["surge", "too large"]
)
def test_no_pod_is_made_for_a_node_whose_taint_only_the_runtime_class_tolerates(strategy, gpus, nodes):
    text = made("d", strategy, gpus=gpus, pod=NV, kind="DaemonSet") + TOLERATING
    assert rollouts(text, with_taints(*nodes)) == []
    written = made("d", strategy, gpus=gpus, pod=NV + TOLERATES, kind="DaemonSet") + TOLERATING
    assert len(rollouts(written, with_taints(*nodes))) == 1


@pytest.mark.parametrize(
    "admission",
    ["{extendedResourceToleration: true}", "{defaultTolerations: [{key: nvidia.com/gpu, operator: Exists}]}"],
)
def test_no_pod_is_made_for_a_node_whose_taint_only_admission_tolerates(admission):
    cluster = with_taints(2, 1, more=f"admission: {admission}\n").replace("t=v:", "nvidia.com/gpu=present:")
    assert rollouts(made("d", gpus=2, strategy=GIVES, kind="DaemonSet"), cluster) == []
    written = made("d", gpus=2, strategy=GIVES, pod=TOLERATES, kind="DaemonSet")
    assert len(rollouts(written, cluster)) == 1


@pytest.mark.parametrize("strategy", [GIVES, SURGE], ids=["unavailable", "surge"])
def test_a_pod_for_a_node_without_the_label_that_only_the_runtime_class_asks_for_stays_pending(strategy):
    text = made("d", strategy, pod=NV, kind="DaemonSet") + SELECTING
    (one,) = [one for one in findings(text, inventory(2, 2)) if one.code == "KLG109"]
    assert one.message.startswith(
        "of the pods that it makes for 2 nodes, 1 finds no room (on n2): n2 didn't match Pod's node affinity/selector, "
        "and it stays Pending"
    )
    assert one.help[0].startswith("write the nodeSelector of RuntimeClass nv in the template, too")
    told = [related.message for related in one.related]
    assert "RuntimeClass nv asks for nodes with kubernetes.io/hostname=n1: n2 cannot take it" in told
    assert not any(text.startswith("n2 has") for text in told)
    written = made("d", strategy, pod=NV + on("n1"), kind="DaemonSet") + SELECTING
    assert rollouts(written, inventory(2, 2)) == []


def test_of_a_pod_that_names_its_node_only_the_kubelet_is_told():
    text = made("d", GIVES, gpus=2, pod="nodeName: n1\n", kind="DaemonSet")
    found = {one.code: one.message for one in findings(text, inventory(1, 1)) if one.severity != "note"}
    assert "KLG109" not in found
    assert "the kubelet of n1 refuses its pod (UnexpectedAdmissionError" in found["KLG207"]
