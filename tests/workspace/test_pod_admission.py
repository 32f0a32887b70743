"""What admission makes of pods, as the inventory declares it."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings, unit

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.workspace.pod_admission import spec_as_admitted, with_added_affinity, with_default_constraints

OWN = "admission: {extendedResourceToleration: true, defaultTolerations: [{key: team, operator: Exists}]}\n"


@pytest.mark.parametrize(
    ("inventory", "expected"),
    [(NODES, set()), (NODES + OWN, {"nvidia.com/gpu", "team"}), ("", set())],
)
def test_tolerations_that_the_cluster_gives_to_pods_are_there(inventory, expected):
    found = unit(deployment(), inventory)
    workload = found.manifests[0].workload
    spec = spec_as_admitted(workload, found.cluster, found.supply if found.has_nodes else None)
    lifecycle = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}
    assert {one.key for one in spec.tolerations} - lifecycle == expected
    assert lifecycle <= {one.key for one in spec.tolerations}


ZONE = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
WEAK = {**ZONE, "whenUnsatisfiable": "ScheduleAnyway"}


def workload(kind="Deployment", **spec):
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c"}], **spec}}
    value = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "metadata": {"name": "web"}}
    return read_workload({**value, "spec": {"selector": {"matchLabels": labels}, "template": template}})


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("Deployment", ("pod-template-hash",)),
        ("StatefulSet", ()),
        ("ReplicaSet", ()),
        ("DaemonSet", None),
        ("Job", None),
    ],
)
def test_constraints_count_the_pods_of_the_owner(kind, keys):
    found = workload(kind)
    spread = with_default_constraints(found.spec, found, [ZONE, WEAK]).spread
    assert [one.match_label_keys for one in spread] == ([] if keys is None else [keys])
    assert all(one.selector == found.selector for one in spread)


def test_a_pods_own_constraints_replace_those_of_the_profile():
    found = workload(topologySpreadConstraints=[WEAK])
    assert with_default_constraints(found.spec, found, [ZONE]) == found.spec


def test_only_what_an_added_affinity_requires_counts():
    term = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["gpu"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}]}
    spec = workload().spec
    assert with_added_affinity(spec, required).added_affinity.matches({"pool": "gpu"}, "n")
    assert not with_added_affinity(spec, required).added_affinity.matches({}, "n")
    assert with_added_affinity(spec, preferred) == spec


NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: a-1, labels: {zone: a, pool: gpu}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}
  - {name: b-1, labels: {zone: b}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: %d}}
priorityClasses: [{name: serving, value: 1000}]
scheduler: %s
"""
ADDED = """{profiles: [{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
  {matchExpressions: [{key: pool, operator: In, values: [gpu]}]}]}}}]}"""
SPREAD = "{defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}"


@pytest.mark.parametrize(
    ("replicas", "settings", "there", "expected"),
    [
        (2, "{}", 1, []),
        (2, ADDED, 1, ["KLG101"]),
        (1, ADDED, 1, []),
        (2, SPREAD, 0, ["KLG406"]),
        # the old pod beside the new one goes first, and then no node takes the second new one
        (2, SPREAD, 1, ["KLG103"]),
        (2, SPREAD, 2, []),
        (2, SPREAD.replace("DoNotSchedule", "ScheduleAnyway"), 0, ["KLG101"]),
        (2, f"{{profiles: [{SPREAD}]}}", 0, ["KLG406"]),
        (2, f"{{profiles: [{{schedulerName: other, {SPREAD[1:]}]}}", 0, ["KLG101"]),
    ],
)
def test_rollouts_are_judged_by_the_profile(replicas, settings, there, expected):
    found = findings(deployment(spec=f"replicas: {replicas}"), NODES % (there, settings))
    assert [one.code for one in found if one.code.startswith("KLG1") or one.severity == "error"] == expected


def test_a_constraint_that_no_manifest_holds_is_called_the_clusters():
    [found] = findings(deployment(spec="replicas: 2"), NODES % (0, SPREAD), "KLG406")
    assert "under the cluster's default constraint for zone, all without it" in found.message
    [found] = findings(deployment(), NODES % (1, SPREAD.replace("zone", "zones")), "KLG405")
    assert found.fixes == ()
