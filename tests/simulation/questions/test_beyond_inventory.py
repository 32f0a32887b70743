"""Nodes beyond the declared ones: they take whatever any node of any cluster could take, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_objects import GPU, deployment, node

from kubelint_gpu.scheduler import Snapshot, fit, read_cluster
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.values import replace

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def affinity(*terms):
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def labels(*requirements):
    return {
        "matchExpressions": [{"key": key, "operator": op, "values": list(values)} for key, op, *values in requirements]
    }


def names(*values):
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": list(values)}]}


def apart(key="kubernetes.io/hostname"):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "w"}}}
    return {"affinity": {"podAntiAffinity": {REQUIRED: [term]}}}


def found(spec, objects=(), enough=3):
    pod = created_pod(deployment(**spec), "new")
    cluster = read_cluster([node("a"), node("b", zone="b"), *objects])
    return further_nodes([pod], cluster, enough)


@pytest.mark.parametrize(
    ("spec", "takes"),
    [
        ({}, True),
        ({"nodeSelector": {"kubernetes.io/hostname": "a"}}, False),
        ({"nodeSelector": {"kubernetes.io/hostname": "z"}}, True),
        (affinity(labels(("kubernetes.io/hostname", "In", "a", "b"))), False),
        (affinity(labels(("kubernetes.io/hostname", "In", "a", "z"))), True),
        (affinity(labels(("kubernetes.io/hostname", "NotIn", "a"))), True),
        (affinity(names("a")), False),
        (affinity(names("z")), True),
        (affinity(names("a"), labels(("zone", "In", "c"))), True),
        (affinity(labels(("zone", "In", "a"), ("size", "Gt", "7"), ("old", "DoesNotExist"))), True),
        (affinity(labels(("size", "Gt", "7"), ("size", "Lt", "8"))), False),
        (affinity(labels(("zone", "In", "a"), ("zone", "NotIn", "a"))), False),
        ({"nodeSelector": {"zone": "a"}, **affinity(labels(("zone", "In", "b")))}, False),
        ({"gpus": 10_000}, True),
        (apart(), True),
    ],
)
def test_a_further_node_has_every_label_but_the_names_of_the_declared_ones(spec, takes):
    assert found(spec).takes == (takes,)


def claim(kind="csi", key="", *values, bound=True):
    where = {"required": {"nodeSelectorTerms": [labels((key, "In", *values))]}} if key else None
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            kind: {},
            "nodeAffinity": where or {},
        },
    }
    if not where:
        del volume["spec"]["nodeAffinity"]
    return [
        *([volume] if bound else []),
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": "data",
                "namespace": "d",
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"} if bound else {},
            },
            "spec": {"accessModes": ["ReadWriteOnce"], **({"volumeName": "v"} if bound else {})},
            "status": {"phase": "Bound" if bound else "Pending"},
        },
    ]


MOUNTED = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}


@pytest.mark.parametrize(
    ("objects", "more", "takes"),
    [
        (claim(), {}, True),
        (claim("csi", "zone", "a"), {}, True),
        (claim("csi", "zone", "a"), {"nodeSelector": {"zone": "b"}}, False),
        (claim("csi", "kubernetes.io/hostname", "a"), {}, False),
        (claim("local", "zone", "a"), {}, False),
        (claim("local", "kubernetes.io/hostname", "z"), {}, True),
        (claim("csi", "driver.example.com/node", "c"), {}, False),
        (claim(bound=False), {}, None),
        (claim(bound=False), {"nodeSelector": {"kubernetes.io/hostname": "a"}}, False),
    ],
    ids=["anywhere", "zone", "other-zone", "host", "local", "gone", "driver", "open", "open-and-pinned"],
)
def test_volumes_bind_pods_to_nodes_and_disks_of_declared_nodes_are_nowhere_else(objects, more, takes):
    telling = node("c", **{"driver.example.com/node": "c"})
    assert found({**MOUNTED, **more}, [*objects, telling]).takes == (takes,)


def test_pods_that_keep_apart_find_as_many_nodes_as_they_need():
    assert len(found({}).nodes) == 1
    assert len(found(apart(), enough=5).nodes) == 5
    assert len(found({"port": 80}, enough=5).nodes) == 5
    only = affinity(labels(("kubernetes.io/hostname", "In", "a", "y", "z")))
    nodes = found({"port": 80, **only}, enough=5).nodes
    assert sorted(one.labels["kubernetes.io/hostname"] for one in nodes) == ["y", "z"]


def test_pods_that_keep_apart_find_each_topology_domain_that_they_name():
    either = affinity(labels(("zone", "In", "c", "d")), labels(("zone", "In", "e")))
    assert {one.labels["zone"] for one in found(either).nodes} == {"c"}
    spec = {"affinity": {**apart("zone")["affinity"], **either["affinity"]}}
    assert {one.labels["zone"] for one in found(spec).nodes} == {"c", "d", "e"}


_values = st.sampled_from(["a", "b", "c", "1", "5", "9"])
_requirement = st.one_of(
    st.tuples(
        st.sampled_from(["k", "l", "kubernetes.io/hostname"]), st.sampled_from(["In", "NotIn"]), _values, _values
    ),
    st.tuples(st.sampled_from(["k", "l"]), st.sampled_from(["Gt", "Lt"]), st.sampled_from(["1", "5", "9"])),
    st.tuples(st.sampled_from(["k", "l"]), st.sampled_from(["Exists", "DoesNotExist"])),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(_requirement, min_size=1, max_size=3), min_size=1, max_size=2),
    st.dictionaries(st.sampled_from(["k", "l"]), _values),
    st.sampled_from(["c", "1", "5"]),
)
def test_what_some_node_could_take_a_further_node_takes(terms, has, name):
    spec = affinity(*(labels(*term) for term in terms))
    pod = created_pod(deployment(**spec), "new")
    cluster = read_cluster([node("a"), node("b")])
    other = read_cluster([node(name, **has)]).nodes[0]
    possible = fit(pod, Snapshot.of(replace(cluster, nodes=(replace(other, taints=()),)))).schedulable
    (takes,) = further_nodes([pod], cluster, 1).takes
    assert takes or not possible
    if takes:
        nodes = further_nodes([pod], cluster, 1).nodes
        assert fit(pod, Snapshot.of(replace(cluster, nodes=nodes))).schedulable
        assert all(one.allocatable[GPU] > 10**6 for one in nodes)
