"""One attempt to place a pod: its message, its preemption, and classes of nodes.

The text of FailedScheduling, release by release.
"""

from __future__ import annotations

import pytest
from plugin_objects import HOST, REQUIRED, node, pod

from kubelint_gpu.scheduler import (
    Snapshot,
    attempt,
    behaviour,
    fit,
    message,
    note,
    preempt,
    read_cluster,
    read_pod,
)
from kubelint_gpu.scheduler.framework.plugin import Code, Plugin, Prepared, Status, rejected


def test_an_attempt_tells_everything_at_once():
    found = attempt(read_pod(pod(nodeSelector={"a": "b"})), Snapshot.of(read_cluster([node("n")], version="1.34")))
    assert found.message.startswith("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.")
    assert not found.preemption.succeeds
    assert found.preemption.statuses == {}
    assert found.fit.fits == ()


def test_equal_nodes_with_unequal_pods_are_one_class_to_filters_and_two_to_preemption():
    nodes = [node(f"n{number:02}") for number in range(30)]
    for one in nodes:
        one["status"]["allocatable"] = {"cpu": "1", "pods": "10"}
    full = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    pods = [
        pod(f"p{number}", f"n{number:02}", containers=full, priority=10 * (number % 2), namespace=f"s{min(number, 2)}")
        for number in range(30)
    ]
    snapshot = Snapshot.of(read_cluster([*nodes, *pods], version="1.34"))
    not_first = {"matchExpressions": [{"key": HOST, "operator": "NotIn", "values": ["n00", "n01"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [not_first]}}}
    incoming = read_pod(pod(containers=full, priority=5, affinity=affinity))
    found = attempt(incoming, snapshot)
    assert sorted((one.size, one.status is None) for one in found.fit.classes) == [(1, False), (1, False), (28, False)]
    assert sorted((one.size, one.status is None) for one in found.preemption.outcomes) == [(14, False), (14, True)]
    assert len(found.preemption.statuses) == 14
    assert found.preemption.nominated == "n02"
    assert len(found.preemption.alternatives) == 13


def said(incoming, *objects, version="1.34"):
    return attempt(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version))).message


def small(name, cpu="1", memory="1Gi", pods="10", **spec):
    found = node(name, **spec)
    found["status"]["allocatable"] = {"cpu": cpu, "memory": memory, "pods": pods}
    return found


def asking(**amounts):
    return pod(containers=[{"name": "c", "resources": {"requests": amounts}}])


TAINTED = {"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]}
MISSING = pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


def test_three_nodes_of_1_35():
    busy = [
        pod(f"p{n}", n, containers=[{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}])
        for n in ("b", "c")
    ]
    assert said(
        asking(cpu="1", memory="1Gi"), small("a", **TAINTED), small("b"), small("c"), *busy, version="1.35"
    ) == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu, 2 Insufficient memory. "
        "no new claims to deallocate, preemption: 0/3 nodes are available: "
        "1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
    )


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (
            "1.33",
            (
                "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint "
                "{node-role.kubernetes.io/control-plane: }. preemption: 0/2 nodes are available: "
                "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
            ),
        ),
        (
            "1.36",
            (
                "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to "
                "deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
            ),
        ),
        (
            "1.37",
            (
                "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: "
                "0/2 nodes are available: 2 Preemption is not helpful for scheduling."
            ),
        ),
    ],
)
def test_wordings_follow_the_release(version, text):
    assert said(asking(cpu="2"), small("a", **TAINTED), small("b"), version=version) == text


def test_counts_are_sorted_as_text():
    nodes = [small(f"n{number:02}", cpu="0") for number in range(10)]
    others = (small("x", cpu="9", pods="0"), small("y", unschedulable=True))
    text = said(asking(cpu="1"), *nodes, *others)
    assert text.startswith(
        "0/12 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 10 Insufficient cpu. "
    )


def test_a_pod_for_a_named_node():
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n9"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [named]}}}
    assert said(pod(affinity=affinity), small("a"), small("b"), small("c")).startswith(
        "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims"
    )
    alone = said(pod(affinity=affinity), small("n9", pods="0"))
    assert alone.startswith("0/1 nodes are available: 1 Too many pods. no new claims")


@pytest.mark.parametrize(
    ("version", "tail"),
    [
        ("1.33", "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
        ("1.34", "not found"),
    ],
)
def test_a_rejection_before_any_node(version, tail):
    text = f'0/1 nodes are available: persistentvolumeclaim "data" not found. {tail}'
    assert said(MISSING, small("a"), version=version) == text


def test_a_cluster_without_nodes():
    assert said(pod()) == "no nodes available to schedule pods"


def test_no_text_after_the_counts_where_pods_are_evicted():
    victim = pod("v", "a", containers=[{"name": "c", "resources": {"requests": {"cpu": "1"}}}])
    incoming = asking(cpu="1")
    incoming["spec"]["priority"] = 5
    assert said(incoming, small("a"), victim) == "0/1 nodes are available: 1 Insufficient cpu."


def test_without_preemption_there_is_no_text_of_it():
    snapshot = Snapshot.of(read_cluster([small("a", pods="0")], version="1.34"))
    incoming = read_pod(pod())
    assert message(incoming, snapshot, fit(incoming, snapshot), None) == "0/1 nodes are available: 1 Too many pods."
    roomy = Snapshot.of(read_cluster([small("a")], version="1.34"))
    assert message(incoming, roomy, fit(incoming, roomy), None) is None


def test_an_event_is_cut_where_the_api_cuts_it():
    assert note("x" * 1024) == "x" * 1024
    assert note("x" * 1025) == "x" * 1020 + " ..."


@pytest.mark.parametrize(
    ("held", "fields"),
    [
        ("Scheduling is blocked due to non-empty scheduling gates", {"schedulingGates": [{"name": "a"}]}),
        (
            '"volcano" decides about the pod if it runs: only default-scheduler is modelled',
            {"schedulerName": "volcano"},
        ),
        ("skip schedule deleting pod: default/incoming", {"meta": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
    ],
)
def test_some_pods_are_never_tried(held, fields):
    found = attempt(read_pod(pod(**fields)), Snapshot.of(read_cluster([small("a")])))
    assert (found.held, found.fit, found.message) == (held, None, None)


def plugin(name, prepared):
    return Plugin(name, lambda _pod, _snapshot: prepared, lambda _state, _node: None)


def narrowed(name, *nodes):
    return plugin(name, Prepared(nodes=frozenset(nodes)))


@pytest.mark.parametrize(
    ("plugins", "reasons"),
    [
        ([narrowed("B", "a"), narrowed("A", "b")], ("node(s) didn't satisfy plugin(s) [A B] simultaneously",)),
        ([narrowed("B")], ("node(s) didn't satisfy plugin B",)),
        (
            [
                plugin("A", rejected("A", "first", code=Code.UNSCHEDULABLE)),
                plugin("B", rejected("B", "second", code=Code.UNSCHEDULABLE)),
                plugin("C", Prepared()),
            ],
            ("second",),
        ),
        ([plugin("A", rejected("A", "soft", code=Code.UNSCHEDULABLE)), plugin("B", rejected("B", "hard"))], ("hard",)),
    ],
)
def test_how_prefilter_rejections_combine(plugins, reasons):
    snapshot = Snapshot.of(read_cluster([small("a"), small("b")], version="1.34"))
    result = fit(read_pod(pod()), snapshot, plugins=plugins)
    assert result.prefilter.reasons == reasons
    assert not result.schedulable


def test_several_plugins_that_narrow_are_named_together():
    plugins, snapshot = (
        (narrowed("B", "a", "b"), narrowed("A", "a")),
        Snapshot.of(read_cluster([small("a"), small("b")], version="1.34")),
    )
    result = fit(read_pod(pod()), snapshot, plugins=plugins)
    assert result.fits == ("a",)
    assert result.rejections == {"b": Status("", Code.EXCLUDED, ("node(s) didn't satisfy plugin(s) [A B]",))}


def test_a_soft_prefilter_rejection_leaves_the_nominated_node_unresolved():
    soft = plugin("A", rejected("A", "soft", code=Code.UNSCHEDULABLE))
    victim = pod("v", "a", priority=0, meta={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    victim["status"]["conditions"] = [condition]
    snapshot = Snapshot.of(read_cluster([small("a"), victim], version="1.34"))
    incoming = read_pod({**pod(priority=5), "status": {"nominatedNodeName": "a"}})
    assert not preempt(incoming, snapshot, fit(incoming, snapshot, plugins=(soft,))).eligible


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (None, "1.36"),
        ("1.34", "1.34"),
        ("v1.33.5-eks-1a2b", "1.33"),
        ("1.32.2+k3s1", "1.32"),
        ("1.20", "1.29"),
        ("1.99", "1.37"),
    ],
)
def test_the_behaviour_of_a_release(version, expected):
    assert behaviour(version).version == expected


@pytest.mark.parametrize("version", ["", "latest", "2.0", "1", "1.x", "1.\u0663\u0664"])
def test_a_text_that_is_no_release_is_refused(version):
    with pytest.raises(ValueError, match="no version of Kubernetes"):
        behaviour(version)


def test_without_a_version_the_newest_kubelet_tells():
    old, new, odd = small("a"), small("b"), small("c")
    for one, version in ((old, "v1.29.1"), (new, "v1.33.4"), (odd, "unknown")):
        one["status"]["nodeInfo"] = {"kubeletVersion": version}
    assert Snapshot.of(read_cluster([old, new, odd])).behaviour.version == "1.33"
    assert Snapshot.of(read_cluster([small("a")])).behaviour.version == "1.36"
