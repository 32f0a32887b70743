"""The plugins that look at one node alone: the tables of their specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler import Profile, Snapshot, fit, read_cluster, read_pod

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"
CORDONED = (UU, "node(s) were unschedulable")
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
AFFINITY = (UU, "node(s) didn't match Pod's node affinity/selector")
PORTS = (U, "node(s) didn't have free ports for the requested pod ports")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


@pytest.mark.parametrize(
    ("tolerations", "verdict"),
    [
        ([], CORDONED),
        ([{"key": UNSCHEDULABLE, "operator": "Exists"}], None),
        ([{"operator": "Exists"}], None),
        ([{"key": UNSCHEDULABLE, "operator": "Exists", "effect": "NoExecute"}], CORDONED),
    ],
)
def test_a_cordoned_node_takes_those_that_tolerate_its_taint(tolerations, verdict):
    cordoned = node("n", unschedulable=True, taints=[taint(UNSCHEDULABLE)])
    assert verdicts(pod(tolerations=tolerations), cordoned) == {"n": verdict}


@pytest.mark.parametrize(
    ("name", "verdict"), [("", None), ("n1", None), ("N1", (UU, "node(s) didn't match the requested node name"))]
)
def test_a_pod_that_names_its_node_goes_nowhere_else(name, verdict):
    assert verdicts(pod(nodeName=name), node("n1")) == {"n1": verdict}


@pytest.mark.parametrize(
    ("tolerations", "taints", "named"),
    [
        ([], [taint("a", "b", "PreferNoSchedule")], None),
        ([], [taint("a"), taint("b", "x", "NoExecute")], "a: "),
        ([{"key": "a", "operator": "Exists"}], [taint("a", "1"), taint("b", "2")], "b: 2"),
        ([{"key": "a", "operator": "Exists", "effect": "NoSchedule"}], [taint("a", "1", "NoExecute")], "a: 1"),
        ([{"operator": "Exists", "effect": "NoSchedule"}], [taint("x"), taint("y", effect="NoExecute")], "y: "),
        ([{"key": "a", "value": "x"}], [taint("a", "x"), taint("a", "x", "NoExecute")], None),
        ([{"key": "a", "operator": "Equal", "value": ""}], [taint("a")], None),
        ([{"key": "a", "value": "y"}], [taint("a", "x")], "a: x"),
    ],
)
@pytest.mark.parametrize("version", ["1.34", "1.35"])
def test_the_first_untolerated_taint_is_named_before_1_35(tolerations, taints, named, version):
    text = "node(s) had untolerated taint(s)" if version == "1.35" else f"node(s) had untolerated taint {{{named}}}"
    verdict = None if named is None else (UU, text)
    assert verdicts(pod(tolerations=tolerations), node("n", taints=taints), version=version) == {"n": verdict}


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
    snapshot = Snapshot.of(cluster, profile=Profile(added_affinity=added))
    for incoming in (pod(), pod(nodeSelector={"pool": "cpu"})):
        statuses = fit(read_pod(incoming), snapshot).rejections
        assert statuses["n2"].reasons == ("node(s) didn't match scheduler-enforced node affinity",)
    assert fit(read_pod(pod()), snapshot).fits == ("n1",)
    assert statuses["n1"].reasons == AFFINITY[1:]


def ports(*wanted, name="c", **more):
    return {"containers": [{"name": name, "ports": [dict(one) for one in wanted]}], **more}


@pytest.mark.parametrize(
    ("incoming", "existing", "verdict"),
    [
        (ports({"hostPort": 80}), ports({"hostPort": 80, "protocol": "UDP"}), None),
        (ports({"hostPort": 80, "hostIP": "10.0.0.1"}), ports({"hostPort": 80, "hostIP": "10.0.0.2"}), None),
        (ports({"hostPort": 80, "hostIP": "10.0.0.1"}), ports({"hostPort": 80}), PORTS),
        (ports({"hostPort": 80}), ports({"hostPort": 80, "hostIP": "10.0.0.1"}), PORTS),
        (ports({"hostPort": 80, "hostIP": "::"}), ports({"hostPort": 80, "hostIP": "10.0.0.2"}), None),
        (ports({"containerPort": 9100}, hostNetwork=True), ports({"containerPort": 9100}, hostNetwork=True), PORTS),
        (ports({"containerPort": 9100}), ports({"containerPort": 9100}, hostNetwork=True), None),
        ({"initContainers": [{"name": "i", "ports": [{"hostPort": 80}]}]}, ports({"hostPort": 80}), None),
        (
            {"initContainers": [{"name": "i", "restartPolicy": "Always", "ports": [{"hostPort": 80}]}]},
            ports({"hostPort": 80}),
            PORTS,
        ),
    ],
)
def test_host_ports_are_compared_by_protocol_number_and_address(incoming, existing, verdict):
    assert verdicts(pod(**incoming), node("n"), pod("other", "n", **existing)) == {"n": verdict}


def resources(**amounts):
    return {
        "resources": {"requests": {name.replace("__", "/").replace("_", "-"): str(q) for name, q in amounts.items()}}
    }


def giving(**amounts):
    found = node("n")
    found["status"]["allocatable"] = {name.replace("_", "-"): str(amount) for name, amount in amounts.items()}
    return found


@pytest.mark.parametrize(
    ("version", "code"),
    [("1.33", U), ("1.34", UU)],
)
def test_a_request_above_allocatable_is_final_since_1_34(version, code):
    big = giving(cpu=4, memory="8Gi", pods=10)
    holder = pod("holder", "n", containers=[{"name": "c", **resources(memory="8Gi")}])
    asked = pod(containers=[{"name": "c", **resources(cpu=8, memory="1Gi")}])
    assert verdicts(asked, big, holder, version=version) == {"n": (code, "Insufficient cpu", "Insufficient memory")}


@pytest.mark.parametrize(
    ("allocatable", "asked", "verdict"),
    [
        ({"cpu": 4, "memory": "8Gi"}, {}, (U, "Too many pods")),
        ({"cpu": 4, "pods": 2}, {"cpu": 4}, None),
        ({"cpu": 4, "pods": 2}, {"cpu": "4001m"}, (UU, "Insufficient cpu")),
        ({"pods": 2}, {"nvidia.com/gpu": 1}, (UU, "Insufficient nvidia.com/gpu")),
        ({"pods": 2}, {"nvidia.com/gpu": 0}, None),
        ({"pods": 2, "hugepages-2Mi": "2Mi"}, {"hugepages-2Mi": "4Mi"}, (UU, "Insufficient hugepages-2Mi")),
        ({"pods": 2}, {"ephemeral-storage": "10Gi"}, (UU, "Insufficient ephemeral-storage")),
        ({"pods": 2}, {"storage": "10Gi"}, None),
    ],
)
def test_requests_are_compared_with_allocatable(allocatable, asked, verdict):
    asked = {name: str(amount) for name, amount in asked.items()}
    incoming = pod(containers=[{"name": "c", "resources": {"requests": asked}}])
    assert verdicts(incoming, giving(**allocatable)) == {"n": verdict}


def test_a_pod_without_requests_fits_a_node_that_is_overcommitted():
    holder = pod("holder", "n", containers=[{"name": "c", **resources(cpu=9)}])
    assert verdicts(pod(), giving(cpu=4, pods=10), holder) == {"n": None}


def test_resources_that_the_profile_ignores_are_not_checked():
    asked = {"nvidia.com/gpu": "1", "amd.com/gpu": "1", "cpu": "9"}
    incoming = read_pod(pod(containers=[{"name": "c", "resources": {"requests": asked}}]))
    cluster = read_cluster([giving(cpu=1, pods=10)], version="1.34")
    profile = Profile(ignored_resources=frozenset(("nvidia.com/gpu", "cpu")), ignored_groups=frozenset(("amd.com",)))
    assert fit(incoming, Snapshot.of(cluster, profile=profile)).rejections["n"].reasons == ("Insufficient cpu",)


def test_finished_pods_and_pods_of_unknown_nodes_take_no_room():
    full = giving(cpu=1, pods=1)
    done = pod("done", "n") | {"status": {"phase": "Succeeded"}}
    assert verdicts(pod(), full, done, pod("elsewhere", "gone"), pod("pending")) == {"n": None}
