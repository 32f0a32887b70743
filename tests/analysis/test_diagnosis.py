"""What topology spread constraints keep out beside the pods of others, and together."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

SPREAD = """\
- maxSkew: 1
  topologyKey: {key}
  whenUnsatisfiable: DoNotSchedule
  labelSelector: {{matchLabels: {{{label}}}}}
{more}"""
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def spread(*keys, label="app: chat", more=""):
    each = "".join(SPREAD.format(key=key, label=label, more=more) for key in keys)
    return "topologySpreadConstraints:\n" + "".join(f"  {line}\n" for line in each.splitlines())


def inventory(*nodes, running="", more=""):
    found = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n"
    for number, (zone, gpus) in enumerate(nodes, 1):
        found += (
            f"  - name: n{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    labels: {{{ZONE}: {zone}}}\n"
            f"    gpus: {{model: L4, count: {gpus}}}\n"
        )
    return f"{found}{more}priorityClasses: [{{name: serving, value: 1000}}]\n{running}"


def pods(*nodes, label="grp: g"):
    found = "running:\n"
    for number, node in enumerate(nodes):
        found += f"  - {{name: o{number}, namespace: serving, node: {node}, labels: {{{label}}}, priority: 2000}}\n"
    return found


def told(manifest, cluster):
    return [(one.code, one.certainty) for one in findings(manifest, cluster) if one.code in ("KLG109", "KLG406")]


def test_a_constraint_that_counts_pods_of_others_is_what_keeps_replicas_out_and_not_the_capacity():
    manifest = deployment(spec="replicas: 3", pod=spread(ZONE, label="grp: g"))
    manifest = manifest.replace("{labels: {app: chat}}", "{labels: {app: chat, grp: g}}")
    cluster = inventory(("a", 4), ("b", 1), running=pods("n1", "n1"))
    (found,) = [one for one in findings(manifest, cluster) if one.code in ("KLG109", "KLG406")]
    assert (found.code, found.certainty) == ("KLG406", "certain")
    assert found.message == (
        "only 1 of 3 replicas can be placed under this constraint, all without it: it counts 2 pods of others in a, so "
        f"that the next one may not go there, no other domain of {ZONE} has room, and maxSkew is 1"
    )
    assert told(manifest, inventory(("a", 4), ("b", 1))) == []


def test_where_resources_lack_as_well_it_stays_missing_capacity():
    manifest = deployment(spec="replicas: 6", pod=spread(ZONE, label="grp: g"))
    assert told(manifest, inventory(("a", 4), ("b", 1), running=pods("n1", "n1"))) == [("KLG109", "certain")]


@pytest.mark.parametrize(("key", "replicas"), [((ZONE, HOST), 4), ((HOST, ZONE), 4)])
def test_two_constraints_that_exclude_each_other_in_every_order(key, replicas):
    manifest = deployment(spec=f"replicas: {replicas}", pod=spread(*key))
    nodes = (("a", 4), ("a", 4), ("a", 4), ("b", 4))
    (found,) = [one for one in findings(manifest, inventory(*nodes)) if one.code == "KLG406"]
    assert found.certainty == "certain"
    assert found.message == (
        "only 3 of 4 replicas can be placed under this constraint, all without it: by itself it lets all in, but where "
        f"it lets the next one go, the constraint on {key[1]} does not"
    )
    assert told(deployment(spec="replicas: 3", pod=spread(*key)), inventory(*nodes)) == []
    assert told(manifest, inventory(*nodes, ("b", 4))) == []


def test_a_cordoned_node_is_no_domain_where_taints_are_honoured():
    manifest = deployment(spec="replicas: 2", pod=spread(ZONE, more="  nodeTaintsPolicy: Honor\n"))
    cluster = inventory(("a", 4), ("b", 4), more="    unschedulable: true\n")
    assert told(manifest, cluster) == []
    assert told(manifest.replace("Honor", "Ignore"), cluster) == [("KLG406", "certain")]


def test_a_pod_that_the_anti_affinity_of_a_daemon_set_keeps_out_lacks_no_capacity():
    term = "{labelSelector: {matchLabels: {app: chat}}, topologyKey: kubernetes.io/hostname}"
    apart = f"affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    daemons = deployment(name="agent", pod=apart, limits="{cpu: 1}").replace("Deployment", "DaemonSet")
    pinned = deployment(spec="replicas: 1", pod="nodeSelector: {kubernetes.io/hostname: n1}", limits="{cpu: 1}")
    found = findings(f"{daemons}---\n{pinned}", inventory(("a", 1), ("b", 1)), "KLG109")
    (one,) = [one for one in found if one.message.startswith("its pod may find no room")]
    assert "the anti-affinity of DaemonSet serving/agent keeps it away from n1" in one.message
    assert one.message.endswith("pods are kept apart, whatever the strategy: this is no rollout deadlock")
    assert not any("cpu" in line.message for line in one.related)
