"""How many replicas find a place apart from each other, where some run on a node that takes no new pod."""

from __future__ import annotations

import json

import pytest
import yaml
from change_cases import GIVES, KEEPS, findings_of, inventory, made

APART = """\
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}
"""
SPREAD = """\
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: a}}
"""


def shown(rules):
    """A pod on each of the first two nodes, as a capture has it."""
    limits = {"nvidia.com/gpu": "1"}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a-1", "uid": "1", "controller": True}
    labels = {"app": "a", "pod-template-hash": "1"}
    spec = {**yaml.safe_load(rules), "priorityClassName": "serving", "priority": 1000}
    spec["containers"] = [{"name": "main", "resources": {"limits": limits, "requests": limits}}]
    pods = (
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"a-1-{node}", "namespace": "serving", "labels": labels, "ownerReferences": [owner]},
            "spec": {**spec, "nodeName": node},
            "status": {"phase": "Running"},
        }
        for node in ("n1", "n2")
    )
    return "".join(f"---\n{json.dumps(one)}\n" for one in pods)


def nodes(more=""):
    """Three nodes with room for all, of which the second is cordoned; the whole cluster."""
    text = inventory(4, 4, 4, more=more)
    return (
        f"complete: true\n{text.replace('labels: {on: n2}', 'labels: {on: n2}' + chr(10) + '    unschedulable: true')}"
    )


def told(before, after, rules, cluster, strategy=KEEPS):
    was, is_now = (made("a", strategy, replicas=number, pod=rules) for number in (before, after))
    codes = ("KLG103", "KLG109", "KLG404", "KLG406")
    every = [one for one in findings_of(was, is_now, cluster) if one.code in codes and one.moment == "now"]
    return [(one.code, one.severity, one.message.partition(":")[0]) for one in every]


@pytest.mark.parametrize("rules", [APART, SPREAD])
def test_replicas_that_run_on_a_cordoned_node_stay_there(rules):
    assert told(2, 3, rules, nodes(shown(rules))) == []


@pytest.mark.parametrize(("rules", "code"), [(APART, "KLG404"), (SPREAD, "KLG406")])
def test_where_those_that_run_are_is_not_known_without_a_capture(rules, code):
    assert [found[:2] for found in told(2, 4, rules, nodes())] == [(code, "warning")]


def test_as_few_are_told_as_the_simulation_places():
    assert told(2, 4, APART, nodes(shown(APART))) == [("KLG109", "error", "only 3 of 4 replicas can run")]


def test_new_replicas_find_as_many_places_as_there_are_nodes_that_take_them():
    ((code, severity, message),) = told(1, 3, APART, nodes(), GIVES)
    assert (code, severity) == ("KLG404", "warning")
    assert message == "3 replicas must be kept apart by kubernetes.io/hostname, and only 2 nodes take them"
