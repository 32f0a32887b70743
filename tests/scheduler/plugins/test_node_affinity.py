"""NodeAffinity: the tables of its specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler import Snapshot, fit, read_cluster, read_pod
from kubelint_gpu.values import replace

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"
AFFINITY = (UU, "node(s) didn't match Pod's node affinity/selector")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


def required(*terms):
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(*names, operator="In"):
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": [name]} for name in names]}


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        ({"nodeSelector": {"zone": "a"}}, "a"),
        ({"nodeSelector": {}}, "abc"),
        ({"nodeSelector": {"zone": "a"}, "affinity": required(expression("zone", "In", "b"))}, ""),
        ({"affinity": required()}, ""),
        ({"affinity": required({})}, ""),
        ({"affinity": required({}, expression("zone", "In", "b"))}, "b"),
        ({"affinity": required(expression("zone", "In", "a"), expression("zone", "In", "b"))}, "ab"),
        ({"affinity": required(expression("zone", "NotIn", "a"))}, "bc"),
        ({"affinity": required(expression("zone", "DoesNotExist"))}, "c"),
        ({"affinity": required(expression("gpus", "Gt", "3"))}, "b"),
        ({"affinity": required(expression("gpus", "Lt", "3"))}, "a"),
        ({"affinity": required(expression("gpus", "Gt", "8"))}, ""),
        ({"affinity": required(field("a"), expression("zone", "In", "b"))}, "ab"),
        ({"affinity": required(field("a", operator="NotIn"))}, "bc"),
        ({"affinity": required({**field("a"), **expression("zone", "In", "b")}, expression("zone", "In", "b"))}, "b"),
    ],
)
def test_node_affinity_is_an_or_of_ands(spec, fits):
    nodes = (
        node("a", labels={"zone": "a", "gpus": "2"}),
        node("b", labels={"zone": "b", "gpus": "8"}),
        node("c", labels={"gpus": "8Gi"}),
    )
    assert verdicts(pod(**spec), *nodes) == {name: None if name in fits else AFFINITY for name in "abc"}


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("1.30", "node is filtered out by the prefilter result"),
        ("1.34", "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    ],
)
def test_nodes_that_match_fields_leave_out_are_not_judged(version, text):
    tainted = node("n2", taints=[taint("x")])
    found = verdicts(pod(affinity=required(field("n1"), field("n9"))), node("n1"), tainted, version=version)
    assert found == {"n1": None, "n2": ("PreFilterExcluded", text)}


def test_fields_that_exclude_each_other_reject_the_pod():
    found = verdicts(pod(affinity=required(field("n1", "n2"))), node("n1"), node("n2"), plugin="NodeAffinity")
    assert found == "pod affinity terms conflict"


def test_the_affinity_of_a_profile_comes_before_the_pods_own():
    added = NodeSelector((NodeSelectorTerm((Requirement("pool", "In", ("gpu",)),)),))
    cluster = read_cluster([node("n1", labels={"pool": "gpu"}), node("n2")], version="1.34")
    snapshot = Snapshot.of(cluster)

    def read(**spec):
        found = read_pod(pod(**spec))
        return replace(found, spec=replace(found.spec, added_affinity=added))

    for incoming in (read(), read(nodeSelector={"pool": "cpu"})):
        statuses = fit(incoming, snapshot).rejections
        assert statuses["n2"].reasons == ("node(s) didn't match scheduler-enforced node affinity",)
    assert fit(read(), snapshot).fits == ("n1",)
    assert statuses["n1"].reasons == AFFINITY[1:]
